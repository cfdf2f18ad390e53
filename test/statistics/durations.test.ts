import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { durationSummary, type Observation } from '../../src/statistics/durations.js';
import { knownMedian } from '../../src/statistics/known-values.js';

/** `6+` is cut off at 6, as tables of survival write it. */
const told = (text: string): readonly Observation[] => text.split(' ').map((word) => ({ value: parseInt(word, 10), censored: word.endsWith('+') }));

describe('durations, some of them cut off', () => {
  // Freireich et al., Blood 21 (1963), weeks of remission; medians 23 and 8 in every textbook on survival.
  test('have the published quartiles of remissions under 6-mercaptopurine, the last not reached', () => {
    expect(durationSummary(told('6 6 6 7 10 13 16 22 23 6+ 9+ 10+ 11+ 17+ 19+ 20+ 25+ 32+ 32+ 34+ 35+'))).toEqual({ total: 21, censored: 12, lowerQuartile: 13, median: 23 });
  });

  test('have the published quartiles of remissions under placebo, and a mean, since none is cut off', () => {
    expect(durationSummary(told('1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23'))).toEqual({ total: 21, censored: 0, lowerQuartile: 4, median: 8, upperQuartile: 12, mean: 182 / 21 });
  });

  // Bewick, Cheek and Ball, Critical Care 8 (2004), table 2: S is 0.75, 0.625, 0.5, 0.333 and 0 at 1, 4, 5, 9 and 22 days.
  test('count a quantile as reached where S is it exactly', () => {
    expect(durationSummary(told('1 1 4 5 6+ 9 9+ 22'))).toEqual({ total: 8, censored: 2, lowerQuartile: 1, median: 5, upperQuartile: 22 });
  });

  // In binary fractions S comes out a little above 0.25 and 0.5 here.
  test('count a quantile as reached in spite of rounding', () => {
    const values = Array.from({ length: 24 }, (_, index) => index + 1);
    expect(durationSummary(values.map((value) => ({ value, censored: false })))).toEqual({ total: 24, censored: 0, lowerQuartile: 6, median: 12, upperQuartile: 18, mean: 12.5 });
  });

  test('have no median when most were cut off before it', () => {
    expect(durationSummary(told('60 300+ 300+ 300+'))).toEqual({ total: 4, censored: 3, lowerQuartile: 60 });
    expect(durationSummary(told('300+'))).toEqual({ total: 1, censored: 1 });
    expect(durationSummary([])).toEqual({ total: 0, censored: 0 });
  });

  test('that are all whole have observed quantiles with at least that share at or below, and fewer below', () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 60 }), (values) => {
      const summary = durationSummary(values.map((value) => ({ value, censored: false })));
      for (const [share, quantile] of [[0.25, summary.lowerQuartile], [0.5, summary.median], [0.75, summary.upperQuartile]] as const) {
        expect(values).toContain(quantile);
        expect(values.filter((value) => value <= (quantile ?? NaN)).length / values.length).toBeGreaterThanOrEqual(share - 1e-9);
        expect(values.filter((value) => value < (quantile ?? NaN)).length / values.length).toBeLessThan(share);
      }
    }));
  });

  test('never look faster because a slow one was cut off', () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 50 }), (values, limit) => {
      const whole = durationSummary(values.map((value) => ({ value, censored: false })));
      const cut = durationSummary(values.map((value) => (value > limit ? { value: limit, censored: true } : { value, censored: false })));
      // One limit for all: up to it the estimate is the empirical one, beyond it nothing is known.
      expect(cut.median).toBe((whole.median ?? NaN) <= limit ? whole.median : undefined);
      if (values.some((value) => value > limit)) expect(cut.mean).toBeUndefined();
    }));
  });

  test('refuse what is no duration', () => {
    expect(() => durationSummary([{ value: NaN, censored: false }])).toThrow('`value` must be a finite number, not NaN.');
  });
});

test.each([
  ['counts what is not known and does not take it for zero', [0.3, undefined, 0.1, 0.2, undefined], { median: 0.2, known: 3, total: 5 }],
  ['lies between the middle two of an even number', [4, 1, 3, 2], { median: 2.5, known: 4, total: 4 }],
  ['is none where nothing is known', [undefined, undefined], { known: 0, total: 2 }],
  ['is none of nothing', [], { known: 0, total: 0 }],
  ['orders numbers as numbers', [10, 9, 100], { median: 10, known: 3, total: 3 }],
])('the median of known values %s', (_what, values, expected) => {
  expect(knownMedian(values)).toEqual(expected);
});
