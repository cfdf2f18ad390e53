import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StatisticsInputError } from '../../src/statistics/errors.js';
import { wilsonInterval } from '../../src/statistics/wilson.js';

describe('the Wilson interval', () => {
  // Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %d of %d is the published one', (passed, total, low, high) => {
    const interval = wilsonInterval({ passed, total });
    expect(interval?.low).toBeCloseTo(low, 4);
    expect(interval?.high).toBeCloseTo(high, 4);
  });

  // By hand: z = 2.5758, z² = 6.6349; 0.5 -+ 2.5758 sqrt(0.25 / 20 + 6.6349 / 1600) / (1 + 6.6349 / 20) = 0.5 -+ 0.24955.
  test('is wider at a higher level', () => {
    const interval = wilsonInterval({ passed: 10, total: 20, level: 0.99 });
    expect(interval?.low).toBeCloseTo(0.25045, 5);
    expect(interval?.high).toBeCloseTo(0.74955, 5);
  });

  test('is none of nothing', () => {
    expect(wilsonInterval({ passed: 0, total: 0 })).toBeUndefined();
  });

  test('holds the rate that was seen, lies within 0 to 1 and mirrors passes and failures', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 5000 }).chain((total) => fc.tuple(fc.nat(total), fc.constant(total))), fc.double({ min: 0.5, max: 0.999, noNaN: true }), ([passed, total], level) => {
      const interval = wilsonInterval({ passed, total, level });
      const mirrored = wilsonInterval({ passed: total - passed, total, level });
      expect(interval?.low).toBeGreaterThanOrEqual(0);
      expect(interval?.high).toBeLessThanOrEqual(1);
      expect(interval?.low).toBeLessThanOrEqual(passed / total);
      expect(interval?.high).toBeGreaterThanOrEqual(passed / total);
      expect(interval?.low).toBeCloseTo(1 - (mirrored?.high ?? NaN), 12);
    }));
  });

  test('of 50 Attempts holds the true rate 95 times of 100, on average over rates', () => {
    const total = 50;
    const intervals = Array.from({ length: total + 1 }, (_, passed) => wilsonInterval({ passed, total }));
    const rates = Array.from({ length: 81 }, (_, step) => 0.1 + step / 100);
    const coverages = rates.map((rate) => binomial(total, rate).reduce((sum, chance, passed) => sum + (holds(intervals[passed], rate) ? chance : 0), 0));
    const average = coverages.reduce((sum, coverage) => sum + coverage, 0) / coverages.length;
    expect(average).toBeGreaterThan(0.94);
    expect(average).toBeLessThan(0.96);
    expect(Math.min(...coverages)).toBeGreaterThan(0.92);
  });

  test.each([
    [{ passed: 3, total: 2 }, '`passed` is 3, more than `total`, which is 2.'],
    [{ passed: -1, total: 2 }, '`passed` must be a whole number of at least 0, not -1.'],
    [{ passed: 1, total: 1.5 }, '`total` must be a whole number of at least 0, not 1.5.'],
    [{ passed: NaN, total: 2 }, '`passed` must be a whole number of at least 0, not NaN.'],
    [{ passed: 1, total: 2, level: 1 }, '`level` must lie between 0 and 1, not be 1.'],
    [{ passed: 1, total: 2, level: 95 }, '`level` must lie between 0 and 1, not be 95.'],
  ])('refuses what is no count', (input, message) => {
    expect(() => wilsonInterval(input)).toThrow(new StatisticsInputError(message));
  });
});

function holds(interval: ReturnType<typeof wilsonInterval>, rate: number): boolean {
  return interval !== undefined && interval.low <= rate && rate <= interval.high;
}

/** The chances of 0 to `total` successes. */
function binomial(total: number, rate: number): readonly number[] {
  const chances = [(1 - rate) ** total];
  for (let passed = 1; passed <= total; passed += 1) chances.push((chances[passed - 1] ?? 0) * ((total - passed + 1) / passed) * (rate / (1 - rate)));
  return chances;
}
