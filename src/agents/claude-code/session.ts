import { fieldsOf, nameOf, type Fields } from '../fields.js';
import { readJsonLine } from '../json-line.js';
import { createJsonLineReader } from '../json-lines.js';
import type { Unrecognised, Witness } from '../transcript.js';
import { leanAccountOf } from './tell-result.js';
import { parentsOf, type AgentFile, type AgentParents, type PlacedEntry } from './agent-parents.js';

/** One line of a session file or of a subagent's file beside it. */
export interface SessionEntry {
  readonly record: Fields;
  readonly source: string;
  readonly line: number;
  readonly uuid: string | undefined;
  readonly at: string | undefined;
  /** The operation that the entry happened inside: the call that started its subagent. */
  readonly parent: string | undefined;
  /** Its place among the entries of the record. */
  readonly index: number;
}

/** Everything that the CLI wrote under `~/.claude/projects`, as one sequence. */
export interface SessionRecord {
  readonly entries: readonly SessionEntry[];
  readonly byUuid: ReadonlyMap<string, SessionEntry>;
  /** How many conversations the main files hold; more than one when a whole project folder was collected. */
  readonly mainFiles: number;
  readonly agentIds: ReadonlySet<string>;
  /** Long tool outputs, by the name of their file. */
  readonly spills: ReadonlyMap<string, string>;
  readonly unreadable: readonly Unrecognised[];
}

/** Stands for session files that nobody collected. */
export const NO_SESSION: SessionRecord = { entries: [], byUuid: new Map(), mainFiles: 0, agentIds: new Set(), spills: new Map(), unreadable: [] };

/**
 * Reads the session files of a run and orders their entries by time. The lines of a file are not quite in order: the CLI
 * writes retries late (claude-code 2.1.197; fixtures/agents/claude-code/2.1.197/hooks-precompact), and stamps
 * attachments and summaries a little before the entry they hang on, which therefore holds them back.
 */
export function readSession(witnesses: readonly Witness[]): SessionRecord {
  const files: AgentFile[] = [];
  const metas = new Map<string, Fields>();
  const spills = new Map<string, string>();
  const unreadable: Unrecognised[] = [];
  for (const [index, witness] of witnesses.entries()) {
    if (witness.kind !== 'session') continue;
    const path = witness.path ?? `session-${index}.jsonl`;
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (path.includes('/tool-results/') || path.startsWith('tool-results/')) {
      spills.set(name, Buffer.from(witness.bytes).toString('utf8'));
    } else if (name.endsWith('.meta.json')) {
      readJsonLine(Buffer.from(witness.bytes).toString('utf8'), (value) => metas.set(name.slice(0, -'.meta.json'.length), fieldsOf(value) ?? {}), () => undefined);
    } else {
      const entries: PlacedEntry[] = [];
      const spoiled = (line: number, why: string): void => { unreadable.push({ source: path, line, why }); };
      const lines = createJsonLineReader({
        value: (value, line) => {
          const record = fieldsOf(value);
          if (typeof record?.['type'] !== 'string') spoiled(line, 'JSON, but not an object with a type');
          else entries.push({ record: withoutCopies(record), source: path, line, uuid: nameOf(record['uuid']), at: undefined, parent: undefined, time: 0, rank: 0, index: UNPLACED });
        },
        unreadable: spoiled,
      });
      lines.push(witness.bytes);
      lines.end();
      files.push({ path, name: name.replace(/\.jsonl$/, ''), entries });
    }
  }
  return { ...placeEntries(files, metas), spills, unreadable };
}

const UNPLACED = -1;

/** The record without what it says twice: the client's account of a tool result repeats the output, often several times. */
function withoutCopies(record: Fields): Fields {
  const account = fieldsOf(record['toolUseResult']);
  if (account !== undefined) (record as { toolUseResult: unknown }).toolUseResult = leanAccountOf(account);
  return record;
}

function placeEntries(files: readonly AgentFile[], metas: ReadonlyMap<string, Fields>): Omit<SessionRecord, 'spills' | 'unreadable'> {
  const parents = parentsOf(files, metas);
  const byUuid = new Map<string, PlacedEntry>();
  const all: PlacedEntry[] = [];
  for (const file of [...files].sort((a, b) => parents.depthOf(a) - parents.depthOf(b))) {
    stampEntries(file, parents, byUuid);
    for (const entry of file.entries) all.push(entry);
  }
  all.sort((a, b) => a.time - b.time || a.rank - b.rank);
  const entries: PlacedEntry[] = [];
  for (const entry of all) {
    if (entry.uuid !== undefined) {
      // A forked or resumed session repeats entries of the one before.
      const twin = byUuid.get(entry.uuid);
      if (twin !== undefined && twin.index !== UNPLACED) continue;
      if (twin !== entry) byUuid.set(entry.uuid, entry);
    }
    entry.index = entries.length;
    entries.push(entry);
  }
  const agentIds = new Set(files.flatMap((file) => parents.agentIdOf(file) ?? []));
  return { entries, byUuid, agentIds, mainFiles: files.filter((file) => parents.agentIdOf(file) === undefined).length };
}

/** Finds out when each entry of a file happened, and inside which call. */
function stampEntries(file: AgentFile, { depthOf, parentOf, endsAgent }: AgentParents, byUuid: Map<string, PlacedEntry>): void {
  const depth = depthOf(file);
  let clock = 0;
  for (const entry of file.entries) {
    const { record, uuid } = entry;
    const at = nameOf(record['timestamp']);
    const stamp = at === undefined ? Number.NaN : Date.parse(at);
    if (stamp >= clock) entry.time = stamp;
    else entry.time = Number.isNaN(stamp) ? clock : Math.max(stamp, byUuid.get(nameOf(record['parentUuid']) ?? '')?.time ?? 0);
    clock = Math.max(clock, entry.time);
    if (uuid !== undefined) byUuid.set(uuid, entry);
    if (!Number.isNaN(stamp)) entry.at = at;
    entry.parent = parentOf(file, record);
    // At the same millisecond a subagent's last words come before the result that reports them.
    entry.rank = endsAgent(record) ? depth + 1.5 : depth;
  }
}
