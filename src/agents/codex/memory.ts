import type { ParsedTurn } from '../transcript.js';
import type { ConnectionMemory } from './app-server.js';
import type { CodexTokens } from './usage.js';

/** What a process leaves behind for the next one on the same thread. */
export interface CodexThreadMemory {
  /** Cumulative tokens of the thread, as far as stdout told them. */
  readonly tokens?: CodexTokens;
  /** Cumulative tokens of the threads that it started (app-server). */
  readonly childTokens?: CodexTokens;
  /** The thread, for the pieces of a process that do not name it again. */
  readonly threadId?: string;
  /** What the connection said so far (app-server). */
  readonly connection?: ConnectionMemory;
  /** How many processes have worked on the thread. Item ids start anew in each. */
  readonly processes: number;
  /** Turns of the rollouts that are told. */
  readonly turns: ReadonlySet<string>;
}

export interface CodexParseOptions {
  /** The prompt of this process. The harness tells it as an event itself; here it only says that it is known. */
  readonly prompt?: string;
  /** Tell the prompts that the record states. Only for records that no harness sent. Default: false. */
  readonly emitPrompt?: boolean;
  /** The last message is the structured output that was asked for. Default: false. */
  readonly wantsData?: boolean;
  /** The turn has an app-server of its own, whose requests are numbered from 0 again. Default: it goes on with the connection of `before`. */
  readonly ownProcess?: boolean;
  /** `after` of the process before, when this one resumed its thread. */
  readonly before?: CodexThreadMemory;
}

export interface ParsedCodexTurn extends ParsedTurn {
  /** To be handed to the parser of the next process on this thread. */
  readonly after: CodexThreadMemory;
}
