import type { InputFile, InputResponse } from '../agents/agent.js';
import type { EventSelector } from '../assert/event-claims.js';
import type { NotInDiffOptions } from '../assert/diff-claims.js';
import type { FileChangedOptions } from '../assert/file-claims.js';
import type { HandleSet, PassHandles, ScoreHandles } from '../assert/handle.js';
import type { InputRequestFilter } from '../assert/input-claims.js';
import type { MaxTokensOptions } from '../assert/limits.js';
import type { CountOptions } from '../assert/selection.js';
import type { ToolSelector } from '../assert/tool-claims.js';
import type { EvidenceCoverage } from '../evidence/coverage.js';
import type { InputRequest, StreamEvent } from '../evidence/events.js';
import type { JsonObject, JsonValue } from '../evidence/json.js';
import type { ActivitySummary } from '../evidence/activity.js';
import type { ToolOccurrence } from '../evidence/occurrence.js';
import type { ContextFill, TurnStatus } from '../evidence/turn.js';
import type { Usage } from '../evidence/usage.js';
import type { ScoreMatch, ValueMatch } from '../expect/match.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { BoundJudge, RootJudge } from './judging.js';

/** What a message to the agent may be. */
export type SendInput = string | {
  readonly text: string;
  /** Files to show with it, for instance screenshots: paths relative to the eval's file, or bytes. */
  readonly files?: readonly (string | InputFile)[];
  /** JSON Schema of a structured product. It goes to `turn.data`; a turn whose product does not fit has failed. */
  readonly schema?: JsonObject;
};

/** An answer to what an agent asks. A text fits when one request is open; the id of one of its options means that option. */
export type RespondAnswer = string | InputResponse;

/** Claims about what an agent did. Each freezes what its scope has seen until the call. */
export interface ScopedClaims<H extends HandleSet = PassHandles> {
  /** No turn of the scope failed, and the last turn of each session completed. */
  succeeded(): H['claim'];
  /** A tool was called: by name, `toolMatch(...)`, `commandMatch(...)` or `shellMatch(...)`. Default: at least once. */
  calledTool(tool: ToolSelector, options?: CountOptions): H['claim'];
  /** A tool was not called. Unavailable where calls may have been missed. */
  notCalledTool(tool: ToolSelector): H['claim'];
  /** The tools were called in this order, each by a later call; others may lie between. On `t`: within one session. */
  toolOrder(tools: readonly ToolSelector[]): H['claim'];
  /** No tool was called and nothing was delegated. */
  usedNoTools(): H['claim'];
  /** At most so many tool calls, delegations among them. */
  maxToolCalls(most: number): H['claim'];
  /** No tool call and no subagent failed. A refusal is no failure. */
  noFailedActions(): H['claim'];
  /** Something happened: a kind of event, or `eventMatch(...)`. Default: at least once. */
  event(event: EventSelector, options?: CountOptions): H['claim'];
  /** Something did not happen. Unavailable where events may have been missed. */
  notEvent(event: EventSelector): H['claim'];
  /** Things happened in this order, each a later event; others may lie between. On `t`: within one session. */
  eventOrder(events: readonly EventSelector[]): H['claim'];
  /** At most so many input and output tokens; `{cache: true}` adds those of the prompt cache. */
  maxTokens(most: number, options?: MaxTokensOptions): H['claim'];
  /** At most so many US dollars by the price table, whatever the CLI says of its cost. */
  maxCost(mostUSD: number): H['claim'];
  /** At most so many milliseconds in the sends of the scope. */
  maxDuration(mostMs: number): H['claim'];
  /** At most so many turns. */
  maxTurns(most: number): H['claim'];
  /** At most so many requests to the model. Unavailable where nobody counts them. */
  maxRequests(most: number): H['claim'];
}

/** One turn of the agent. */
export interface TurnHandle<H extends HandleSet = PassHandles> extends ScopedClaims<H> {
  readonly status: TurnStatus;
  readonly events: readonly StreamEvent[];
  /** The logical tool calls of the turn. */
  readonly toolCalls: readonly ToolOccurrence[];
  /** The last text of the agent that is not blank, or an empty string. */
  readonly message: string;
  readonly data?: JsonValue;
  readonly usage?: Usage;
  /** How full the model's context was at last. Absent: nobody says. */
  readonly context?: ContextFill;
  /** How completely each channel of the turn was collected. */
  readonly coverage: EvidenceCoverage;
  /** Milliseconds that the agent took. */
  readonly durationMs: number;
  /** Asks a model about this turn: what was said to the agent, and what it answered. */
  readonly judge: BoundJudge<H>;
}

