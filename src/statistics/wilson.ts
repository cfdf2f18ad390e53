import { reachOf } from './distributions.js';
import { checkOpenShare, checkPassed } from './input.js';

/** The share of intervals that hold what they are made for, unless somebody asks for another. */
export const DEFAULT_LEVEL = 0.95;

/** From `low` to `high`, both included. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** How many of how many passed. */
export interface Passed {
  readonly passed: number;
  readonly total: number;
  /** Of the interval, above 0 and below 1. Default: 0.95. */
  readonly level?: number;
}

/**
 * Which pass rates (0 to 1) go with what was seen: the score interval of Wilson (1927), without continuity correction, method 3 of
 * Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998). It treats the Attempts as
 * independent. `undefined`: nothing was seen (`total` is 0).
 *
 * @throws StatisticsInputError when the counts or the level are none.
 */
export function wilsonInterval({ passed, total, level = DEFAULT_LEVEL }: Passed): Interval | undefined {
  checkPassed(passed, total);
  checkOpenShare('level', level);
  if (total === 0) return undefined;
  const z = reachOf(level);
  const rate = passed / total;
  const weight = 1 + z ** 2 / total;
  const centre = (rate + z ** 2 / (2 * total)) / weight;
  const reach = (z * Math.sqrt((rate * (1 - rate)) / total + z ** 2 / (4 * total ** 2))) / weight;
  // At the ends the formula gives 0 and 1 but for rounding.
  return { low: passed === 0 ? 0 : centre - reach, high: passed === total ? 1 : centre + reach };
}
