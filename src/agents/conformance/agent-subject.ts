import type { EvidenceCoverage } from '../../evidence/coverage.js';
import type { InputRequest } from '../../evidence/events.js';
import type { Turn } from '../../evidence/turn.js';
import type { AgentContext, AgentSettings, TurnInput } from '../agent.js';

/** A context for the agent, and what is to be closed after it. */
export interface OpenedContext<C extends AgentContext> extends AsyncDisposable {
  /** A plain object. The suite puts sessions, signals and places for raw output of its own in it. */
  readonly ctx: C;
}

/** An agent as `defineAgent` (C is `AgentContext`) or `defineSandboxAgent` (C is `SandboxAgentContext`) makes it. */
export interface ConformingAgent<C extends AgentContext> {
  readonly kind: 'sandbox' | 'direct';
  readonly name: string;
  readonly evidenceCoverage: EvidenceCoverage;
  readonly check?: (settings: AgentSettings) => string | undefined;
  readonly setup?: (ctx: C) => Promise<void> | void;
  readonly send: (input: TurnInput, ctx: C) => Promise<Turn>;
  readonly teardown?: (ctx: C) => Promise<void> | void;
}

/** An answer to one request: one of its options, or words. */
export type Answer = { readonly optionId: string } | { readonly text: string };

/** What {@link agentConformance} takes: a whole agent, a world to try it in, and what to say to it. */
export interface AgentSubject<C extends AgentContext> {
  readonly agent: ConformingAgent<C>;
  /** Called once for each check, which sets the agent up in it and closes it. Sandboxes may be shared, contexts not. */
  readonly openContext: () => Promise<OpenedContext<C>> | OpenedContext<C>;
  /** A message that must complete, in any session, first or not. */
  readonly prompt: string;
  /** A message that keeps the agent at work for longer than `abortLimitMs`. Absent: only sends that are aborted as they begin are tried. */
  readonly longPrompt?: string;
  /** A message at which the agent stops for a person. Absent: the agent asks nobody. */
  readonly waitingPrompt?: string;
  /** The answer to a request. Default: its first option, or "yes". */
  readonly answer?: (request: InputRequest) => Answer;
  /** The agent can be shown files of any kind, so none is refused. Default: false. */
  readonly takesAnyFile?: boolean;
  /** How long a send may take, in milliseconds. Default: 120,000. */
  readonly sendLimitMs?: number;
  /** How soon a send must end after its signal was aborted, in milliseconds. Default: 20,000, as long as a run waits. */
  readonly abortLimitMs?: number;
}
