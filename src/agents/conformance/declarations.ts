import { evidenceCoverageSchema } from '../../evidence/coverage.js';
import { messageOf } from '../../lifetime/error.js';
import type { AgentContext, AgentSettings } from '../agent.js';
import { isAgent } from '../define-agent.js';
import type { AgentSubject } from './agent-subject.js';
import { checkOf, type ConformanceCheck } from '../../sandbox/conformance/check.js';
import { show } from '../../sandbox/conformance/difference.js';
import { ConformanceError } from './errors.js';
import { onStage } from './stage.js';

const SETTINGS: readonly AgentSettings[] = [
  {},
  { model: 'niceeval-no-such-model' },
  { reasoningEffort: 'niceeval-no-such-effort' },
  { reasoningEffort: '' },
  { flags: {} },
  { flags: { 'niceeval-no-such-flag': [null, { deep: true }] } },
  { experimentFolder: '/niceeval/no/such/folder' },
];

/** What an agent owes before it is sent to, and for what it cannot be shown. */
export function declarationChecks<C extends AgentContext>(subject: AgentSubject<C>): readonly ConformanceCheck[] {
  const { agent, prompt, takesAnyFile = false } = subject;
  const fault = (input: string, expected: string, received: string, cause?: unknown): ConformanceError => new ConformanceError({ subject: agent.name, input, expected, received }, { cause });
  return [
    checkOf(`${agent.name}: declares how completely it collects every channel`, () => {
      if (!isAgent(agent)) throw fault('the agent', 'what defineAgent or defineSandboxAgent made', show(agent));
      const read = evidenceCoverageSchema.safeParse(agent.evidenceCoverage);
      const issue = read.error?.issues[0];
      if (!read.success) throw fault('its evidenceCoverage', 'each of the six channels with a status, and a reason below complete', `\`${issue?.path.join('.') ?? ''}\`: ${issue?.message ?? 'it does not fit'}`);
    }),
    checkOf(`${agent.name}: says in words, or not at all, why it cannot work with settings`, () => {
      for (const settings of agent.check === undefined ? [] : SETTINGS) {
        const input = `check(${show(settings)})`;
        let answer: unknown;
        try {
          answer = agent.check?.(settings);
        } catch (error) {
          throw fault(input, 'undefined or a reason', `it threw "${messageOf(error)}"`, error);
        }
        if (answer !== undefined && (typeof answer !== 'string' || answer.trim() === '')) throw fault(input, 'undefined or a reason that is not blank', show(answer));
      }
    }),
    ...(takesAnyFile ? [] : [onStage(subject, 'refuses a file of a kind that it cannot be shown', async (stage) => {
      const mediaType = 'application/x-niceeval-conformance';
      const outcome = await stage.send(stage.newSession(), { text: prompt, files: [{ name: 'conformance.bin', mediaType, data: 'bmljZWV2YWw=' }] });
      if (outcome.kind === 'answered') throw stage.fault(`the message ${show(prompt)} with a file of the type ${mediaType}`, 'a send that rejects', `a turn with the status ${show((outcome.answer as { readonly status?: unknown } | undefined)?.status)}`);
    })]),
  ];
}
