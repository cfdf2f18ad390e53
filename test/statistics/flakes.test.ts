import { expect, test } from 'vitest';
import { flakeRate, isFlaky } from '../../src/statistics/flakes.js';

test.each([
  [{ passed: 1, failed: 1 }, true],
  [{ passed: 9, failed: 1 }, true],
  [{ passed: 2, failed: 0 }, false],
  [{ passed: 0, failed: 2 }, false],
  [{ passed: 1, failed: 0 }, undefined],
  [{ passed: 0, failed: 0 }, undefined],
])('%o is flaky: %s', (tally, flaky) => {
  expect(isFlaky(tally)).toBe(flaky);
});

test('the flake rate leaves out evals of which nobody can tell', () => {
  const tallies = [{ evalId: 'a', passed: 2, failed: 1 }, { evalId: 'b', passed: 3, failed: 0 }, { evalId: 'c', passed: 1, failed: 0 }, { evalId: 'd', passed: 0, failed: 5 }, { evalId: 'e', passed: 1, failed: 1 }];
  expect(flakeRate(tallies)).toEqual({ flaky: ['a', 'e'], repeated: 4, rate: 0.5 });
  expect(flakeRate([{ evalId: 'c', passed: 1, failed: 0 }])).toEqual({ flaky: [], repeated: 0 });
});

test('a count below zero is refused', () => {
  expect(() => flakeRate([{ evalId: 'a', passed: 1, failed: -1 }])).toThrow('`failed` must be a whole number of at least 0, not -1.');
});
