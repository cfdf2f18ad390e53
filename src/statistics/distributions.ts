import jStat from 'jstat';

/** The value that a standard normal variable stays below with probability `share`. */
export function normalQuantile(share: number): number {
  return jStat.normal.inv(share, 0, 1);
}

/** The probability that a standard normal variable is at most `value`. */
export function normalShare(value: number): number {
  return jStat.normal.cdf(value, 0, 1);
}

/** The value that a variable of Student's t distribution stays below with probability `share`. */
export function studentQuantile(share: number, degreesOfFreedom: number): number {
  return jStat.studentt.inv(share, degreesOfFreedom);
}

/** How many standard errors an interval of `level` reaches to each side: 1.96 for 0.95. */
export function reachOf(level: number): number {
  return normalQuantile((1 + level) / 2);
}
