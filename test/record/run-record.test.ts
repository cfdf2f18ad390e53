import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import type { PlannedAttempt } from '../../src/plan/plan.js';
import { openRunRecord } from '../../src/record/run-record.js';
import { attemptFileSchema, changesFileSchema, claimsFileSchema, eventLineSchema, runFileSchema } from '../../src/record/schema.js';
import type { AttemptSink, RunSink } from '../../src/run/ports.js';
import type { AttemptResult } from '../../src/run/result.js';
import { attemptResult, runResult } from '../run/results.js';

let base: string;
beforeEach(async () => { base = await mkdtemp(join(tmpdir(), 'niceeval-record-')); });
afterEach(async () => { await rm(base, { recursive: true, force: true }); });

const openAttempt = (record: RunSink, id: string): Promise<AttemptSink> => record.openAttempt({ id, experiment: { agent: {} } } as PlannedAttempt);
const json = async (...path: readonly string[]): Promise<unknown> => JSON.parse(await readFile(join(base, ...path), 'utf8')) as unknown;

const full: AttemptResult = attemptResult({
  id: 'sum.codex.0123abcd.2',
  index: 2,
  model: 'big',
  verdict: 'errored',
  reasons: ['timed out', 'x: cannot be told: it was not kept'],
  interrupted: true,
  error: { phase: 'send', code: 'deadline-exceeded', message: 'timed out', timeout: { limitMs: 10, source: '--timeout' } },
  skipped: 'no key',
  claims: [
    { ordinal: 1, kind: 'boolean', description: 'turn 1 succeeded', gates: true, optional: false, state: 'matched', note: 'it is plain' },
    {
      ordinal: 2, kind: 'boolean', description: 'x', label: 'the x', key: 'x', groups: ['outer', 'inner'], gates: false, optional: true, state: 'mismatched',
      expected: '1', received: '2', path: '/a', nearest: { what: 'Edit (c1, completed)', expected: '3', received: '4', path: '/b' }, points: { possible: 2, earned: 0 },
    },
    {
      ordinal: 4, kind: 'measurement', description: 'z', gates: true, optional: false, state: 'matched', score: 0.5, threshold: 0.5, points: { possible: 2, earned: 1 },
      evidence: { answer: 'yes' },
    },
    { ordinal: 5, kind: 'points', description: 'given', gates: false, optional: false, state: 'measured', points: { possible: 1.5, earned: 1.5 } },
    { ordinal: 3, kind: 'boolean', description: 'y', gates: true, optional: false, state: 'unavailable', code: 'content-not-kept', reason: 'it was not kept', points: { possible: 1 } },
  ],
  turns: [
    {
      session: 1, turn: 1, label: 'turn1', status: 'completed', coverage: completeEvidenceCoverage, startedAt: '2025-03-01T10:00:01.000Z', durationMs: 2_000,
      events: [
        { type: 'message', role: 'user', text: 'Mend it.\nAll of it.' },
        { type: 'operation.started', operationId: '1', operation: { kind: 'tool', name: 'Bash', input: { command: 'ls' }, tool: 'shell' } },
        { type: 'operation.finished', operationId: '1', kind: 'tool', status: 'completed', output: null, exitCode: 0 },
        { type: 'message', role: 'assistant', text: 'Done.\u2028' },
      ],
      usage: { inputTokens: 0, outputTokens: 20, models: { big: { outputTokens: 20 } } },
      data: { answer: [1] },
    },
    {
      session: 2, turn: 1, label: 'session2/turn1', status: 'failed', coverage: { ...completeEvidenceCoverage, usage: { status: 'unavailable', reason: 'cut' } },
      startedAt: '2025-03-01T10:00:03.000Z', durationMs: 5, events: [{ type: 'message', role: 'user', text: 'And?' }], failure: { kind: 'no-output', message: 'it said nothing' },
    },
  ],
  usage: { inputTokens: 0, outputTokens: 20 },
  estimatedCostUSD: 0.5,
  resources: { cpuSeconds: 1.25, peakMemoryBytes: 1_000, memoryLimitBytes: 2_000, oomKills: 1, processesLeft: 0, network: { receivedBytes: 10, sentBytes: 20 } },
  estimateNotes: ['a lower bound'],
  unpriced: { models: ['big'], reason: 'unpriced: big' },
  gateway: { requests: 3, usage: { inputTokens: 7 } },
  changes: {
    state: 'available', root: '/project',
    windows: [{
      label: 'turn1',
      changes: [{
        path: 'caf%C3%A9', status: 'modified',
        before: { kind: 'file', mode: 0o644, uid: 1, gid: 1, sizeBytes: 1, sha256: 'aa', binary: false },
        after: { kind: 'symlink', mode: 0o777, uid: 1, gid: 1, linkTarget: '/etc' },
      }],
      summaries: [{ path: 'node_modules', reason: 'dependencies', added: 1, modified: 2, deleted: 3, sizeBytes: 4 }],
      renames: [],
      flags: ['late-writer', 'timed-out', 'nested-repo', 'repo-removed', 'repo-replaced', 'refs-moved'],
      git: {
        repositories: [
          {
            path: '', before: { form: 'repository', head: {} }, after: { form: 'repository', head: { ref: 'refs/heads/main', id: 'aa' } },
            refs: [{ name: 'refs/heads/main', after: 'aa' }, { name: 'refs/tags/%1B', before: '?' }], commits: ['aa'], refsLeftOut: 2,
          },
          { path: 'sub', before: { form: 'gitfile', target: '../x' }, after: { form: 'none' }, refs: [], commits: [], refsLeftOut: 0 },
        ],
        leftOut: 1,
        gap: 'it was gone',
      },
    }, {
      label: 'turn2', changes: [], summaries: [], renames: [], flags: [],
    }],
    net: [{ path: 'a', mixed: true }, { path: 'b', status: 'added', after: { kind: 'fifo', mode: 0o600, uid: 1, gid: 1 } }],
    renames: [{ from: 'c', to: 'd', similarity: 0.5 }],
  },
  diagnostics: [{ code: 'cleanup', message: 'late' }],
  logs: ['hello'],
});