/** One line of conversation with the agent. */
export interface SessionHandle<H extends HandleSet = PassHandles> extends ScopedClaims<H> {
  /** The backend's own id of the conversation, once the agent told it. */
  readonly sessionId: string | undefined;
  /** The last text of the agent in this session that is not blank, or an empty string. */
  readonly reply: string;
  readonly events: readonly StreamEvent[];
  /**
   * Sends a message and waits for the turn. Sends of one Attempt never overlap.
   *
   * @throws AgentSendError when there was no turn to judge; it ends the test as errored unless it is caught.
   */
  send(input: SendInput): Promise<TurnHandle<H>>;
  /** Sends a message with one file, by its path relative to the eval's file. `text` defaults to a pointer to it. */
  sendFile(path: string, text?: string): Promise<TurnHandle<H>>;
  /**
   * Claims that the session waits for an answer to exactly one request that fits, and hands it over. When it does not, the
   * test ends here and the claim decides the verdict. Default: whatever it asks.
   */
  requireInputRequest(filter?: InputRequestFilter): InputRequest;
  /** Answers everything that the waiting turn asked, and waits for what the agent does with it. */
  respond(...answers: readonly RespondAnswer[]): Promise<TurnHandle<H>>;
  /** Answers every open request with the same option, for instance `approve`. */
  respondAll(optionId: string): Promise<TurnHandle<H>>;
}

/** The sandbox, and claims about what the agent changed in its working directory. Paths are relative to it; globs are `*`, `**`, `?`, `{a,b}`. */
export interface SandboxTools<H extends HandleSet = PassHandles> extends Sandbox {
  /** The agent changed this path, or one that the glob fits, in one send that fits all options. */
  fileChanged(path: string, options?: FileChangedOptions): H['file'];
  fileDeleted(path: string): H['file'];
  /** The agent changed exactly these paths, over all sends. */
  changedPaths(paths: readonly string[]): H['file'];
  /** Whatever the agent changed fits one of these paths or globs. */
  onlyChanged(paths: readonly string[]): H['file'];
  /** No path that fits one of these paths or globs was changed, in any send. */
  untouched(paths: readonly string[]): H['file'];
  noChanges(): H['file'];
  /** None of the facts was found that the eval's `integrity` asks for. */
  integrity(): H['file'];
  /** Nothing that the agent added (or removed) fits the expression; names of changed paths count too. */
  notInDiff(expression: RegExp, options?: NotInDiffOptions): H['file'];
  /** At most so many added and removed lines between what the agent was given and what it left. */
  maxChangedLines(most: number): H['file'];
}

/** A remark that stays in the record and changes no verdict. */
export interface DiagnosticInput {
  readonly code: string;
  readonly level: 'warning' | 'error';
  readonly message: string;
  readonly data?: JsonValue;
  /** A later remark with the same key is dropped. Default: none is. */
  readonly dedupeKey?: string;
}

/** How far a test has come, for the people who watch. Not recorded. */
export interface ProgressInput {
  readonly message: string;
  readonly current?: number;
  readonly total?: number;
}

/** What every test is given. Sending, reading and claiming on it concern the main session, claims the whole Attempt. */
export interface AnyTestContext<H extends HandleSet = PassHandles> extends SessionHandle<H> {
  readonly evaluationKind: 'pass' | 'score';
  readonly sandbox: SandboxTools<H>;
  /** The main session; the same as the sending and reading methods here, with claims about it alone. */
  readonly session: SessionHandle<H>;
  /** Aborted when the Attempt's time is up or the run is interrupted. */
  readonly signal: AbortSignal;
  readonly model?: string;
  readonly reasoningEffort?: string;
  readonly flags: { readonly [flag: string]: JsonValue };
  /** What the Attempt consumed until now. */
  readonly usage: Usage;
  /** What the agent did until now, in numbers and lists. */
  readonly o11y: ActivitySummary;
  /** Asks a model about a text. */
  readonly judge: RootJudge<H>;
  /** Opens another conversation, in the same sandbox, that knows nothing of the others. */
  newSession(): SessionHandle<H>;
  /** Claims something of a value. */
  check<T>(value: T, match: ValueMatch<NoInfer<T>>): H['claim'];
  /** Measures a value. */
  check<T>(value: T, match: ScoreMatch<NoInfer<T>>): H['measurement'];
  /** Puts the claims that `body` makes under a title. Groups nest, 16 deep. */
  group(title: string, body: () => Promise<void> | void): Promise<void>;
  /** Ends the test; the Attempt counts as skipped unless something failed before. */
  skip(reason: string): never;
  progress(progress: ProgressInput): void;
  diagnostic(diagnostic: DiagnosticInput): void;
  /** Keeps a remark in the record. */
  log(message: string): void;
}

/** What the test of an eval is given that passes or fails. */
export interface TestContext extends AnyTestContext<PassHandles> {
  readonly evaluationKind: 'pass';
}

/** What the test of an eval is given that gives points. */
export interface ScoreTestContext extends AnyTestContext<ScoreHandles> {
  readonly evaluationKind: 'score';
  /** Gives points that the test worked out itself: a finite number of at least 0. */
  score(points: number): ScoreNamedHandle;
}

/** Points that were given; they can only be named. */
export type ScoreNamedHandle = Pick<ScoreHandles['file'], 'key' | 'label' | 'group'>;
