import { StatisticsInputError } from './errors.js';

/** Throws unless `value` is a whole number of at least `least`. */
export function checkCount(name: string, value: number, least = 0): void {
  if (!Number.isSafeInteger(value) || value < least) throw new StatisticsInputError(`\`${name}\` must be a whole number of at least ${least}, not ${value}.`);
}

/** Throws unless `passed` of `total` is a count of successes. */
export function checkPassed(passed: number, total: number): void {
  checkCount('total', total);
  checkCount('passed', passed);
  if (passed > total) throw new StatisticsInputError(`\`passed\` is ${passed}, more than \`total\`, which is ${total}.`);
}

/** Throws unless `value` lies between 0 and 1, neither of them included. */
export function checkOpenShare(name: string, value: number): void {
  if (!(value > 0 && value < 1)) throw new StatisticsInputError(`\`${name}\` must lie between 0 and 1, not be ${value}.`);
}

/** Throws unless `value` lies between 0 and 1, both included. */
export function checkShare(name: string, value: number): void {
  if (!(value >= 0 && value <= 1)) throw new StatisticsInputError(`\`${name}\` must be from 0 to 1, not ${value}.`);
}

/** Throws unless `value` is a number that is not infinite. */
export function checkFinite(name: string, value: number): void {
  if (!Number.isFinite(value)) throw new StatisticsInputError(`\`${name}\` must be a finite number, not ${value}.`);
}
