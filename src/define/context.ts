import type { InputFile, InputResponse } from '../agents/agent.js';
import type { ClaimHandle, FileClaimHandle } from '../assert/claim.js';
import type { FileChangedOptions } from '../assert/file-claims.js';
import type { InputRequestFilter } from '../assert/input-claims.js';
import type { CalledToolOptions, ToolSelector } from '../assert/scoped-claims.js';
import type { InputRequest, StreamEvent } from '../evidence/events.js';
import type { JsonObject, JsonValue } from '../evidence/json.js';
import type { ToolOccurrence } from '../evidence/occurrence.js';
import type { TurnStatus } from '../evidence/turn.js';
import type { Usage } from '../evidence/usage.js';
import type { ValueMatch } from '../expect/match.js';
import type { Sandbox } from '../sandbox/sandbox.js';

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
  /** Sends a message with one file, by its path relative to the eval's file. `text` defaults to a pointer to it. */
  sendFile(path: string, text?: string): Promise<TurnHandle>;
  /**
   * Claims that the session waits for an answer to exactly one request that fits, and hands it over. When it does not, the
   * test ends here and the claim decides the verdict. Default: any request.
   */
  requireInputRequest(filter?: InputRequestFilter): InputRequest;
  /** Answers everything that the waiting turn asked, and waits for what the agent does with it. */
  respond(...answers: readonly RespondAnswer[]): Promise<TurnHandle>;
  /** Answers every open request with the same option, for instance `approve`. */
  respondAll(optionId: string): Promise<TurnHandle>;
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
