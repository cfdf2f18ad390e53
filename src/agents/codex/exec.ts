import type { JsonValue } from '../../evidence/json.js';
import { fieldsOf, nameOf, textOf } from '../fields.js';
import { createJsonLineReader } from '../json-lines.js';
import type { TranscriptNotes } from '../transcript.js';
import { createEnvelopeTeller } from './envelope.js';
import type { LiveReader } from './live.js';
import { openOf } from './rollout-state.js';
import { createExecTeller } from './teller.js';
import { parseTokens, type CodexTokens } from './usage.js';

export interface ExecOptions {
  /** Makes the CLI's per-process item id unique within the session. */
  readonly idOf: (native: string) => string;
  readonly emitPrompt: boolean;
}

/** Reads what one process printed with `exec --json`, in its present form or in the envelopes of old. */
export function createExecReader(notes: TranscriptNotes, { idOf, emitPrompt }: ExecOptions): LiveReader {
  const teller = createExecTeller(notes, idOf);
  const envelopes = createEnvelopeTeller(notes, emitPrompt);
  let old = false;
  let unreadableLines = 0;
  let given = false;
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
    if (record !== undefined && type === undefined && envelopes.tell(record, line)) {
      old = true;
      spoke = true;
      notes.understood();
      return;
    }
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

  const lines = createJsonLineReader({ value: take, unreadable });

  return {
    push(bytes) {
      given = true;
      lines.push(bytes);
    },
    get events() { return old ? envelopes.state.events : teller.events; },
    end() {
      lines.end();
      const { state } = envelopes;
      const common = { surface: 'exec', given, spoke, threadId, httpStatus: undefined, errorClass: undefined, childTokens: undefined, unreadableLines } as const;
      if (old) {
        const { seen } = state;
        return {
          ...common, events: state.events, open: openOf(state), model: seen.model, completed: seen.completed, interrupted: seen.interrupted,
          failure: seen.completed ? undefined : seen.failure, asking: envelopes.asking, promptStated: seen.promptStated, tokens: envelopes.tokens, turns: envelopes.turns,
          retries: envelopes.retries, searchedWeb: false, lastMessage: seen.lastMessage, unknownTools: [], unknownPieces: seen.unknownPieces + teller.seen.unknownPieces,
        };
      }
      const { seen } = teller;
      return {
        ...common, events: teller.events, open: teller.open, model: undefined, completed, interrupted: false, failure, asking: false, promptStated: false, tokens, turns,
        retries: seen.retries, searchedWeb: seen.searchedWeb, lastMessage: seen.lastMessage, unknownTools: [], unknownPieces: seen.unknownPieces,
      };
    },
  };
}
