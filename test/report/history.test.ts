import { describe, expect, test } from 'vitest';
import { attemptCsv } from '../../src/report/attempt-rows.js';
import { definePricingProfile } from '../../src/report/pricing/profile.js';
import { historyListing, historyOf } from '../../src/report/history.js';
import { patchOfPath, plainPatch } from '../../src/report/attempt-page.js';
import { attemptSummaryOf, countsOf } from '../../src/run/run-result.js';
import type { RunRecord } from '../../src/record/read-run.js';
import type { AttemptResult } from '../../src/run/result.js';
import { attemptResult } from '../run/results.js';

const runOf = (id: string, attempts: readonly AttemptResult[]): RunRecord => ({
  id, folder: `/${id}`, state: 'complete', sandbox: 'docker', startedAt: '2025-03-01T10:00:00.000Z', durationMs: 1, interrupted: false,
  counts: countsOf(attempts), attempts: attempts.map(attemptSummaryOf), inFlight: [], notStarted: [], problems: [],
});
const pricing = definePricingProfile({ name: 'mine', prices: { m: { inputPerMTok: 1000, outputPerMTok: 2500 } } });
const timed = (totalMs: number, more: Partial<AttemptResult> = {}): AttemptResult => attemptResult({ timings: { queuedMs: 0, sandboxMs: 0, testMs: 0, teardownMs: 0, totalMs }, ...more });

describe('the history of an eval', () => {
  const runs = [
    runOf('r1', [timed(1_000), timed(4_000, { verdict: 'errored', usage: {} }), timed(2_000, { verdict: 'failed' }), timed(9_000, { experimentId: 'a-first', model: 'm', estimatedCostUSD: 99 })]),
    runOf('r2', [timed(1_000), timed(2_000), attemptResult({ evalId: 'other' })]),
  ];

  test('has one entry for each run and experiment; what errored counts, and what is not known is said', () => {
    expect(historyOf(runs, { evalId: 'sum', pricing }).map(({ runId, experimentId, attempts, passed, failed, errored, medianDurationMs, inputTokens, cost }) => (
      [runId, experimentId, attempts, passed, failed, errored, medianDurationMs, inputTokens, cost.usd, cost.unknown]))).toEqual([
      ['r1', 'a-first', 1, 1, 0, 0, 9_000, { sum: 100, unknown: 0 }, '0.15', 0],
      ['r1', 'codex', 3, 1, 1, 1, 2_000, { sum: 200, unknown: 1 }, undefined, 3],
      ['r2', 'codex', 2, 2, 0, 0, 1_500, { sum: 200, unknown: 0 }, undefined, 2],
    ]);
    expect(historyListing(historyOf(runs, { evalId: 'sum', experimentId: 'codex', pricing })).split('\n')).toEqual([
      'run  experiment  passed  failed  errored  skipped  median time  tokens in/out  cost',
      'r1   codex       1/3     1       1        0        2.0 s        >=200/>=40     -',
      'r2   codex       2/2     0       0        0        1.5 s        200/40         -',
      '',
    ]);
  });
});

describe('Attempts as CSV', () => {
  test('are quoted as RFC 4180 says, and no cell is a formula', () => {
    const hostile = attemptResult({ evalId: '=cmd|calc', experimentId: '@x', agent: '+a', model: '-m, "big"\nb' });
    const [head = '', ...rest] = attemptCsv([runOf('r1', [hostile])]).split('\r\n');
    expect(head.split(',').slice(0, 8)).toEqual(['run', 'attempt', 'eval', 'experiment', 'index', 'agent', 'model', 'verdict']);
    expect(rest.join('\r\n')).toMatch(/^r1,sum\.codex\.0123abcd\.1,'=cmd\|calc,'@x,1,'\+a,"'-m, ""big""\nb",passed,,,,,1,1,1,100,20,,,,,,0,,,2025-03-01T10:00:00\.000Z,3400,false\r\n$/);
  });
});

describe('a patch', () => {
  const patch = 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -0,0 +1 @@\n+diff --git a/b b/b\ndiff --git a/b b/b\nindex 1\n';

  test('is cut to one path', () => {
    expect(patchOfPath(patch, 'b')).toBe('diff --git a/b b/b\nindex 1\n');
    expect(patchOfPath(patch, 'a.txt')).toBe(patch.slice(0, patch.indexOf('diff --git a/b b/b\nindex')));
    expect(patchOfPath(patch, 'c')).toBe('');
  });

  test('cannot steer a terminal, and keeps its lines', () => {
    expect(plainPatch('+a\u001b[2J\tb\n+c\u202e\n')).toBe('+a\\u001b[2J    b\n+c\\u202e\n');
  });
});
