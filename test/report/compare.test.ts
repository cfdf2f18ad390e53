import { describe, expect, test } from 'vitest';
import type { AttemptSummary } from '../../src/run/run-result.js';
import { comparePage } from '../../src/report/compare/compare-page.js';
import { compareSides, type SideComparison } from '../../src/report/compare/comparison.js';
import { definePricingProfile } from '../../src/report/pricing/profile.js';

const pricing = definePricingProfile({ name: 'mine', prices: { m: { inputPerMTok: 1, outputPerMTok: 0 } } });

/** `+` passed, `-` failed, `e` broken by the engine, `s` skipped; one eval for each word, one Attempt for each letter. */
function attempts(words: string, more: Partial<AttemptSummary> = {}): readonly AttemptSummary[] {
  return words.split(' ').flatMap((letters, position) => [...letters].map((letter, index): AttemptSummary => ({
    id: `${position}.${index}`, evalId: `e${position}`, experimentId: 'x', index: index + 1, agent: 'agent', model: 'm',
    verdict: letter === '+' ? 'passed' : letter === '-' ? 'failed' : letter === 's' ? 'skipped' : 'errored',
    ...(letter === 'e' ? { failure: { kind: 'engine', infrastructure: true } } : {}),
    claims: { total: 1, decided: 1, matched: 1 }, usage: { inputTokens: 1_000_000, outputTokens: 0 }, startedAt: '2026-01-15T10:00:00.000Z', durationMs: 1_000, timedOut: false, ...more,
  })));
}

function compared(a: readonly AttemptSummary[], b: readonly AttemptSummary[], level = 0.95): SideComparison {
  return compareSides({ name: 'run-a', attempts: a, remarks: [] }, { name: 'run-b', attempts: b, remarks: [] }, { level, pricing });
}

describe('what can be said of two sides', () => {
  test('a difference whose interval has no 0 is told with it', () => {
    const { conclusion, passRate } = compared(attempts(Array.from({ length: 20 }, () => '-').join(' ')), attempts([...Array.from({ length: 15 }, () => '+'), ...Array.from({ length: 5 }, () => '-')].join(' ')));
    expect(passRate).toMatchObject({ evals: 20, meanA: 0, meanB: 0.75, difference: 0.75 });
    expect(conclusion).toMatch(/^B passes 75 points more over 20 evals; 95 % interval 5\d to 9\d\.$/);
  });

  test('one whose interval holds 0 is none, with how many Attempts it takes', () => {
    // 0.5 against 0.7 takes 93 a side by R's power.prop.test; ten are there.
    expect(compared(attempts('+ + + + + - - - - -'), attempts('+ + + + + + + - - -')).conclusion)
      .toMatch(/^These cannot be told apart: B passes 20 points more over 10 evals, 95 % interval -?\d+ to \d+; about 83 more Attempts per side are needed, were the rates seen the true ones\.$/);
  });

  test.each([
    // Two-sided binomial: 2 x (1 + 8) / 2^8 = 0.0703.
    ['fewer than ten evals', '+ - - - - - - -', '- + + + + + + +', 'These cannot be told apart: B passes 75 points more over 8 evals, and fewer than ten evals are too few for an interval; more evals are needed, not more Attempts of the same.'],
    // 2 / 2^6 = 0.03125.
    ['few evals that all say the same', '- - - - - -', '+ + + + + +', 'B passes 100 points more over 6 evals; the exact test of pairs says p = 0.031 (fewer than ten evals are too few for an interval).'],
    ['few evals, repeated', '--- ---', '+++ +++', 'These cannot be told apart: B passes 100 points more over 2 evals, and fewer than ten evals are too few for an interval; more evals are needed, not more Attempts of the same.'],
    ['nothing that differs', '+ -', '+ -', 'These cannot be told apart: both pass alike over 2 evals, and fewer than ten evals are too few for an interval; the rates are the same, so no number of Attempts can be named that would tell them apart.'],
    ['twelve evals that differ alike', '+ + + + + + + + + + + +', '- - - - - - - - - - - -', 'B passes 100 points less over 12 evals; the exact test of pairs says p = 0.00049 (all evals differ alike, which gives no interval).'],
    ['nothing that was completed on both sides', '+ e', 'e -', 'Nothing can be compared: no eval was completed on both sides.'],
  ])('with %s', (_what, a, b, conclusion) => {
    expect(compared(attempts(a), attempts(b)).conclusion).toBe(conclusion);
  });
});