describe('the record of an Attempt', () => {
  test.each([['that passed', attemptResult()], ['that broke in every way', full]])('%s holds what the Attempt came to, in files that fit their schemas', async (_what, result) => {
    const record = await openRunRecord(join(base, 'run'));
    await (await openAttempt(record, result.id)).seal(result);
    const folder = ['run', 'attempts', result.id] as const;
    const { claims, changes, turns, ...facts } = result;

    const attempt = attemptFileSchema.parse(await json(...folder, 'attempt.json'));
    expect(attempt).toEqual({
      format: 'niceeval.attempt', schemaVersion: 1, ...facts, turns: turns.map(({ events: _events, ...turn }) => turn),
      files: Object.fromEntries(await Promise.all(['events.jsonl', 'changes.json', 'claims.json'].map(async (name) => [name, (await stat(join(base, ...folder, name))).size]))) as object,
    });
    expect(claimsFileSchema.parse(await json(...folder, 'claims.json'))).toEqual({ format: 'niceeval.claims', schemaVersion: 1, claims });
    expect(changesFileSchema.parse(await json(...folder, 'changes.json'))).toEqual({ format: 'niceeval.changes', schemaVersion: 1, changes });

    const lines = (await readFile(join(base, ...folder, 'events.jsonl'), 'utf8')).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => eventLineSchema.parse(JSON.parse(line)))).toEqual(
      turns.flatMap(({ session, turn, events }) => events.map((event) => ({ session, turn, event }))),
    );
  });

  test('leaves nothing half written beside its files', async () => {
    const record = await openRunRecord(join(base, 'run'));
    await (await openAttempt(record, full.id)).seal(full);
    expect((await readdir(join(base, 'run', 'attempts', full.id))).sort()).toEqual(['attempt.json', 'changes.json', 'claims.json', 'complete', 'events.jsonl', 'raw']);
  });

  test('has no attempt.json before the Attempt has ended, but has its raw output already', async () => {
    const record = await openRunRecord(join(base, 'run'));
    const sink = await openAttempt(record, 'a');
    const raw = await sink.openRaw('turn1-stdout.jsonl');
    await raw.write(Buffer.from('{"type":"ini'));
    await raw.close();
    expect(await readdir(join(base, 'run', 'attempts', 'a'))).toEqual(['raw']);
    expect(gunzipSync(await readFile(join(base, 'run', 'attempts', 'a', 'raw', 'turn1-stdout.jsonl.gz'))).toString()).toBe('{"type":"ini');
  });

  test('keeps raw bytes as they came, in order and to the last', async () => {
    const sink = await openAttempt(await openRunRecord(join(base, 'run')), 'a');
    const raw = await sink.openRaw('stdout');
    const chunks = Array.from({ length: 300 }, (_item, index) => Buffer.alloc(4_096, index % 256));
    for (const chunk of chunks) await raw.write(chunk);
    await raw.close();
    expect(gunzipSync(await readFile(join(base, 'run', 'attempts', 'a', 'raw', 'stdout.gz'))).equals(Buffer.concat(chunks))).toBe(true);
  });

  test.each(['../../../escape', '/tmp/escape', 'a/b/escape'])('keeps a raw file called %s in its own folder', async (name) => {
    const sink = await openAttempt(await openRunRecord(join(base, 'run')), 'a');
    const raw = await sink.openRaw(name);
    await raw.write(Buffer.from('x'));
    await raw.close();
    expect(await readdir(join(base, 'run', 'attempts', 'a', 'raw'))).toEqual(['escape.gz']);
  });

  test('gives each Attempt a folder of its own for contents', async () => {
    const record = await openRunRecord(join(base, 'run'));
    const folders = await Promise.all(['a', 'b'].map(async (id) => (await openAttempt(record, id)).blobFolder));
    expect(folders).toEqual([join(base, 'run', 'attempts', 'a', 'blobs'), join(base, 'run', 'attempts', 'b', 'blobs')]);
  });
});

