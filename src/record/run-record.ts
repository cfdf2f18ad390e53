import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { RawSink } from '../agents/agent.js';
import type { AttemptSink, RunSink } from '../run/ports.js';
import type { AttemptResult } from '../run/result.js';
import { keptPathOf } from './kept-path.js';
import { SCHEMA_VERSION } from './schema.js';
import { writeAtomic } from './write-atomic.js';

/**
 * Opens the folder of a run: `run.json` last, and per Attempt `attempts/<id>/` with `raw/` and `blobs/` while it runs
 * and `attempt.json`, `events.jsonl`, `changes.json` and `claims.json` when it has ended.
 *
 * @param folder Must not exist: two runs never share one.
 */
export async function openRunRecord(folder: string): Promise<RunSink> {
  await mkdir(join(folder, '..'), { recursive: true });
  await mkdir(folder);
  await mkdir(join(folder, 'attempts'));
  return {
    async openAttempt(attempt) {
      const own = join(folder, 'attempts', attempt.id);
      await mkdir(join(own, 'raw'), { recursive: true });
      return attemptSink(own);
    },
    seal: (result) => writeAtomic(join(folder, 'run.json'), json({ ...headOf('niceeval.run'), ...result })),
  };
}

function attemptSink(folder: string): AttemptSink {
  return {
    blobFolder: join(folder, 'blobs'),
    openRaw: (name) => Promise.resolve(openRawFile(join(folder, 'raw', basename(name)))),
    async keepFile(path, bytes) {
      const file = join(folder, 'raw/files', keptPathOf(path));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    },
    async seal(result) {
      const { claims, changes, patch, turns, ...facts } = result;
      const lines = turns.flatMap(({ session, turn, events }) => events.map((event) => `${JSON.stringify({ session, turn, event })}\n`));
      await writeAtomic(join(folder, 'events.jsonl'), lines.join(''));
      await writeAtomic(join(folder, 'changes.json'), json({ ...headOf('niceeval.changes'), changes, ...(patch === undefined ? {} : { leftOutOfPatch: patch.leftOut }) }));
      if (patch !== undefined) await writeAtomic(join(folder, 'changes.patch'), patch.text);
      await writeAtomic(join(folder, 'claims.json'), json({ ...headOf('niceeval.claims'), claims }));
      // Last: an Attempt without this file did not end.
      await writeAtomic(join(folder, 'attempt.json'), json({ ...headOf('niceeval.attempt'), ...facts, turns: turns.map(withoutEvents) }));
    },
  };
}

function withoutEvents({ events: _events, ...turn }: AttemptResult['turns'][number]): object {
  return turn;
}

function openRawFile(path: string): RawSink {
  const stream = createWriteStream(path, { flags: 'a' });
  const failed = new Promise<never>((_resolve, reject) => { stream.once('error', reject); });
  failed.catch(() => undefined);
  return {
    write: async (chunk) => {
      if (!stream.write(chunk)) await Promise.race([new Promise<void>((resolve) => { stream.once('drain', () => resolve()); }), failed]);
    },
    close: async () => {
      stream.end();
      await finished(stream);
    },
  };
}

function headOf(format: string): { readonly format: string; readonly schemaVersion: number } {
  return { format, schemaVersion: SCHEMA_VERSION };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
