import { mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { readAttempt, type AttemptRecord, type ReadEvent } from '../../src/record/read-attempt.js';
import { listRuns, readRun } from '../../src/record/read-run.js';
import { attemptResult } from '../run/results.js';
import { beginRun, copyOldRun, OLD, openAttempt, openRecords, writeRun } from './records.js';

const eventsOf = async (record: AttemptRecord): Promise<readonly ReadEvent[]> => {
  const events: ReadEvent[] = [];
  for await (const event of record.events()) events.push(event);
  return events;
};
const attempt = (index: number): ReturnType<typeof attemptResult> => attemptResult({ id: `sum.codex.0123abcd.${index}`, index });
const rawText = async (record: AttemptRecord, name: string): Promise<string> => {
  const opened = await (await record.raw()).find((file) => file.name === name)?.open();
  return opened?.state === 'read' ? text(opened.value) : `not read: ${JSON.stringify(opened)}`;
};

describe('a record of version 1', () => {
  test('is listed and read as a run that ended, with what each Attempt came to', async () => {
    await using records = await openRecords();
    const folder = await copyOldRun(records.root);
    expect(await listRuns(records.root)).toEqual([{
      id: OLD.run, folder, state: 'complete', sandbox: 'local', startedAt: '2026-11-30T16:51:25.508Z', planned: 2, durationMs: 389, interrupted: false,
      counts: { total: 2, passed: 1, failed: 1, errored: 0, skipped: 0, infrastructure: 0 }, problems: [],
    }]);
    const run = await readRun(folder);
    expect(run).toMatchObject({ state: 'complete', inFlight: [], notStarted: [], problems: [], counts: { passed: 1, failed: 1 } });
    expect(run.attempts.map(({ id, verdict, claims }) => [id, verdict, claims.matched])).toEqual([[OLD.passed, 'passed', 3], [OLD.failed, 'failed', 0]]);
  });

  test('gives all of an Attempt: facts, events, claims, changes, patch and what was not compressed', async () => {
    await using records = await openRecords();
    const record = await readAttempt(join(await copyOldRun(records.root), 'attempts', OLD.passed));
    expect(record).toMatchObject({ id: OLD.passed, state: 'complete', problems: [], facts: { verdict: 'passed', model: 'small-1', usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 7 } } });
    expect((await eventsOf(record)).map((read) => read.problem ?? [read.line, read.session, read.turn, read.event.type])).toEqual([
      [1, 1, 1, 'message'], [2, 1, 1, 'thinking'], [3, 1, 1, 'operation.started'], [4, 1, 1, 'operation.finished'], [5, 1, 1, 'message'],
    ]);
    expect(await record.claims()).toMatchObject({ state: 'read', value: [{ state: 'matched' }, { state: 'matched' }, { state: 'matched' }] });
    expect(await record.changes()).toMatchObject({ state: 'read', value: { changes: { net: [{ path: 'made.txt', status: 'added' }] } } });
    expect(await record.patch()).toMatchObject({ state: 'read', value: expect.stringContaining('+made\n') as string });
    expect((await record.raw()).map(({ name, compressed }) => [name, compressed])).toEqual([['files/projects/a/session.jsonl', false], ['session1-turn1-stdout.jsonl', false]]);
    expect(await rawText(record, 'session1-turn1-stdout.jsonl')).toBe('{"says":"done"}\n');
  });

  test('whose run was killed has its ended Attempts, and no run.json', async () => {
    await using records = await openRecords();
    const folder = await copyOldRun(records.root);
    await rm(join(folder, 'run.json'));
    await rm(join(folder, 'attempts', OLD.failed, 'attempt.json'));
    expect(await readRun(folder)).toMatchObject({
      state: 'incomplete', counts: { total: 1, passed: 1 }, attempts: [{ id: OLD.passed, verdict: 'passed', claims: { total: 3, decided: 3, matched: 3 }, changedPaths: 1 }],
      inFlight: [{ id: OLD.failed }], problems: ['run.json is missing'],
    });
  });
});

