import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StreamEvent } from '../evidence/events.js';
import type { RecordedAttempt } from '../run/regrade.js';
import type { AttemptResult, TurnRecord } from '../run/result.js';
import { readAttempt, resultOf, type AttemptRecord } from './read-attempt.js';

/** What of an Attempt can be judged again, or why it cannot be read. */
export type ReadForJudging =
  | { readonly state: 'read'; readonly recorded: RecordedAttempt; readonly folder: string }
  | { readonly state: 'unreadable'; readonly problem: string };

/** What is not what its name says, for instance since a secret was replaced in it, is as good as not kept: a claim about it would be about something else. */
async function contentOf(folder: string, sha256: string): Promise<Uint8Array | undefined> {
  if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
  const bytes = await readFile(join(folder, 'blobs', sha256)).catch(() => undefined);
  return bytes !== undefined && createHash('sha256').update(bytes).digest('hex') === sha256 ? bytes : undefined;
}

async function patchOf(record: AttemptRecord): Promise<Pick<AttemptResult, 'patch'>> {
  const [text, changes] = await Promise.all([record.patch(), record.changes()]);
  return text.state === 'read' ? { patch: { text: text.value, // A record may know reasons that this version does not: they are only shown.
    leftOut: (changes.state === 'read' ? changes.value.leftOutOfPatch ?? [] : []) as NonNullable<AttemptResult['patch']>['leftOut'] } } : {};
}

/** Reads an Attempt with its events. One bad line makes it unreadable: what is missing would be read as if it had not happened. */
export async function readForJudging(folder: string): Promise<ReadForJudging> {
  const record = await readAttempt(folder);
  if (record.state !== 'complete') return { state: 'unreadable', problem: 'it has no end' };
  const read = await resultOf(record);
  const problem = record.problems[0] ?? read?.problems[0];
  if (read === undefined || problem !== undefined) return { state: 'unreadable', problem: problem ?? 'its attempt.json cannot be read' };
  const events = new Map<string, StreamEvent[]>();
  for await (const line of record.events()) {
    if (line.problem !== undefined) return { state: 'unreadable', problem: line.problem };
    const key = `${line.session}/${line.turn}`;
    const known = events.get(key) ?? [];
    known.push(line.event);
    events.set(key, known);
  }
  const turns: readonly TurnRecord[] = read.result.turns.map((turn) => ({ ...turn, events: events.get(`${turn.session}/${turn.turn}`) ?? [] }));
  return {
    state: 'read',
    folder,
    recorded: {
      result: { ...read.result, ...await patchOf(record) },
      turns,
      content: (sha256) => contentOf(folder, sha256),
    },
  };
}
