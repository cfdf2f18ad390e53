import type { AgentContext, AgentSession, ModelEndpoint, SandboxAgentContext } from '../agents/agent.js';
import { createAgentSession } from '../agents/agent-session.js';
import { boundSandbox } from '../agents/bound-sandbox.js';
import type { Scope } from '../lifetime/scope.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { OwnedSandbox } from '../sandbox/sandbox.js';
import { agentFactsOf } from './attempt-facts.js';
import type { AttemptNotes } from './attempt-notes.js';
import type { EvidenceLog } from './evidence-log.js';
import type { AttemptSink } from './ports.js';

/** What contexts are made of. */
export interface AgentContextsOptions {
  readonly attempt: PlannedAttempt;
  readonly log: EvidenceLog;
  readonly sink: AttemptSink;
  readonly scope: Scope;
  readonly notes: AttemptNotes;
  readonly endpoint: ModelEndpoint | undefined;
  readonly sandbox: OwnedSandbox | undefined;
}

/** For whom a context is, and until when. */
export interface ContextUse {
  readonly signal: AbortSignal;
  /** Default: one that nothing was sent in. */
  readonly session?: AgentSession;
}

/** What the code of an agent is given, by the number of its session. */
export interface AgentContexts {
  of(ordinal: number, use: ContextUse): AgentContext;
  /** @throws TypeError when there is no sandbox. */
  ofSandbox(ordinal: number, use: ContextUse): SandboxAgentContext;
}

/** Makes the contexts of one Attempt. */
export function createAgentContexts({ attempt, log, sink, scope, notes, endpoint, sandbox }: AgentContextsOptions): AgentContexts {
  const of = (ordinal: number, { signal, session }: ContextUse): AgentContext => {
    const turn = log.turns.filter((record) => record.session === ordinal).length + 1;
    return {
      signal,
      ...agentFactsOf(attempt),
      session: session ?? createAgentSession(ordinal),
      ...(endpoint === undefined ? {} : { endpoint }),
      openRaw: (name) => sink.openRaw(`session${ordinal}-turn${turn}-${name}`),
      keepFile: (path, bytes) => sink.keepFile(path, bytes),
      diagnostic: (code, message) => notes.note(code, message),
      onEnd: (what, cleanup) => scope.defer(what, cleanup),
    };
  };
  return {
    of,
    ofSandbox(ordinal, use) {
      if (sandbox === undefined) throw new TypeError('The sandbox is not open.');
      return { ...of(ordinal, use), sandbox: boundSandbox(sandbox, use.signal) };
    },
  };
}
