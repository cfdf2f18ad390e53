import { fieldsOf, nameOf, type Fields } from '../fields.js';
import { readJsonLine } from '../json-line.js';
import { createJsonLineReader } from '../json-lines.js';
import type { Unrecognised, Witness } from '../transcript.js';
import { parentsOf, type AgentFile } from './agent-parents.js';

/** One line of a session file or of a subagent's file beside it. */
export interface SessionEntry {
  readonly record: Fields;
  readonly source: string;
  readonly line: number;
  readonly uuid: string | undefined;
  readonly at: string | undefined;
  /** The operation that the entry happened inside: the call that started its subagent. */
  readonly parent: string | undefined;
}

/** Everything that the CLI wrote under `~/.claude/projects`, as one sequence. */
export interface SessionRecord {
  readonly entries: readonly SessionEntry[];
  readonly indexByUuid: ReadonlyMap<string, number>;
  /** How many conversations the main files hold; more than one when a whole project folder was collected. */
  readonly mainFiles: number;
  readonly agentIds: ReadonlySet<string>;
  /** Long tool outputs, by the name of their file. */
  readonly spills: ReadonlyMap<string, string>;
  readonly unreadable: readonly Unrecognised[];
}

/** Stands for session files that nobody collected. */
export const NO_SESSION: SessionRecord = { entries: [], indexByUuid: new Map(), mainFiles: 0, agentIds: new Set(), spills: new Map(), unreadable: [] };

interface Timed extends SessionEntry { readonly time: number; readonly rank: number }

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
      const file: AgentFile = { path, name: name.replace(/\.jsonl$/, ''), entries: [] };
      const spoiled = (line: number, why: string): void => { unreadable.push({ source: path, line, why }); };
      const lines = createJsonLineReader({
        value: (value, line) => {
          const record = fieldsOf(value);
          if (typeof record?.['type'] !== 'string') spoiled(line, 'JSON, but not an object with a type');
          else file.entries.push({ record, line });
        },
        unreadable: spoiled,
      });
      lines.push(witness.bytes);
      lines.end();
      files.push(file);
    }
  }
  return { ...weaveFiles(files, metas), spills, unreadable };
}

function weaveFiles(files: readonly AgentFile[], metas: ReadonlyMap<string, Fields>): Omit<SessionRecord, 'spills' | 'unreadable'> {
  const { parentOf, depthOf, agentIdOf, endsAgent } = parentsOf(files, metas);
  const timed: Timed[] = [];
  const ordered = [...files].sort((a, b) => depthOf(a) - depthOf(b));
  for (const file of ordered) {
    const depth = depthOf(file);
    let clock = 0;
    const times = new Map<string, number>();
    for (const { record, line } of file.entries) {
      const at = nameOf(record['timestamp']);
      const uuid = nameOf(record['uuid']);
      const parent = parentOf(file, record);
      const stamp = at === undefined ? Number.NaN : Date.parse(at);
      const above = times.get(nameOf(record['parentUuid']) ?? '') ?? 0;
      const time = Number.isNaN(stamp) ? clock : Math.max(stamp, above);
      clock = Math.max(clock, time);
      if (uuid !== undefined) times.set(uuid, time);
      timed.push({
        record, source: file.path, line, time,
        // At the same millisecond a subagent's last words come before the result that reports them.
        rank: endsAgent(record) ? depth + 1.5 : depth,
        uuid, parent,
        at: Number.isNaN(stamp) ? undefined : at,
      });
    }
  }
  timed.sort((a, b) => a.time - b.time || a.rank - b.rank);
  const indexByUuid = new Map<string, number>();
  const entries: SessionEntry[] = [];
  for (const entry of timed) {
    // A forked or resumed session repeats entries of the one before.
    if (entry.uuid !== undefined && indexByUuid.has(entry.uuid)) continue;
    if (entry.uuid !== undefined) indexByUuid.set(entry.uuid, entries.length);
    entries.push(entry);
  }
  const agentIds = new Set(files.flatMap((file) => agentIdOf(file) ?? []));
  return { entries, indexByUuid, agentIds, mainFiles: files.filter((file) => agentIdOf(file) === undefined).length };
}
