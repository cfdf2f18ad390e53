import type { StreamEvent } from '../../evidence/events.js';
import type { JsonValue } from '../../evidence/json.js';
import { fieldsOf, nameOf, textOf } from '../fields.js';
import { readJsonLine } from '../json-line.js';
import { createLineReader } from '../line-reader.js';
import type { TranscriptNotes } from '../transcript.js';
import { createExecTeller } from './teller.js';
import { parseTokens, type CodexTokens } from './usage.js';

/** What one process printed with `exec --json`. */
export interface ExecRecord {
  readonly events: readonly StreamEvent[];
  readonly open: ReadonlySet<string>;
  /** Anything was read from stdout. */
  readonly spoke: boolean;
  readonly threadId: string | undefined;
  readonly completed: boolean;
  readonly failure: string | undefined;
  /** Cumulative tokens of the thread. */
  readonly tokens: CodexTokens | undefined;
  readonly turns: number;
  readonly retries: number;
  readonly searchedWeb: boolean;
  readonly lastMessage: string | undefined;
  readonly unknownPieces: number;
  readonly unreadableLines: number;
}

export interface ExecReader {
  push(bytes: Uint8Array): void;
  readonly events: readonly StreamEvent[];
  end(): ExecRecord;
}

/** @param idOf Makes the CLI's per-process item id unique within the session. */
export function createExecReader(notes: TranscriptNotes, idOf: (native: string) => string): ExecReader {
  const teller = createExecTeller(notes, idOf);
  let unreadableLines = 0;
  let spoke = false;
  let threadId: string | undefined;
  let completed = false;
  let failure: string | undefined;
  let tokens: CodexTokens | undefined;
  let turns = 0;

  const unreadable = (line: number, why: string): void => {
    unreadableLines += 1;
    notes.unrecognised('stdout', line, why);
  };

  const take = (value: JsonValue, line: number): void => {
    const record = fieldsOf(value);
    const type = textOf(record?.['type']);
    if (record === undefined || type === undefined) return unreadable(line, 'JSON, but not an object with a type');
    const known = takeKnown(record, type, line);
    if (known) {
      spoke = true;
      notes.understood();
      return;
    }
    teller.seen.unknownPieces += 1;
    notes.unrecognised('stdout', line, `unknown type ${JSON.stringify(type)}`);
  };

  const takeKnown = (record: { readonly [key: string]: unknown }, type: string, line: number): boolean => {
    switch (type) {
      case 'thread.started':
        threadId = nameOf(record['thread_id']) ?? threadId;
        return true;
      case 'turn.started':
        turns += 1;
        completed = false;
        failure = undefined;
        return true;
      case 'turn.completed':
        completed = true;
        failure = undefined;
        tokens = parseTokens(fieldsOf(record['usage'])) ?? tokens;
        teller.recovered();
        return true;
      case 'turn.failed':
        completed = false;
        failure = textOf(fieldsOf(record['error'])?.['message']) ?? 'the turn failed without a message';
        teller.failure(failure);
        return true;
      case 'error':
        teller.notice(textOf(record['message']) ?? 'an error without a message');
        return true;
      case 'item.started': case 'item.updated': case 'item.completed': {
        const item = fieldsOf(record['item']);
        if (item === undefined) unreadable(line, `${type} without an item`);
        else teller.item(type.slice('item.'.length) as 'started' | 'updated' | 'completed', item, line);
        return true;
      }
      default: return false;
    }
  };

  const lines = createLineReader(
    ({ number, text, terminated }) => readJsonLine(text, (value) => take(value, number), (why) => unreadable(number, terminated ? why : `cut: ${why}`)),
    (number) => unreadable(number, 'longer than a string can be'),
  );

  return {
    push: (bytes) => lines.push(bytes),
    events: teller.events,
    end() {
      lines.end();
      const { events, open, seen } = teller;
      return {
        events, open, spoke, threadId, completed, failure, tokens, turns, unreadableLines,
        retries: seen.retries, searchedWeb: seen.searchedWeb, lastMessage: seen.lastMessage, unknownPieces: seen.unknownPieces,
      };
    },
  };
}
