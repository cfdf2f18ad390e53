import type { StreamEvent } from '../../evidence/events.js';
import type { ConnectionMemory } from './app-server.js';
import type { CodexTokens } from './usage.js';

/** What one process said while it ran: `exec --json`, the older envelopes, or app-server notifications. */
export interface LiveRecord {
  readonly surface: 'exec' | 'app-server';
  readonly events: readonly StreamEvent[];
  readonly open: ReadonlySet<string>;
  /** Stdout was there, if only to be silent. */
  readonly given: boolean;
  /** Anything was understood. */
  readonly spoke: boolean;
  readonly threadId: string | undefined;
  readonly model: string | undefined;
  readonly completed: boolean;
  readonly interrupted: boolean;
  readonly failure: string | undefined;
  readonly errorClass: string | undefined;
  readonly httpStatus: number | undefined;
  /** A question or an approval stands unanswered. */
  readonly asking: boolean;
  readonly promptStated: boolean;
  /** Cumulative tokens of the root thread. */
  readonly tokens: CodexTokens | undefined;
  /** Tokens of other threads, which the root's total leaves out. */
  readonly childTokens: CodexTokens | undefined;
  /** For the next turn on the same connection (app-server). */
  readonly connection?: ConnectionMemory;
  readonly turns: number;
  readonly retries: number;
  readonly searchedWeb: boolean;
  readonly lastMessage: string | undefined;
  readonly unknownTools: readonly string[];
  readonly unknownPieces: number;
  readonly unreadableLines: number;
}

/** Creates the record of a process that has said nothing yet. Written in one piece: V8 is slow at objects of this size that are spread together. */
export function createLiveRecord(surface: LiveRecord['surface'], { events, open }: Pick<LiveRecord, 'events' | 'open'>): { -readonly [K in keyof LiveRecord]: LiveRecord[K] } {
  return {
    surface, events, open, given: false, spoke: false, threadId: undefined, model: undefined, completed: false, interrupted: false, failure: undefined,
    errorClass: undefined, httpStatus: undefined, asking: false, promptStated: false, tokens: undefined, childTokens: undefined, turns: 0, retries: 0,
    searchedWeb: false, lastMessage: undefined, unknownTools: [], unknownPieces: 0, unreadableLines: 0,
  };
}

/** Reads a live record piece by piece. */
export interface LiveReader {
  push(bytes: Uint8Array): void;
  readonly events: readonly StreamEvent[];
  end(): LiveRecord;
}
