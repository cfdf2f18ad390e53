import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { passAtK, passPowerK } from '../../src/statistics/pass-at-k.js';

// By hand: C(5, 3) = 10, C(3, 3) = 1, C(10, 2) = 45, C(7, 2) = 21, C(3, 2) = 3.
test.each([
  [{ passed: 2, total: 5, k: 3 }, 1 - 1 / 10, 0],
  [{ passed: 3, total: 5, k: 3 }, 1, 1 / 10],
  [{ passed: 3, total: 10, k: 2 }, 1 - 21 / 45, 3 / 45],
  [{ passed: 7, total: 10, k: 2 }, 1 - 3 / 45, 21 / 45],
  [{ passed: 0, total: 4, k: 4 }, 0, 0],
  [{ passed: 4, total: 4, k: 4 }, 1, 1],
  [{ passed: 1, total: 1, k: 1 }, 1, 1],
])('%o: any of k and all of k', (tries, any, all) => {
  expect(passAtK(tries)).toBeCloseTo(any, 14);
  expect(passPowerK(tries)).toBeCloseTo(all, 14);
});

describe('both', () => {
  test('cannot be told of more Attempts than there are', () => {
    expect(passAtK({ passed: 2, total: 2, k: 3 })).toBeUndefined();
    expect(passPowerK({ passed: 2, total: 2, k: 3 })).toBeUndefined();
    expect(passAtK({ passed: 0, total: 0, k: 1 })).toBeUndefined();
  });

  test('are the pass rate for one Attempt', () => {
    fc.assert(fc.property(passedOf(10_000), ([passed, total]) => {
      expect(passAtK({ passed, total, k: 1 })).toBeCloseTo(passed / total, 10);
      expect(passPowerK({ passed, total, k: 1 })).toBeCloseTo(passed / total, 10);
    }));
  });

  test('are the quotients of whole binomial coefficients', () => {
    fc.assert(fc.property(passedOf(300), fc.integer({ min: 1, max: 300 }), ([passed, total], k) => {
      fc.pre(k <= total);
      const none = quotient(choose(total - passed, k), choose(total, k));
      const all = quotient(choose(passed, k), choose(total, k));
      expect(passAtK({ passed, total, k })).toBeCloseTo(1 - none, 11);
      expect(passPowerK({ passed, total, k })).toBeCloseTo(all, 11);
    }));
  });

  test.each([[5000, 10_000, 10], [9999, 10_000, 5000], [1, 10_000, 100], [9990, 10_000, 3]])('keep their digits at %d of %d for k = %d', (passed, total, k) => {
    const any = quotient(choose(total, k) - choose(total - passed, k), choose(total, k));
    const all = quotient(choose(passed, k), choose(total, k));
    expect(Math.abs((passAtK({ passed, total, k }) ?? NaN) - any)).toBeLessThanOrEqual(any * 1e-10);
    expect(Math.abs((passPowerK({ passed, total, k }) ?? NaN) - all)).toBeLessThanOrEqual(all * 1e-10 + 1e-18);
  });

  test('refuse a k of nothing', () => {
    expect(() => passAtK({ passed: 1, total: 2, k: 0 })).toThrow('`k` must be a whole number of at least 1, not 0.');
    expect(() => passPowerK({ passed: 1, total: 2, k: 1.5 })).toThrow('`k` must be a whole number of at least 1, not 1.5.');
  });
});

function passedOf(most: number): fc.Arbitrary<[number, number]> {
  return fc.integer({ min: 1, max: most }).chain((total) => fc.tuple(fc.nat(total), fc.constant(total)));
}

function choose(n: number, k: number): bigint {
  if (k > n) return 0n;
  let product = 1n;
  for (let i = 1n; i <= BigInt(k); i += 1n) product = (product * (BigInt(n) - BigInt(k) + i)) / i;
  return product;
}

/** To 18 digits after the point. */
function quotient(numerator: bigint, denominator: bigint): number {
  return Number((numerator * 10n ** 18n) / denominator) / 1e18;
}
