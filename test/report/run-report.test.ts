import { expect, test } from 'vitest';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import { attemptOutcomeOf } from '../../src/report/run-report.js';
import { attemptSummaryOf } from '../../src/run/run-result.js';
import { attemptResult } from '../run/results.js';

test('of a result only what reports need is kept', () => {
  expect(attemptOutcomeOf(attemptResult({ model: 'm', claims: [], score: { earned: 1, possible: 2 }, error: { phase: 'send', code: 'deadline-exceeded', message: 'late', timeout: { limitMs: 1, source: 'eval' } }, failure: { kind: 'timeout', infrastructure: true }, verdict: 'errored', reasons: ['late'] }), { evalFile: 'evals/sum.eval.ts' })).toEqual({
    id: 'sum.codex.0123abcd.1', evalId: 'sum', experimentId: 'codex', index: 1, agent: 'codex', model: 'm', verdict: 'errored', reasons: ['late'], infrastructure: 'timeout', durationMs: 3_400, cutOff: true,
    startedAt: '2025-03-01T10:00:00.000Z', usage: { inputTokens: 100, outputTokens: 20 }, usageIncomplete: false, evalFile: 'evals/sum.eval.ts', score: { earned: 1, possible: 2 }, noClaims: true,
  });
});

test.each([
  ['a failure of the author\'s', { failure: { kind: 'eval', infrastructure: false } as const }, { cutOff: false }],
  ['an interruption', { interrupted: true }, { cutOff: true }],
])('%s is told from the infrastructure and from an end', (_what, more, expected) => {
  const outcome = attemptOutcomeOf(attemptResult(more));
  expect(outcome).toMatchObject(expected);
  expect(outcome).not.toHaveProperty('infrastructure');
});

test('a turn that told nothing of its usage, or not all, makes the sum no whole one', () => {
  const [turn] = attemptResult().turns;
  if (turn === undefined) throw new Error('there is a turn');
  const { usage: _usage, ...silent } = turn;
  const partial = { ...turn, coverage: { ...completeEvidenceCoverage, usage: { status: 'partial', reason: 'killed' } as const } };
  expect([[turn], [turn, silent], [turn, partial]].map((turns) => [attemptOutcomeOf(attemptResult({ turns })).usageIncomplete, attemptSummaryOf(attemptResult({ turns })).usageIncomplete])).toEqual([[false, undefined], [true, true], [true, true]]);
});
