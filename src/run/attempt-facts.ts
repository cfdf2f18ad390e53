import { dirname } from 'node:path';
import type { AgentContext } from '../agents/agent.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { PreparedImage } from '../sandbox/sandbox.js';
import type { AttemptResult, ImageFacts } from './result.js';

/** What a result says of the plan: who, by whom, how, which time. */
export function attemptFactsOf({ id, evalId, experimentId, index, evalDefinition, experiment, identity }: Omit<PlannedAttempt, 'identity'> & { readonly identity?: string | undefined }): Pick<
  AttemptResult, 'id' | 'evalId' | 'experimentId' | 'index' | 'agent' | 'model' | 'reasoningEffort' | 'identity' | 'flags' | 'labels' | 'metadata' | 'evaluationKind'
> {
  const { labels = {} } = experiment;
  return { id, evalId, experimentId, index, agent: experiment.agent.name, ...settingsOf(experiment), ...(identity === undefined ? {} : { identity }), labels, metadata: evalDefinition.metadata ?? {}, evaluationKind: evalDefinition.evaluationKind };
}

/** What a result says of the image that its sandbox was started from. */
export function imageFactsOf({ id, reference, sources }: PreparedImage): ImageFacts {
  return { id, reference, ...(sources === undefined ? {} : { sources }) };
}

/** What an agent is told of the plan. */
export function agentFactsOf({ id, evalId, experimentId, experimentFile, index, experiment }: PlannedAttempt): Pick<
  AgentContext, 'model' | 'reasoningEffort' | 'flags' | 'experimentId' | 'evalId' | 'attempt' | 'experimentFolder'
> {
  return { ...settingsOf(experiment), experimentId, evalId, attempt: { id, index }, experimentFolder: dirname(experimentFile) };
}

function settingsOf({ model, reasoningEffort, flags = {} }: PlannedAttempt['experiment']): Pick<AgentContext, 'model' | 'reasoningEffort' | 'flags'> {
  return { ...(model === undefined ? {} : { model }), ...(reasoningEffort === undefined ? {} : { reasoningEffort }), flags };
}
