import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attemptsToTellApart, moreAttemptsNeeded } from '../../src/statistics/sample-size.js';
import { attemptsForWidth, isNarrowEnough } from '../../src/statistics/width.js';

describe('Attempts to tell two rates apart', () => {
  test.each([
    // The examples of R's `power.prop.test`: n = 76.7 for the first.
    [{ rateA: 0.5, rateB: 0.75, power: 0.9 }, 77],
    // Fleiss (1981), section 3.2: 827 with the correction for continuity, n / 4 (1 + sqrt(1 + 4 / (n |p1 - p2|)))², which is that of 807.07.
    [{ rateA: 0.6, rateB: 0.7, level: 0.99, power: 0.95 }, 808],
    // By hand: (1.9600 sqrt(2 x 0.6 x 0.4) + 0.8416 sqrt(0.25 + 0.21))² / 0.04 = 92.999.
    [{ rateA: 0.5, rateB: 0.7 }, 93],
    [{ rateA: 0.7, rateB: 0.5 }, 93],
    // By hand: (1.9600 sqrt(0.5))² = 1.92.
    [{ rateA: 0, rateB: 1 }, 2],
  ])('%o: %d a side', (rates, attempts) => {
    expect(attemptsToTellApart(rates)).toBe(attempts);
  });

  test('are not to be had for equal rates', () => {
    expect(attemptsToTellApart({ rateA: 0.5, rateB: 0.5 })).toBeUndefined();
  });

  test('are what each side lacks, were the rates seen the true ones', () => {
    expect(moreAttemptsNeeded({ passed: 10, total: 20 }, { passed: 70, total: 100 })).toEqual({ perSide: 93, a: 73, b: 0 });
    expect(moreAttemptsNeeded({ passed: 1, total: 2 }, { passed: 50, total: 100 })).toBeUndefined();
    expect(moreAttemptsNeeded({ passed: 0, total: 0 }, { passed: 1, total: 1 })).toBeUndefined();
  });

  test.each([
    [{ rateA: 1.1, rateB: 0.5 }, '`rateA` must be from 0 to 1, not 1.1.'],
    [{ rateA: 0.1, rateB: NaN }, '`rateB` must be from 0 to 1, not NaN.'],
    [{ rateA: 0.1, rateB: 0.5, power: 1 }, '`power` must lie between 0 and 1, not be 1.'],
  ])('refuse %o', (rates, message) => {
    expect(() => attemptsToTellApart(rates)).toThrow(message);
  });
});

describe('Attempts for a narrow interval', () => {
  // Newcombe (1998), table I: 0.2553 to 0.3662 for 81 of 263, a width of 0.1109; 0 to 0.1611 for 0 of 20.
  test.each([
    [{ passed: 81, total: 263, width: 0.112 }, true],
    [{ passed: 81, total: 263, width: 0.11 }, false],
    [{ passed: 0, total: 20, width: 0.162 }, true],
    [{ passed: 0, total: 20, width: 0.16 }, false],
    [{ passed: 0, total: 0, width: 0.99 }, false],
  ])('%o is narrow enough: %s', (seen, narrow) => {
    expect(isNarrowEnough(seen)).toBe(narrow);
  });

  // By hand: (1.96 / 0.2)² - 1.96² = 92.20; (1.96 / 0.5)² - 3.84 = 11.52, but 5 of 11 or 6 of 11 already do: 0.2127 to 0.7199 and no less, so 12.
  test.each([
    [{ passed: 0, total: 0, width: 0.2 }, 93],
    [{ passed: 45, total: 90, width: 0.2 }, 3],
    [{ passed: 0, total: 0, width: 0.5 }, 12],
    [{ passed: 0, total: 20, width: 0.2 }, 0],
  ])('%o: at most %d more', (seen, more) => {
    expect(attemptsForWidth(seen)).toBe(more);
  });

  test('are enough however they come out', () => {
    fc.assert(fc.property(fc.double({ min: 0.05, max: 0.95, noNaN: true }), fc.double({ min: 0.5, max: 0.99, noNaN: true }), fc.nat(30), fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }), (width, level, total, shareNow, shareLater) => {
      const passed = Math.round(total * shareNow);
      const more = attemptsForWidth({ passed, total, width, level });
      expect(isNarrowEnough({ passed: passed + Math.round(more * shareLater), total: total + more, width, level })).toBe(true);
    }));
  });

  test('refuse a width that is none', () => {
    expect(() => isNarrowEnough({ passed: 1, total: 2, width: 0 })).toThrow('`width` must lie between 0 and 1, not be 0.');
    expect(() => attemptsForWidth({ passed: 1, total: 2, width: 2 })).toThrow('`width` must lie between 0 and 1, not be 2.');
  });
});