describe('a run that has not ended', () => {
  test('is told as incomplete, with the Attempts that ended, those in flight and those that never started', async () => {
    await using records = await openRecords();
    const record = await beginRun(records.root, 'r1', [attempt(1), attempt(2), attempt(3)]);
    await (await openAttempt(record, attempt(1).id)).seal(attempt(1));
    await openAttempt(record, attempt(2).id);
    expect(await listRuns(records.root)).toMatchObject([{ id: 'r1', state: 'incomplete', planned: 3, problems: [] }]);
    expect(await readRun(join(records.root, 'r1'))).toMatchObject({
      state: 'incomplete', counts: { total: 1, passed: 1 }, attempts: [{ id: attempt(1).id }], inFlight: [{ id: attempt(2).id }],
      notStarted: [{ id: attempt(3).id, evalId: 'sum', experimentId: 'codex', index: 3 }], problems: [],
    });
  });

  test('does not count an Attempt whose marker is not there yet, even with all other files', async () => {
    await using records = await openRecords();
    const record = await beginRun(records.root, 'r1', [attempt(1)]);
    await (await openAttempt(record, attempt(1).id)).seal(attempt(1));
    await rm(join(records.root, 'r1/attempts', attempt(1).id, 'complete'));
    expect(await readRun(join(records.root, 'r1'))).toMatchObject({ counts: { total: 0 }, inFlight: [{ id: attempt(1).id }] });
  });

  test('gives raw output as far as it was flushed', async () => {
    await using records = await openRecords();
    const sink = await openAttempt(await beginRun(records.root, 'r1', [attempt(1)]), attempt(1).id);
    const raw = await sink.openRaw('stdout.jsonl');
    await raw.write(Buffer.from('{"a":1}\n'.repeat(1000)));
    await raw.close();
    const file = join(records.root, 'r1/attempts', attempt(1).id, 'raw/stdout.jsonl.gz');
    // Without its end, as a writer that was killed leaves it.
    await truncate(file, (await readFile(file)).length - 9);
    expect((await rawText(await readAttempt(join(records.root, 'r1/attempts', attempt(1).id)), 'stdout.jsonl')).startsWith('{"a":1}\n')).toBe(true);
  });
});

describe('a bad part', () => {
  const FILES = ['run.json', 'claims.json', 'changes.json', 'events.jsonl', 'attempt.json'] as const;
  const place = (file: string): string => (file === 'run.json' ? file : join('attempts', attempt(1).id, file));

  test.each(FILES.flatMap((file) => ([['cut', file], ['missing', file], ['of an unknown version', file], ['a link out of the record', file]] as const)))('%s, %s, is a problem and takes nothing else with it', async (how, file) => {
    await using records = await openRecords();
    const folder = await writeRun(records.root, 'r1', [attempt(1), attempt(2)]);
    const path = join(folder, place(file));
    const whole = await readFile(path, 'utf8');
    await rm(path);
    if (how === 'cut') await writeFile(path, whole.slice(0, Math.floor(whole.length / 2)));
    if (how === 'of an unknown version') await writeFile(path, file === 'events.jsonl' ? '{"session":1,"turn":1,"event":{"type":"of the future"}}\n' : whole.replace(/"schemaVersion": \d/, '"schemaVersion": 99'));
    if (how === 'a link out of the record') {
      await writeFile(join(records.root, 'elsewhere'), whole);
      await symlink(join(records.root, 'elsewhere'), path);
    }
    const run = await readRun(folder);
    const record = await readAttempt(join(folder, 'attempts', attempt(1).id));
    const parts = [await record.claims(), await record.changes()];
    const problems = [...run.problems, ...record.problems, ...parts.flatMap((part) => (part.state === 'read' ? [] : [part.problem])), ...(await eventsOf(record)).flatMap(({ problem }) => problem ?? [])];
    expect(problems.join('\n')).toContain(file);
    expect(run.attempts.map(({ id, verdict }) => [id, verdict])).toContainEqual([attempt(2).id, 'passed']);
    expect((await readAttempt(join(folder, 'attempts', attempt(2).id))).problems).toEqual([]);
  });

  test('says which file has not the size that it was written with', async () => {
    await using records = await openRecords();
    const folder = await writeRun(records.root, 'r1', [attempt(1)]);
    const events = join(folder, 'attempts', attempt(1).id, 'events.jsonl');
    const whole = await readFile(events, 'utf8');
    const first = whole.indexOf('\n') + 1;
    await truncate(events, first);
    expect((await readAttempt(join(folder, 'attempts', attempt(1).id))).problems).toEqual([`events.jsonl has ${first} bytes and was written with ${whole.length}`]);
  });

  test('takes fields that it does not know as they come', async () => {
    await using records = await openRecords();
    const folder = await writeRun(records.root, 'r1', [attempt(1)]);
    for (const file of ['run.json', join('attempts', attempt(1).id, 'attempt.json')]) {
      await writeFile(join(folder, file), JSON.stringify({ ...JSON.parse(await readFile(join(folder, file), 'utf8')) as object, ofTheFuture: { deep: [1] } }));
    }
    expect(await readRun(folder)).toMatchObject({ state: 'complete', problems: [], counts: { passed: 1 } });
    expect(await readAttempt(join(folder, 'attempts', attempt(1).id))).toMatchObject({ problems: [], facts: { verdict: 'passed' } });
  });

  test('that is a folder or a link where an Attempt should be is none', async () => {
    await using records = await openRecords();
    const folder = await writeRun(records.root, 'r1', [attempt(1)]);
    await rm(join(folder, 'run.json'));
    await mkdir(join(folder, 'attempts', 'x', 'attempt.json'), { recursive: true });
    await symlink('/', join(folder, 'attempts', 'y'));
    expect(await readRun(folder)).toMatchObject({ counts: { total: 1 }, inFlight: [{ id: 'x' }] });
  });
});
