import { checkFinite } from './input.js';

/** What can be said of numbers of which some are not known. */
export interface KnownValues {
  /** Of the known ones; the mean of the middle two where their number is even. Absent: none is known. */
  readonly median?: number;
  readonly known: number;
  readonly total: number;
}

/**
 * The median of what is known, and of how many. A value that is not known (`undefined`) is counted, never taken for zero.
 *
 * @throws StatisticsInputError when a value is not finite.
 */
export function knownMedian(values: readonly (number | undefined)[]): KnownValues {
  const known = values.flatMap((value) => (value === undefined ? [] : [value])).sort((a, b) => a - b);
  for (const value of known) checkFinite('value', value);
  const upper = known[Math.floor(known.length / 2)];
  const lower = known[Math.floor((known.length - 1) / 2)];
  const counts = { known: known.length, total: values.length };
  return upper === undefined || lower === undefined ? counts : { median: lower + (upper - lower) / 2, ...counts };
}
