import fc from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { describe, expect, test } from 'vitest';
import { clusterBootstrap } from '../../src/statistics/bootstrap.js';
import { compareNumbers, comparePassRates } from '../../src/statistics/compare.js';

const tallies = (text: string) => text.split(' ').map((word) => {
  const [evalId = '', passed, failed] = word.split(/[:/]/);
  return { evalId, passed: Number(passed), failed: Number(failed) };
});

describe('two sides', () => {
  test('are compared over the evals that both have, each counting the same', () => {
    const compared = comparePassRates(tallies('a:1/1 b:0/4 c:3/0 d:0/0 e:1/0'), tallies('a:1/0 b:1/3 c:0/1 d:1/0 f:1/0'));
    // By hand: rates (0.5, 0, 1) and (1, 0.25, 0).
    expect(compared).toEqual({
      evals: 3, meanA: 0.5, meanB: expect.closeTo(1.25 / 3, 12), difference: expect.closeTo(-0.25 / 3, 12),
      level: 0.95, resamples: 10_000, seed: 1, onlyA: ['e'], onlyB: ['f'], unusable: ['d'],
    });
  });

  test('get the test of McNemar where every eval was tried once a side', () => {
    // a to h only by B, i only by A, j by both, k by neither: 2 (1 + 9) / 2^9.
    const compared = comparePassRates(tallies('a:0/1 b:0/1 c:0/1 d:0/1 e:0/1 f:0/1 g:0/1 h:0/1 i:1/0 j:1/0 k:0/1'), tallies('a:1/0 b:1/0 c:1/0 d:1/0 e:1/0 f:1/0 g:1/0 h:1/0 i:0/1 j:1/0 k:0/1'));
    expect(compared.mcnemar).toEqual({ onlyA: 1, onlyB: 8, pValue: expect.closeTo(20 / 512, 12) });
    expect(compared.difference).toBeCloseTo(7 / 11, 12);
    expect(compared.interval?.low).toBeGreaterThan(0);
  });

  test('that share no eval have no difference', () => {
    expect(comparePassRates(tallies('a:1/0'), tallies('b:1/0'))).toEqual({ evals: 0, level: 0.95, resamples: 10_000, seed: 1, onlyA: ['a'], onlyB: ['b'], unusable: [] });
  });

  test('are compared by numbers that both know and that were not cut off', () => {
    const a = [{ evalId: 'a', value: 10 }, { evalId: 'b', value: 20 }, { evalId: 'c' }, { evalId: 'd', value: 300, censored: true }, { evalId: 'e', value: 1 }];
    const b = [{ evalId: 'a', value: 13 }, { evalId: 'b', value: 18 }, { evalId: 'c', value: 5 }, { evalId: 'd', value: 4 }];
    expect(compareNumbers(a, b)).toEqual({ evals: 2, meanA: 15, meanB: 15.5, difference: 0.5, level: 0.95, resamples: 10_000, seed: 1, onlyA: ['e'], onlyB: [], unusable: ['c', 'd'] });
  });

  test('come out alike in whatever order their evals are listed, and mirrored when they change places', () => {
    fc.assert(fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.nat(5), fc.nat(5)), { minLength: 1, maxLength: 20 }), (rows) => {
      const a = rows.map(([passed, failed], index) => ({ evalId: `e${index}`, passed, failed }));
      const b = rows.map(([, , passed, failed], index) => ({ evalId: `e${index}`, passed, failed }));
      const options = { resamples: 200 };
      const compared = comparePassRates(a, b, options);
      expect(comparePassRates([...a].reverse(), b, options)).toEqual(compared);
      const mirrored = comparePassRates(b, a, options);
      if (compared.difference !== undefined) expect(mirrored.difference).toBeCloseTo(-compared.difference, 12);
      if (compared.interval !== undefined) expect(mirrored.interval?.low).toBeCloseTo(-compared.interval.high, 12);
    }), { numRuns: 50 });
  });

  test('refuse an eval that is told twice', () => {
    expect(() => comparePassRates(tallies('a:1/0'), tallies('b:1/0 b:0/1'))).toThrow('The eval "b" is twice on side B. Add its counts up first.');
  });
});

