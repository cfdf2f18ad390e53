import { describe, expect, test } from 'vitest';
import type { Claim } from '../../src/assert/claim.js';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import type { ClaimLedger } from '../../src/assert/ledger.js';
import type { ScoreTestContext } from '../../src/define/context.js';
import { similarity } from '../../src/expect/texts.js';
import { defineScoreMatch, equals, isTrue } from '../../src/expect/values.js';
import { scoreOf, verdictOf } from '../../src/verdict/verdict.js';
import { openPassTest, openScoreTest } from './contexts.js';
import { coverageWith } from '../assert/scopes.js';

const half = defineScoreMatch({ name: 'half', score: () => 0.5 });

/** What a test that gives points came to. */
async function outcome(test: (t: ScoreTestContext) => unknown): Promise<object> {
  const { t, claims } = openScoreTest({ coverage: coverageWith('actions', 'partial') });
  await test(t);
  const settled = await claims.settle();
  return { verdict: verdictOf({ claims: settled }).verdict, score: scoreOf(settled) };
}

describe('an eval that gives points', () => {
  test.each<[string, (t: ScoreTestContext) => unknown, object]>([
    ['earns what holds', (t) => { t.check(1, equals(1)).score(3); t.check(1, equals(2)).score(2); }, { verdict: 'passed', score: { earned: 3, possible: 5 } }],
    ['earns a share for a measurement', (t) => { t.check(1, half).score(5); }, { verdict: 'passed', score: { earned: 2.5, possible: 5 } }],
    ['earns all or nothing for a measurement with a limit of its own', (t) => { t.check('ab', similarity('ax').atLeast(0.5)).score(2); t.check('ab', similarity('ax').atLeast(0.6)).score(2); }, { verdict: 'passed', score: { earned: 2, possible: 4 } }],
    ['earns what the test gives', (t) => { t.score(1.5); t.score(0).label('nothing'); }, { verdict: 'passed', score: { earned: 1.5, possible: 1.5 } }],
    ['passes with no points at all', (t) => { t.check(1, equals(2)).score(2); }, { verdict: 'passed', score: { earned: 0, possible: 2 } }],
    ['passes without any claim', () => undefined, { verdict: 'passed', score: { earned: 0, possible: 0 } }],
    ['only records what is worth nothing', (t) => { t.check(1, equals(2)); }, { verdict: 'passed', score: { earned: 0, possible: 0 } }],
    ['fails by a gate, and keeps its points', (t) => { t.check(1, equals(1)).score(3); t.check(1, equals(2)).gate(); }, { verdict: 'failed', score: { earned: 3, possible: 3 } }],
    ['fails by a gate of a measurement', (t) => { t.check(1, half).gate(0.6).score(2); }, { verdict: 'failed', score: { earned: 1, possible: 2 } }],
    ['does not fail by a limit that only records', (t) => { t.check(1, half).atLeast(0.6).score(2); }, { verdict: 'passed', score: { earned: 1, possible: 2 } }],
    ['is errored without a score where points cannot be told', (t) => { t.score(1); t.notCalledTool('Bash').score(2); }, { verdict: 'errored', score: undefined }],
    ['is errored without a score where nothing could be measured', (t) => { t.judge.rubric('good', { input: 'a', output: 'b' }).score(2); }, { verdict: 'errored', score: undefined }],
    ['is errored without a score where a condition broke', (t) => { t.check(1, defineScoreMatch({ name: 'bad', score: () => 2 })).score(2); }, { verdict: 'errored', score: undefined }],
  ])('%s', async (_what, test, expected) => {
    expect(await outcome(test)).toEqual(expected);
  });

  test('gives the kind of its eval, and points only there', async () => {
    const [pass, score] = [openPassTest(), openScoreTest()];
    expect([pass.t.evaluationKind, score.t.evaluationKind, 'score' in pass.t]).toEqual(['pass', 'score', false]);
  });

  test.each<[unknown, string]>([[-1, '-1'], [Number.NaN, 'NaN'], [Infinity, 'Infinity'], ['1', '"1"'], [undefined, 'undefined']])('gives no %s points', (points, shown) => {
    expect(() => openScoreTest().t.score(points as number)).toThrow(new ClaimAuthoringError(`Points are a finite number of at least 0, not ${shown}.`));
  });
});

describe('an eval that passes or fails', () => {
  const settled = async (claims: ClaimLedger): Promise<Partial<Claim>[]> => (await claims.settle()).map(({ description, state, code, gates }) => ({ description, state, gates, ...(code === undefined ? {} : { code }) }));

  test('takes a measurement as a claim when it is given a limit, and else wants one on the handle', async () => {
    const { t, claims } = openPassTest();
    t.check('ab', similarity('ax').atLeast(0.5));
    t.check('ab', similarity('ax')).gate(0.5);
    t.check('ab', similarity('ax')).atLeast(0.9);
    t.check('ab', similarity('ax'));
    t.check(5 as never, similarity('ax')).gate(0.5);
    expect(await settled(claims)).toEqual([
      { description: 'the value similarity to "ax" of at least 0.5', state: 'matched', gates: true },
      { description: 'the value\'s similarity to "ax"', state: 'matched', gates: true },
      { description: 'the value\'s similarity to "ax"', state: 'mismatched', gates: false },
      { description: 'the value\'s similarity to "ax"', state: 'errored', gates: false, code: 'pass-measurement-threshold-missing' },
      { description: 'the value\'s similarity to "ax"', state: 'errored', gates: true, code: 'condition-threw' },
    ]);
  });

  test('measures a value as it was at the call', async () => {
    const { t, claims } = openPassTest();
    const list = [1];
    t.check(list, defineScoreMatch<number[]>({ name: 'short', score: (value) => (value.length === 1 ? 1 : 0) })).gate(1);
    list.push(2);
    t.check(list.length === 2, isTrue());
    expect((await claims.settle()).map(({ state }) => state)).toEqual(['matched', 'matched']);
  });
});
