import { reachOf } from './distributions.js';
import { checkOpenShare } from './input.js';
import { DEFAULT_LEVEL, wilsonInterval, type Passed } from './wilson.js';

/** What was seen, and how wide its interval may be. */
export interface WidthWanted extends Passed {
  /** From low to high: the full width, above 0 and below 1. */
  readonly width: number;
}

/**
 * True when the Wilson interval of what was seen is no wider than `width`. False where nothing was seen.
 *
 * @throws StatisticsInputError when the counts, the level or the width are none.
 */
export function isNarrowEnough({ width, ...seen }: WidthWanted): boolean {
  checkOpenShare('width', width);
  const interval = wilsonInterval(seen);
  return interval !== undefined && interval.high - interval.low <= width;
}

/**
 * How many more completed Attempts are enough for an interval no wider than `width`, however they come out: 0 where it is already.
 * The interval is widest when half of n pass, where its width is z / sqrt(n + z²) (from the formula of Wilson, z being 1.96 at 0.95).
 * Fewer may do.
 *
 * @throws StatisticsInputError when the counts, the level or the width are none.
 */
export function attemptsForWidth({ passed, total, width, level = DEFAULT_LEVEL }: WidthWanted): number {
  if (isNarrowEnough({ passed, total, width, level })) return 0;
  const z = reachOf(level);
  let enough = Math.max(1, Math.floor((z / width) ** 2 - z ** 2));
  while (!isNarrowEnough({ passed: Math.floor(enough / 2), total: enough, width, level })) enough += 1;
  return Math.max(0, enough - total);
}
