import type { StreamEvent } from '../../evidence/events.js';
import type { JsonValue } from '../../evidence/json.js';
import { fieldsOf, nameOf, textOf, type Fields } from '../fields.js';
import { createJsonLineReader } from '../json-lines.js';
import type { TranscriptNotes } from '../transcript.js';
import { createEnvelopeTeller, type EnvelopeTeller } from './envelope.js';
import { createLiveRecord, type LiveReader, type LiveRecord } from './live.js';
import { openOf } from './rollout-state.js';
import { createExecTeller } from './teller.js';
import { parseTokens } from './usage.js';

const NOT_A_RECORD = 'JSON, but not an object with a type';

export interface ExecOptions {
  /** Makes the CLI's per-process item id unique within the session. */
  readonly idOf: (native: string) => string;
  readonly emitPrompt: boolean;
}

/** Reads what one process printed with `exec --json`, in its present form or in the envelopes of old. */
export function createExecReader(notes: TranscriptNotes, { idOf, emitPrompt }: ExecOptions): LiveReader {
  const events: StreamEvent[] = [];
  const teller = createExecTeller(notes, { events, idOf });
  const live = createLiveRecord('exec', { events, open: teller.open });
  /** Only an old version needs it. */
  let envelopes: EnvelopeTeller | undefined;
  let old = false;

  const unreadable = (line: number, why: string): void => {
    live.unreadableLines += 1;
    notes.unrecognised('stdout', line, why);
  };

  const take = (value: JsonValue, line: number): void => {
    const record = fieldsOf(value);
    if (record === undefined) return unreadable(line, NOT_A_RECORD);
    const type = textOf(record['type']);
    if (type === undefined) {
      envelopes ??= createEnvelopeTeller(notes, { events, emitPrompt });
      if (!envelopes.tell(record, line)) return unreadable(line, NOT_A_RECORD);
      old = true;
    } else if (!takeKnown(record, type, line)) {
      teller.seen.unknownPieces += 1;
      return notes.unrecognised('stdout', line, `unknown type ${JSON.stringify(type)}`);
    }
    live.spoke = true;
    notes.understood();
  };

  const takeKnown = (record: Fields, type: string, line: number): boolean => {
    switch (type) {
      case 'item.started': return takeItem('started', record, line);
      case 'item.updated': return takeItem('updated', record, line);
      case 'item.completed': return takeItem('completed', record, line);
      case 'thread.started':
        live.threadId = nameOf(record['thread_id']) ?? live.threadId;
        return true;
      case 'turn.started':
        live.turns += 1;
        live.completed = false;
        live.failure = undefined;
        return true;
      case 'turn.completed':
        live.completed = true;
        live.failure = undefined;
        live.tokens = parseTokens(fieldsOf(record['usage'])) ?? live.tokens;
        teller.recovered();
        return true;
      case 'turn.failed':
        live.completed = false;
        live.failure = textOf(fieldsOf(record['error'])?.['message']) ?? 'the turn failed without a message';
        teller.failure(live.failure);
        return true;
      case 'error':
        teller.notice(textOf(record['message']) ?? 'an error without a message');
        return true;
      default: return false;
    }
  };

  const takeItem = (phase: 'started' | 'updated' | 'completed', record: Fields, line: number): true => {
    const item = fieldsOf(record['item']);
    if (item === undefined) unreadable(line, `item.${phase} without an item`);
    else teller.item(phase, item, line);
    return true;
  };

  const lines = createJsonLineReader({ value: take, unreadable });

  return {
    push(bytes) {
      live.given = true;
      lines.push(bytes);
    },
    events,
    end() {
      lines.end();
      const { seen } = teller;
      live.retries = seen.retries;
      live.searchedWeb = seen.searchedWeb;
      live.lastMessage = seen.lastMessage;
      live.unknownPieces = seen.unknownPieces;
      return envelopes !== undefined && old ? withEnvelopes(live, envelopes) : live;
    },
  };
}

function withEnvelopes(live: LiveRecord, { state, state: { seen }, asking, tokens, turns, retries }: EnvelopeTeller): LiveRecord {
  return {
    ...live, asking, tokens, turns, retries,
    open: openOf(state), model: seen.model, completed: seen.completed, interrupted: seen.interrupted, failure: seen.completed ? undefined : seen.failure,
    promptStated: seen.promptStated, searchedWeb: false, lastMessage: seen.lastMessage, unknownPieces: seen.unknownPieces + live.unknownPieces,
  };
}