describe('a comparison', () => {
  const a = attempts('+- + ++ e+ s +', { durationMs: 2_000 });
  const b = [...attempts('-- + +- ++ +'), ...attempts('+').map((attempt) => ({ ...attempt, evalId: 'new' }))];

  test('counts what broke, pairs by eval and index, and lists what differs, worse first', () => {
    const { a: factsA, b: factsB, pairs, changes, passRate } = compared(a, b);
    expect(factsA).toMatchObject({ attempts: 9, errored: 1, skipped: 1, infrastructure: { engine: 1 }, rates: { ofCompleted: { passed: 6, total: 7 }, ofAll: { passed: 6, total: 8 } }, flakes: { flaky: ['e0'], repeated: 2, rate: 0.5 }, durationMs: { median: 2_000 }, costUSD: { median: 1, known: 7, total: 7 } });
    expect(factsB).toMatchObject({ infrastructure: {}, flakes: { flaky: ['e2'], repeated: 3 } });
    expect(pairs).toEqual({ pairs: 6, onlyA: 2, onlyB: 0, unpaired: 4, independent: false, pValue: 0.5 });
    expect(changes.map(({ evalId, change }) => [evalId, change])).toEqual([['e0', -0.5], ['e2', -0.5]]);
    expect([passRate.onlyA, passRate.onlyB, passRate.unusable]).toEqual([['e5'], ['new'], ['e4']]);
  });

  test('compares time, tokens and cost eval by eval, where both sides know them whole', () => {
    const slow = attempts('+ + e', { durationMs: 5_000 });
    const cut = attempts('+ e +', { durationMs: 8_000, timedOut: true, usageIncomplete: true });
    const { durationMs, costUSD, b: facts } = compared(slow, cut);
    expect([durationMs.evals, durationMs.unusable, costUSD.evals, costUSD.unusable]).toEqual([0, ['e0', 'e1', 'e2'], 0, ['e0', 'e1', 'e2']]);
    expect(facts).toMatchObject({ durationMs: { total: 3, censored: 3 }, costUSD: { known: 0, total: 2 } });
    expect(compared(slow, attempts('+ +', { durationMs: 7_000, usage: { inputTokens: 3_000_000, outputTokens: 0 } }))).toMatchObject({ durationMs: { evals: 2, difference: 2_000 }, costUSD: { difference: 2 }, inputTokens: { difference: 2_000_000 } });
  });

  test('pairs nothing where one side has several experiments and the other has others', () => {
    expect(compared([...attempts('+'), ...attempts('+', { experimentId: 'y' })], attempts('+', { experimentId: 'z' })).pairs).toBeUndefined();
  });

  test('is told to people without letting a name steer the terminal', () => {
    const page = comparePage(compared(a, attempts('- - -', { evalId: 'e0', agent: 'x\u001b[2J' })));
    expect(page).not.toMatch(/\u001b/);
    expect(page).toContain('x\\u001b[2J');
  });

  test('has a page that says which numbers are whose', () => {
    expect(comparePage(compared(attempts('+ + + - e'), attempts('+ - - - +'))).split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['A', 'run-a', 'agent (m)', '5 Attempts at 5 evals by x'],
      ['B', 'run-b', 'agent (m)', '5 Attempts at 5 evals by x'],
      [''],
      ['', 'A', 'B', 'B less A, eval by eval'],
      // Wilson: 3 of 4 is 30 to 95 %, 2 of 5 is 12 to 77 %, 3 of 5 is 23 to 88 %.
      ['passed of completed', '3 of 4: 75 % (30 to 95)', '2 of 5: 40 % (12 to 77)', '-50 points, 4 evals'],
      ['passed of all', '3 of 5: 60 % (23 to 88)', '2 of 5: 40 % (12 to 77)'],
      ['errored', '1 (infrastructure: 1 engine)', '0'],
      ['flaky evals', '-', '-'],
      ['median time', '1.0 s', '1.0 s', '0.0 s, 4 evals'],
      ['median input tokens', '1000000', '1000000', '0, 4 evals'],
      ['median output tokens', '0', '0', '0, 4 evals'],
      ['median cost', '$1.00', '$1.00', '$0.00, 4 evals'],
      ['Intervals are of 95 %; costs by mine.'],
      ['4 pairs by eval and index: 2 passed only in A, 0 only in B; McNemar\'s exact p = 0.50.'],
      [''],
      ['Evals that differ, worse first:'],
      ['', 'e1', '1/1', '0/1', '-100 points'],
      ['', 'e2', '1/1', '0/1', '-100 points'],
      ['2 more do not differ.'],
      ['without a completed Attempt on a side (1): e4'],
      [''],
      [expect.stringMatching(/^These cannot be told apart: B passes 50 points less over 4 evals, and fewer than ten/)],
      [''],
    ]);
  });
});
