import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mcnemarExact, outcomePairs } from '../../src/statistics/mcnemar.js';

describe('the exact test of McNemar', () => {
  test.each([
    // Bentur's data in table 1 of Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13:91 (2013): 2 (1 + 8) / 2^8 = 0.0703.
    [1, 7, 18 / 256],
    // SciPy, `binomtest(6, 22).pvalue`.
    [6, 16, 0.05247879],
    // By hand: 2 (1 + 10 + 45) / 2^10, 2 / 2^5, and twice more than a half.
    [2, 8, 112 / 1024],
    [0, 5, 1 / 16],
    [4, 4, 1],
    [0, 0, 1],
  ])('of %d to %d', (onlyA, onlyB, pValue) => {
    expect(mcnemarExact({ onlyA, onlyB })).toBeCloseTo(pValue, 8);
    expect(mcnemarExact({ onlyA: onlyB, onlyB: onlyA })).toBeCloseTo(pValue, 8);
  });

  test('keeps the digits of very small values: 2 / 2^1000', () => {
    expect(mcnemarExact({ onlyA: 0, onlyB: 1000 }) / 2 ** -999).toBeCloseTo(1, 9);
  });

  test('is the sum of whole binomial coefficients', () => {
    fc.assert(fc.property(fc.nat(60), fc.nat(60), (onlyA, onlyB) => {
      const n = onlyA + onlyB;
      let coefficient = 1n;
      let sum = 0n;
      for (let i = 0n; i <= BigInt(Math.min(onlyA, onlyB)); i += 1n) {
        sum += coefficient;
        coefficient = (coefficient * (BigInt(n) - i)) / (i + 1n);
      }
      expect(mcnemarExact({ onlyA, onlyB })).toBeCloseTo(Math.min(1, Number(2n * sum) / 2 ** n), 10);
    }));
  });
});

test('pairs Attempts by eval and index', () => {
  const outcomes = (text: string) => text.split(' ').map((word) => ({ evalId: word.slice(0, 1), index: Number(word.slice(1, 2)), passed: word.endsWith('+') }));
  expect(outcomePairs(outcomes('a1+ a2+ b1- c1- d1+ e1+'), outcomes('a1- a2+ b1+ c1- d2+ d1-'))).toEqual({ pairs: 5, onlyA: 2, onlyB: 1, unpaired: 2 });
});
