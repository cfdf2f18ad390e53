import { expect, test } from 'vitest';
import { passRates } from '../../src/statistics/pass-rates.js';

// Expected intervals: SciPy, `binomtest(12, 16).proportion_ci(method='wilson')` and the same of 12 in 20.
test('counts errors among all and not among the completed', () => {
  const { ofCompleted, ofAll } = passRates({ passed: 12, failed: 4, errored: 4 });
  expect({ ...ofCompleted, interval: undefined }).toEqual({ passed: 12, total: 16, rate: 0.75, interval: undefined });
  expect({ ...ofAll, interval: undefined }).toEqual({ passed: 12, total: 20, rate: 0.6, interval: undefined });
  expect(ofCompleted.interval?.low).toBeCloseTo(0.5050, 4);
  expect(ofCompleted.interval?.high).toBeCloseTo(0.8982, 4);
  expect(ofAll.interval?.low).toBeCloseTo(0.3866, 4);
  expect(ofAll.interval?.high).toBeCloseTo(0.7812, 4);
});

test('says no rate of the completed where everything broke', () => {
  const { ofCompleted, ofAll } = passRates({ passed: 0, failed: 0, errored: 3 });
  expect(ofCompleted).toEqual({ passed: 0, total: 0 });
  expect(ofAll.rate).toBe(0);
});

test('refuses counts below zero, each by its name', () => {
  expect(() => passRates({ passed: 1, failed: 0, errored: -1 })).toThrow('`errored` must be a whole number of at least 0, not -1.');
  expect(() => passRates({ passed: 1, failed: -1, errored: 2 })).toThrow('`failed` must be a whole number of at least 0, not -1.');
});
