import type { JsonValue } from '../../evidence/json.js';
import { fieldsOf, nameOf, type Fields } from '../fields.js';
import { createJsonLineReader } from '../json-lines.js';
import { createPayloadTrimmer } from './lean-payload.js';
import type { Unrecognised, Witness } from '../transcript.js';

/** One line of a rollout file. Versions before 0.32 had no `payload` around what they record. */
export interface RolloutLine {
  readonly type: string;
  readonly payload: Fields;
  /** The type of the payload. */
  readonly kind: unknown;
  /** The turn that the line says it belongs to. */
  readonly turn: string | undefined;
  /** The root turn that it names beside it. */
  readonly rootTurn: string | undefined;
  readonly line: number;
  readonly at: string | undefined;
  /** Milliseconds; never runs backwards within a file. */
  readonly time: number;
  /** Copied from the thread that this one was forked from: told, and paid for, there. */
  readonly inherited: boolean;
}

/** Whose thread a rollout file holds. `guardian` is the CLI's own reviewer of approvals. */
export type ThreadRole = 'root' | 'subagent' | 'review' | 'guardian';

/** One rollout file. */
export interface RolloutThread {
  readonly path: string;
  readonly id: string;
  readonly sessionId: string;
  readonly parentId?: string;
  readonly role: ThreadRole;
  readonly cliVersion?: string;
  readonly lines: readonly RolloutLine[];
}

/** The rollout files of a run and the lines that could not be read. */
export interface Rollouts {
  readonly threads: readonly RolloutThread[];
  readonly understood: number;
  readonly unreadable: readonly Unrecognised[];
  /** Lines of a kind that this parser does not know. */
  readonly unknown: readonly Unrecognised[];
}

const TYPES: ReadonlySet<string> = new Set(['session_meta', 'turn_context', 'event_msg', 'token_usage_record', 'response_item', 'compacted']);

/** Snapshots and notes that no event, status or usage comes from; they are most of a rollout's bytes. */
const SILENT: ReadonlySet<string> = new Set(['world_state', 'inter_agent_communication_metadata', 'retained_context', 'session_state']);

/** Before 0.32 the model's history lay bare in the file, without type and payload around each entry. */
const BARE: ReadonlySet<string> = new Set(['message', 'reasoning', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output', 'local_shell_call']);

export function readRollouts(witnesses: readonly Witness[]): Rollouts {
  const threads: RolloutThread[] = [];
  const unreadable: Unrecognised[] = [];
  const unknown: Unrecognised[] = [];
  let understood = 0;
  for (const [index, witness] of witnesses.entries()) {
    if (witness.kind !== 'rollout') continue;
    const path = witness.path ?? `rollout-${index}.jsonl`;
    const lines: RolloutLine[] = [];
    let meta: Fields | undefined;
    let clock = 0;
    const trimmer = createPayloadTrimmer();
    const spoiled = (line: number, why: string): void => { unreadable.push({ source: path, line, why }); };
    const take = (value: JsonValue, number: number): void => {
      const record = fieldsOf(value);
      const bare = record === undefined ? undefined : bareTypeOf(record);
      const type = bare ?? nameOf(record?.['type']);
      if (record === undefined || type === undefined) return spoiled(number, 'JSON, but not an object with a type');
      if (SILENT.has(type)) {
        understood += 1;
        return;
      }
      if (!TYPES.has(type)) {
        unknown.push({ source: path, line: number, why: `unknown rollout line ${JSON.stringify(type)}` });
        return;
      }
      understood += 1;
      const payload = bare === undefined ? fieldsOf(record['payload']) ?? record : record;
      // A forked or replayed thread repeats the head of another; the first head is the file's own.
      if (type === 'session_meta') meta ??= payload;
      const at = nameOf(record['timestamp']);
      const stamp = at === undefined ? Number.NaN : Date.parse(at);
      if (stamp > clock) clock = stamp;
      const turn = nameOf(payload['turn_id']) ?? nameOf(fieldsOf(payload['internal_chat_message_metadata_passthrough'])?.['turn_id']);
      lines.push({ type, payload: trimmer.lean(type, payload), kind: payload['type'], turn, rootTurn: nameOf(payload['root_turn_id']), line: number, time: clock, at: Number.isNaN(stamp) ? undefined : at, inherited: false });
    };
    const reader = createJsonLineReader({ value: take, unreadable: spoiled });
    reader.push(witness.bytes);
    reader.end();
    if (lines.length > 0) threads.push(threadOf(path, meta, withInherited(lines)));
  }
  return { threads, understood, unreadable, unknown };
}

function bareTypeOf(record: Fields): string | undefined {
  if (record['record_type'] === 'state') return 'session_state';
  if (record['payload'] !== undefined) return undefined;
  if (BARE.has(nameOf(record['type']) ?? '')) return 'response_item';
  return record['type'] === undefined && nameOf(record['id']) !== undefined && nameOf(record['timestamp']) !== undefined ? 'session_meta' : undefined;
}

function threadOf(path: string, meta: Fields | undefined, lines: readonly RolloutLine[]): RolloutThread {
  // The file's name ends with the id of its thread.
  const id = nameOf(meta?.['id']) ?? /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(path)?.[1] ?? path;
  const parentId = nameOf(meta?.['parent_thread_id']);
  const cliVersion = nameOf(meta?.['cli_version']);
  return {
    path, id, lines,
    sessionId: nameOf(meta?.['session_id']) ?? id,
    role: roleOf(meta?.['source']),
    ...(parentId === undefined ? {} : { parentId }),
    ...(cliVersion === undefined ? {} : { cliVersion }),
  };
}

function roleOf(source: unknown): ThreadRole {
  const subagent = fieldsOf(source)?.['subagent'];
  if (subagent === undefined) return 'root';
  if (subagent === 'review') return 'review';
  return nameOf(fieldsOf(subagent)?.['other']) === 'guardian' ? 'guardian' : 'subagent';
}

// Seconds between a turn's own start and the line that records it; a copied turn started long before the copy was made.
const LONGEST_DELAY_MS = 60_000;

/** Marks what a forked thread copied from its parent: everything from the parent's head up to the first turn of its own. */
function withInherited(lines: readonly RolloutLine[]): readonly RolloutLine[] {
  const heads = lines.filter(({ type }) => type === 'session_meta').length;
  if (heads < 2) return lines;
  const own = lines.findIndex(({ payload, kind, time }) => {
    const startedAt = payload['started_at'];
    return kind === 'task_started' && typeof startedAt === 'number' && Math.abs(time - startedAt * 1000) < LONGEST_DELAY_MS;
  });
  return own === -1 ? lines : lines.map((line, index) => (index < own ? { ...line, inherited: true } : line));
}
