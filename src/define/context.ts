import type { ClaimHandle, FileClaimHandle } from '../assert/claim.js';
import type { FileChangedOptions } from '../assert/file-claims.js';
import type { CalledToolOptions, ToolSelector } from '../assert/scoped-claims.js';
import type { StreamEvent } from '../evidence/events.js';
import type { JsonValue } from '../evidence/json.js';
import type { ToolOccurrence } from '../evidence/occurrence.js';
import type { TurnStatus } from '../evidence/turn.js';
import type { Usage } from '../evidence/usage.js';
import type { ValueMatch } from '../expect/match.js';
import type { Sandbox } from '../sandbox/sandbox.js';

/** What a message to the agent may be. */
export type SendInput = string | { readonly text: string };

/** Claims about what an agent did. Each freezes what its scope has seen until the call. */
export interface ScopedClaims {
  /** No turn of the scope failed, and the last turn of each session completed. */
  succeeded(): ClaimHandle;
  /** A tool was called: by name, `toolMatch(...)` or `commandMatch(...)`. Default: at least once. */
  calledTool(tool: ToolSelector, options?: CalledToolOptions): ClaimHandle;
  /** A tool was not called. Unavailable where calls may have been missed. */
  notCalledTool(tool: ToolSelector): ClaimHandle;
}

/** One turn of the agent. */
export interface TurnHandle extends ScopedClaims {
  readonly status: TurnStatus;
  readonly events: readonly StreamEvent[];
  /** The logical tool calls of the turn. */
  readonly toolCalls: readonly ToolOccurrence[];
  /** The last text of the agent that is not blank, or an empty string. */
  readonly message: string;
  readonly data?: JsonValue;
  readonly usage?: Usage;
}

/** One line of conversation with the agent. */
export interface SessionHandle extends ScopedClaims {
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
  send(input: SendInput): Promise<TurnHandle>;
}

/** The sandbox, and claims about what the agent changed in its working directory. */
export interface SandboxTools extends Sandbox {
  /** The agent changed this path, relative to the working directory, in one send that fits all options. */
  fileChanged(path: string, options?: FileChangedOptions): FileClaimHandle;
  fileDeleted(path: string): FileClaimHandle;
  /** The agent changed exactly these paths, over all sends. */
  changedPaths(paths: readonly string[]): FileClaimHandle;
  noChanges(): FileClaimHandle;
}

/** What a test is given. Sending, reading and claiming on it concern the main session, claims the whole Attempt. */
export interface TestContext extends SessionHandle {
  readonly sandbox: SandboxTools;
  /** Aborted when the Attempt's time is up or the run is interrupted. */
  readonly signal: AbortSignal;
  readonly model?: string;
  readonly reasoningEffort?: string;
  readonly flags: { readonly [flag: string]: JsonValue };
  /** What the Attempt consumed until now. */
  readonly usage: Usage;
  /** Opens another conversation, in the same sandbox, that knows nothing of the others. */
  newSession(): SessionHandle;
  /** Claims something of a value. */
  check(value: unknown, match: ValueMatch): ClaimHandle;
  /** Ends the test; the Attempt counts as skipped unless something failed before. */
  skip(reason: string): never;
  /** Keeps a remark in the record. */
  log(message: string): void;
}