describe('the record of a run', () => {
  test('is sealed with the verdict of each Attempt and the counts', async () => {
    const record = await openRunRecord(join(base, 'deep', 'down', 'run'));
    expect(await readdir(join(base, 'deep', 'down', 'run'))).toEqual(['attempts']);
    const beginning = { runId: '20250301-100000-abc123', sandbox: 'docker', startedAt: '2025-03-01T10:00:00.000Z' };
    const planned = [{ id: 'sum.codex.0123abcd.1', evalId: 'sum', experimentId: 'codex', index: 1 }, { id: 'sum.codex.0123abcd.2', evalId: 'sum', experimentId: 'codex', index: 2 }];
    await record.begin({ ...beginning, attempts: planned });
    expect(runFileSchema.parse(await json('deep', 'down', 'run', 'run.json'))).toEqual({ format: 'niceeval.run', schemaVersion: 2, state: 'running', ...beginning, planned, reused: [] });
    await record.seal(runResult([attemptResult(), full], { interrupted: true }));
    expect((await readdir(join(base, 'deep', 'down', 'run'))).sort()).toEqual(['attempts', 'complete', 'run.json']);
    expect(runFileSchema.parse(await json('deep', 'down', 'run', 'run.json'))).toEqual({
      format: 'niceeval.run',
      schemaVersion: 2,
      state: 'ended',
      sealedBy: 'marker',
      planned,
      runId: '20250301-100000-abc123',
      sandbox: 'docker',
      startedAt: '2025-03-01T10:00:00.000Z',
      durationMs: 4_000,
      interrupted: true,
      counts: { total: 2, passed: 1, failed: 0, errored: 1, skipped: 0, infrastructure: 0 },
      notRun: [],
      attempts: [
        {
          id: 'sum.codex.0123abcd.1', evalId: 'sum', experimentId: 'codex', index: 1, agent: 'codex', verdict: 'passed', claims: { total: 1, decided: 1, matched: 1 },
          usage: { inputTokens: 100, outputTokens: 20 }, changedPaths: 0, startedAt: '2025-03-01T10:00:00.000Z', durationMs: 3_400, timedOut: false,
        },
        {
          id: 'sum.codex.0123abcd.2', evalId: 'sum', experimentId: 'codex', index: 2, agent: 'codex', model: 'big', verdict: 'errored', claims: { total: 5, decided: 4, matched: 2 },
          usage: { inputTokens: 0, outputTokens: 20 }, usageIncomplete: true, estimatedCostUSD: 0.5, changedPaths: 2, resources: { cpuSeconds: 1.25, peakMemoryBytes: 1_000 },
          startedAt: '2025-03-01T10:00:00.000Z', durationMs: 3_400, timedOut: true,
        },
      ],
    });
  });

  test('never shares a folder with another run', async () => {
    await openRunRecord(join(base, 'run'));
    await expect(openRunRecord(join(base, 'run'))).rejects.toThrow(/EEXIST/);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => openRunRecord(join(base, 'contested'))));
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(1);
  });
});

describe('the schemas refuse', () => {
  const { claims, changes, turns, ...facts } = full;
  const attempt = { format: 'niceeval.attempt', schemaVersion: 1, ...facts, turns: turns.map(({ events: _events, ...turn }) => turn) };
  const claimed = { format: 'niceeval.claims', schemaVersion: 1, claims };
  const changed = { format: 'niceeval.changes', schemaVersion: 1, changes };
  test.each<[string, { readonly safeParse: (value: unknown) => { readonly success: boolean } }, object, object]>([
    ['an Attempt of another version', attemptFileSchema, attempt, { schemaVersion: 2 }],
    ['an Attempt of an unknown verdict', attemptFileSchema, attempt, { verdict: 'ok' }],
    ['an Attempt without turns', attemptFileSchema, attempt, { turns: undefined }],
    ['claims of another format', claimsFileSchema, claimed, { format: 'niceeval.changes' }],
    ['claims in an unknown state', claimsFileSchema, claimed, { claims: [{ ordinal: 1, description: 'x', optional: false, state: 'maybe' }] }],
    ['changes without a state', changesFileSchema, changed, { changes: { windows: [] } }],
  ])('%s', (_what, schema, good, change) => {
    expect([schema.safeParse(good).success, schema.safeParse({ ...good, ...change }).success]).toEqual([true, false]);
  });
});
