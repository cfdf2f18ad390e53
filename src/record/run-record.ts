import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RawSink } from '../agents/agent.js';
import type { AttemptSink, RunBeginning, RunSink } from '../run/ports.js';
import type { AttemptResult } from '../run/result.js';
import { keptPathOf } from './kept-path.js';
import { openRawWriter } from './raw-writer.js';
import { MARKER, SCHEMA_VERSIONS } from './schema.js';
import { createSecretBoundary, type SecretBoundary } from './secret-boundary.js';
import { writeAtomic, writeMarker } from './write-atomic.js';

const compressed = promisify(gzip);

/**
 * Opens the folder of a run: `run.json` with the plan, later with what it came to; per Attempt `attempts/<id>/` with `raw/` and
 * `blobs/` while it runs and `attempt.json`, `events.jsonl`, `changes.json`, `claims.json` and `trace.jsonl` when it has ended. An empty file
 * `complete`, written last, says that a folder is whole.
 *
 * @param folder Must not exist: two runs never share one.
 */
export async function openRunRecord(folder: string): Promise<RunSink> {
  await mkdir(join(folder, '..'), { recursive: true });
  await mkdir(folder);
  await mkdir(join(folder, 'attempts'));
  const secrets = new Set<string>();
  let planned: RunBeginning['attempts'] = [];
  const writeRun = (value: object): Promise<void> => writeAtomic(join(folder, 'run.json'), json({ ...headOf('run'), ...createSecretBoundary([...secrets]).value(value) }), { durable: 'name' });
  return {
    async begin({ runId, sandbox, startedAt, attempts, reused = [], regradedFrom }) {
      planned = attempts.map(({ id, evalId, experimentId, index }) => ({ id, evalId, experimentId, index }));
      await writeRun({ state: 'running', runId, sandbox, startedAt, planned, reused, ...(regradedFrom === undefined ? {} : { regradedFrom }) });
    },
    async openAttempt(attempt) {
      const own = join(folder, 'attempts', attempt.id);
      await mkdir(join(own, 'raw'), { recursive: true });
      const ownSecrets = attempt.experiment.agent.sensitiveValues ?? [];
      for (const secret of ownSecrets) secrets.add(secret);
      return attemptSink(own, createSecretBoundary(ownSecrets));
    },
    async seal(result) {
      await writeRun({ state: 'ended', sealedBy: 'marker', ...result, planned });
      await writeMarker(join(folder, MARKER), { durable: true });
    },
  };
}

function attemptSink(folder: string, boundary: SecretBoundary): AttemptSink {
  const openNames = new Set<string>();
  return {
    blobFolder: join(folder, 'blobs'),
    openRaw: (name) => Promise.resolve(openRaw(folder, keptPathOf(basename(boundary.value(name))), openNames, boundary)),
    async keepFile(path, bytes) {
      const file = join(folder, 'raw/files', `${keptPathOf(boundary.value(path))}.gz`);
      await mkdir(dirname(file), { recursive: true });
      const sibling = `${file}.${randomUUID()}.part`;
      await writeFile(sibling, await compressed(boundary.bytes(bytes)));
      await rename(sibling, file);
    },
    async seal(result) {
      const { claims, changes, patch, turns, spans, ...facts } = boundary.value(result);
      const texts = {
        'events.jsonl': turns.flatMap(({ session, turn, events }) => events.map((event) => `${JSON.stringify({ session, turn, event })}\n`)).join(''),
        'changes.json': json({ ...headOf('changes'), changes, ...(patch === undefined ? {} : { leftOutOfPatch: patch.leftOut }) }),
        ...(patch === undefined ? {} : { 'changes.patch': patch.text }),
        ...(spans === undefined ? {} : { 'trace.jsonl': spans.map((span) => `${JSON.stringify(span)}\n`).join('') }),
        'claims.json': json({ ...headOf('claims'), claims }),
      };
      const files = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.byteLength(text)]));
      for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
      await writeAtomic(join(folder, 'attempt.json'), json({ ...headOf('attempt'), ...facts, turns: turns.map(withoutEvents), files }), { durable: 'content' });
      await writeMarker(join(folder, MARKER), { durable: false });
    },
  };
}

/** Two writers at once of one name would write through each other: the second gets a file of its own. */
function openRaw(folder: string, name: string, openNames: Set<string>, boundary: SecretBoundary): RawSink {
  let own = name;
  for (let count = 2; openNames.has(own); count += 1) own = `${name}~${count}`;
  openNames.add(own);
  const raw = openRawWriter(join(folder, 'raw', `${own}.gz`), boundary.stream());
  return {
    write: (chunk) => raw.write(chunk),
    close: () => raw.close().finally(() => { openNames.delete(own); }),
  };
}

function withoutEvents({ events: _events, ...turn }: AttemptResult['turns'][number]): object {
  return turn;
}

function headOf(file: keyof typeof SCHEMA_VERSIONS): { readonly format: string; readonly schemaVersion: number } {
  return { format: `niceeval.${file}`, schemaVersion: SCHEMA_VERSIONS[file] };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
