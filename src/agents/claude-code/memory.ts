import type { Usage } from '../../evidence/usage.js';
import type { ParsedTurn } from '../transcript.js';
import type { OpenCall } from './operations.js';

/** What a process leaves behind for the next one on the same session. */
export interface ClaudeCodeSessionMemory {
  readonly sessionId?: string;
  /** Session entries that belong to this process or an earlier one. */
  readonly entries: ReadonlySet<string>;
  /** Calls without an end, which a later turn may bring. */
  readonly open: ReadonlyMap<string, OpenCall>;
  /** What the process had used in all when its last result line was printed. */
  readonly processUsage?: Usage;
}

export interface ClaudeCodeParseOptions {
  /** The prompt of this process. The harness tells it as an event itself; here it only says that it is known. */
  readonly prompt?: string;
  /** Tell the prompts that the record states. Only for records that no harness sent. Default: false. */
  readonly emitPrompt?: boolean;
  /** Structured output was asked for, so a success without it is a failure. Default: false. */
  readonly wantsData?: boolean;
  /** Calls (by tool_use id) that a person refused on stdin, which the record names only at its end. Default: none. */
  readonly denied?: ReadonlySet<string>;
  /** `after` of the process before, when this one resumed its session. Without it the record itself must show where the process begins. */
  readonly before?: ClaudeCodeSessionMemory;
  /** The bytes go on with the process that told `before`: its usage goes on too, and so do its line numbers. */
  readonly goesOn?: { readonly lines: number };
  /** More of the same process follows: what only the session has behind the last line is left to it. Default: false. */
  readonly toBeContinued?: boolean;
}

export interface ParsedClaudeCodeTurn extends ParsedTurn {
  /** To be handed to the parser of the next process on this session. */
  readonly after: ClaudeCodeSessionMemory;
}
