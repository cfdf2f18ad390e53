import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RecordAmbiguousError, RecordNotFoundError } from '../../src/record/errors.js';
import { locateRecord, locateRun } from '../../src/record/locate.js';
import { attemptResult } from '../run/results.js';
import { openRecords, writeRun } from './records.js';

const a = attemptResult({ id: 'sum.codex.1' });
const b = attemptResult({ id: 'web.codex.1' });

describe('a record is found', () => {
  test.each([
    ['a run by its id', 'r-one', { kind: 'run', runId: 'r-one' }],
    ['a run by its beginning', 'r-t', { kind: 'run', runId: 'r-two' }],
    ['the run that started last', 'latest', { kind: 'run', runId: 'r-one' }],
    ['an Attempt that only one run has', 'web.codex.1', { kind: 'attempt', runId: 'r-two', attemptId: 'web.codex.1' }],
    ['an Attempt by its beginning', 'we', { kind: 'attempt', runId: 'r-two', attemptId: 'web.codex.1' }],
    ['an Attempt of a run', 'r-two/sum', { kind: 'attempt', runId: 'r-two', attemptId: 'sum.codex.1' }],
    ['an Attempt of the last run', 'latest/sum.codex.1', { kind: 'attempt', runId: 'r-one', attemptId: 'sum.codex.1' }],
  ])('%s', async (_what, name, found) => {
    await using records = await openRecords();
    await writeRun(records.root, 'r-one', [a], '2025-03-02T10:00:00.000Z');
    await writeRun(records.root, 'r-two', [a, b], '2025-03-01T10:00:00.000Z');
    expect(await locateRecord(records.root, name)).toMatchObject(found);
  });

  test('but not where its name fits several, which are listed', async () => {
    await using records = await openRecords();
    await writeRun(records.root, 'r-one', [a]);
    await writeRun(records.root, 'r-two', [a]);
    const error = await locateRecord(records.root, 'sum').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RecordAmbiguousError);
    expect(error).toMatchObject({ code: 'record-ambiguous', fitting: ['r-one/sum.codex.1', 'r-two/sum.codex.1'] });
    await expect(locateRun(records.root, 'r-')).rejects.toThrow('"r-" fits 2 of them: r-one, r-two. Say more of it.');
  });

  test.each(['../r-one', '/etc', '', '.', '..', 'r-one/..', 'r-one/', 'linked', 'latest/../..'])('and never by the path %j', async (name) => {
    await using records = await openRecords();
    await mkdir(join(records.root, 'runs'));
    await writeRun(join(records.root, 'runs'), 'r-one', [a]);
    await symlink('/', join(records.root, 'runs', 'linked'));
    await expect(locateRecord(join(records.root, 'runs'), name)).rejects.toThrow(RecordNotFoundError);
  });

  test('and where there is none, how to make one is said', async () => {
    await using records = await openRecords();
    await expect(locateRun(records.root, 'latest')).rejects.toThrow(/No run is recorded in .*`niceeval run` makes a record/);
  });
});