describe('the bootstrap over clusters', () => {
  const values = Array.from({ length: 30 }, (_, index) => (index % 3) / 2 - 0.25);

  test('gives the same interval for the same seed, and about the same for another', () => {
    const uneven = values.map((value, index) => value + Math.sqrt(index) / 7);
    const first = clusterBootstrap(uneven);
    const other = clusterBootstrap(uneven, { seed: 7 });
    expect(clusterBootstrap(uneven)).toEqual(first);
    expect(other.seed).toBe(7);
    expect(other.interval).not.toEqual(first.interval);
    expect(Math.abs((other.interval?.low ?? NaN) - (first.interval?.low ?? NaN))).toBeLessThan(0.01);
  });

  // By hand: ten times each of -0.25, 0.25 and 0.75 have mean 0.25 and deviation sqrt(5 / 29) = 0.4152; t(29) is 2.0452; 0.4152 / sqrt(30) x 2.0452 = 0.1550.
  test('is as wide as the t interval where values are well behaved', () => {
    const { mean, interval } = clusterBootstrap(values);
    expect(mean).toBeCloseTo(0.25, 12);
    expect(Math.abs((interval?.low ?? NaN) - (0.25 - 0.155))).toBeLessThan(0.012);
    expect(Math.abs((interval?.high ?? NaN) - (0.25 + 0.155))).toBeLessThan(0.012);
  });

  test('tells no interval of what does not vary, nor of a handful', () => {
    expect(clusterBootstrap(Array.from({ length: 12 }, () => 0.5))).toEqual({ clusters: 12, mean: 0.5, level: 0.95, resamples: 10_000, seed: 1 });
    expect(clusterBootstrap([0, 1, 0, 1, 0, 1, 0, 1, 0])).toEqual({ clusters: 9, mean: expect.closeTo(4 / 9, 12), level: 0.95, resamples: 10_000, seed: 1 });
    expect(clusterBootstrap([])).toEqual({ clusters: 0, level: 0.95, resamples: 10_000, seed: 1 });
  });

  test.each([
    [{ resamples: 99 }, '`resamples` must be a whole number of at least 100, not 99.'],
    [{ level: 0 }, '`level` must lie between 0 and 1, not be 0.'],
    [{ seed: 0.5 }, '`seed` must be a whole number of at least 0, not 0.5.'],
  ])('refuses %o', (options, message) => {
    expect(() => clusterBootstrap([1, 2], options)).toThrow(message);
  });

  // Evals of all difficulties, rates of B up to 0.2 above those of A: a mean difference of 0.1.
  test.each([[12, 1], [12, 3], [30, 1], [30, 3], [60, 1], [60, 3]])('over %d evals with %d Attempts a side holds the true difference 95 times of 100, give or take one', (evals, attempts) => {
    const random = xoroshiro128plus(evals + attempts);
    const share = (): number => (random.next() >>> 0) / 2 ** 32;
    const passes = (rate: number): number => Array.from({ length: attempts }).filter(() => share() < rate).length;
    const trials = 4000;
    let held = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const differences = Array.from({ length: evals }, () => {
        const rateA = 0.8 * share();
        const rateB = rateA + 0.2 * share();
        return (passes(rateB) - passes(rateA)) / attempts;
      });
      const { interval } = clusterBootstrap(differences, { resamples: 500, seed: trial });
      if (interval !== undefined && interval.low <= 0.1 && 0.1 <= interval.high) held += 1;
    }
    expect(held / trials).toBeGreaterThan(0.94);
    expect(held / trials).toBeLessThan(0.96);
  });
});
