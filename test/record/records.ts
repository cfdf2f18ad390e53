import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PlannedAttempt } from '../../src/plan/plan.js';
import { openRunRecord } from '../../src/record/run-record.js';
import type { AttemptSink, RunSink } from '../../src/run/ports.js';
import type { AttemptResult } from '../../src/run/result.js';
import { runResult } from '../run/results.js';

/** The id of the recorded run of version 1, and of its Attempts. */
export const OLD = { run: '20261130-165125-d29397', passed: 'fix.writer.2026b185.1', failed: 'wrong.writer.eeb206e2.1' };

/** A folder of runs. */
export interface RecordsFolder extends AsyncDisposable {
  readonly root: string;
}

/** A new folder for runs. */
export async function openRecords(): Promise<RecordsFolder> {
  const root = await mkdtemp(join(tmpdir(), 'niceeval-records-'));
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

/** Copies the recorded run of version 1. */
export async function copyOldRun(root: string): Promise<string> {
  await cp(fileURLToPath(new URL('../../fixtures/records/v1', import.meta.url)), root, { recursive: true });
  return join(root, OLD.run);
}

/** Begins a run whose plan is these Attempts. */
export async function beginRun(root: string, runId: string, attempts: readonly AttemptResult[], startedAt = '2025-03-01T10:00:00.000Z'): Promise<RunSink> {
  const record = await openRunRecord(join(root, runId));
  await record.begin({ runId, sandbox: 'docker', startedAt, attempts });
  return record;
}

/** Opens the place of an Attempt whose agent has secrets. */
export function openAttempt(record: RunSink, id: string, sensitiveValues: readonly string[] = []): Promise<AttemptSink> {
  return record.openAttempt({ id, experiment: { agent: { sensitiveValues } } } as unknown as PlannedAttempt);
}

/** Writes a whole run. */
export async function writeRun(root: string, runId: string, attempts: readonly AttemptResult[], startedAt = '2025-03-01T10:00:00.000Z'): Promise<string> {
  const record = await beginRun(root, runId, attempts, startedAt);
  for (const attempt of attempts) await (await openAttempt(record, attempt.id)).seal(attempt);
  await record.seal(runResult(attempts, { runId, startedAt }));
  return join(root, runId);
}
