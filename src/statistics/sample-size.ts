import { normalQuantile, reachOf } from './distributions.js';
import { checkOpenShare, checkPassed, checkShare } from './input.js';
import { DEFAULT_LEVEL, type Passed } from './wilson.js';

/** How sure one wants to be. */
export interface Certainty {
  /** 1 less the chance to see a difference where there is none. Default: 0.95. */
  readonly level?: number;
  /** The chance to see the difference where there is one. Default: 0.8. */
  readonly power?: number;
}

/** How many more Attempts each side needs. */
export interface MoreAttempts {
  readonly perSide: number;
  readonly a: number;
  readonly b: number;
}

/**
 * How many independent Attempts each side needs so that pass rates that really are `rateA` and `rateB` are told apart by a two-sided test
 * of two proportions: Fleiss, "Statistical Methods for Rates and Proportions" (2nd edition, 1981), section 3.2, before the correction for
 * continuity; the same as `power.prop.test` in R. `undefined`: the rates are equal, and no number tells them apart.
 *
 * @throws StatisticsInputError when a rate, the level or the power is none.
 */
export function attemptsToTellApart({ rateA, rateB, level = DEFAULT_LEVEL, power = 0.8 }: { readonly rateA: number; readonly rateB: number } & Certainty): number | undefined {
  checkShare('rateA', rateA);
  checkShare('rateB', rateB);
  checkOpenShare('level', level);
  checkOpenShare('power', power);
  if (rateA === rateB) return undefined;
  const mean = (rateA + rateB) / 2;
  const ifAlike = reachOf(level) * Math.sqrt(2 * mean * (1 - mean));
  const ifApart = normalQuantile(power) * Math.sqrt(rateA * (1 - rateA) + rateB * (1 - rateB));
  return Math.ceil(((ifAlike + ifApart) / (rateA - rateB)) ** 2);
}

/**
 * How many Attempts each side still lacks, were the rates seen so far the true ones. They are not: of few Attempts, the answer is a
 * first guess. `undefined`: the rates seen are equal, or a side has no completed Attempt.
 *
 * @throws StatisticsInputError when a count, the level or the power is none.
 */
export function moreAttemptsNeeded(a: Omit<Passed, 'level'>, b: Omit<Passed, 'level'>, certainty: Certainty = {}): MoreAttempts | undefined {
  checkPassed(a.passed, a.total);
  checkPassed(b.passed, b.total);
  if (a.total === 0 || b.total === 0) return undefined;
  const perSide = attemptsToTellApart({ rateA: a.passed / a.total, rateB: b.passed / b.total, ...certainty });
  return perSide === undefined ? undefined : { perSide, a: Math.max(0, perSide - a.total), b: Math.max(0, perSide - b.total) };
}
