import { checkFinite } from './input.js';

/** How long something took. */
export interface Observation {
  /** In whatever unit the caller likes; the summary has the same. */
  readonly value: number;
  /** True: it was cut off, so that it would have taken longer than `value`. */
  readonly censored: boolean;
}

/** What can be said of durations of which some were cut off. */
export interface DurationSummary {
  readonly total: number;
  readonly censored: number;
  /** The smallest time at which a quarter was over. Absent, as the others: that time was not reached before things were cut off. */
  readonly lowerQuartile?: number;
  readonly median?: number;
  readonly upperQuartile?: number;
  /** Only where nothing was cut off. */
  readonly mean?: number;
}

// Products of quotients miss 0.5 by a few units in the last place.
const ROUNDING = 1e-9;

/**
 * Median and quartiles by the product-limit estimate of Kaplan and Meier (1958), each the smallest observed time t with S(t) at most
 * 0.75, 0.5 and 0.25. What was cut off counts as still running at that time and is unknown afterwards. Without any, an even number of
 * observations has the lower of its two middle values for a median.
 *
 * @throws StatisticsInputError when a value is not finite.
 */
export function durationSummary(observations: readonly Observation[]): DurationSummary {
  for (const { value } of observations) checkFinite('value', value);
  const total = observations.length;
  const censored = observations.filter((observation) => observation.censored).length;
  const curve = survivalOf(observations);
  const reached = (share: number): number | undefined => curve.find(({ surviving }) => surviving <= share + ROUNDING)?.time;
  const lowerQuartile = reached(0.75);
  const median = reached(0.5);
  const upperQuartile = reached(0.25);
  return {
    total,
    censored,
    ...(lowerQuartile === undefined ? {} : { lowerQuartile }),
    ...(median === undefined ? {} : { median }),
    ...(upperQuartile === undefined ? {} : { upperQuartile }),
    ...(total === 0 || censored > 0 ? {} : { mean: observations.reduce((sum, { value }) => sum + value, 0) / total }),
  };
}

/** S(t) at each time at which something ended by itself. */
function survivalOf(observations: readonly Observation[]): readonly { readonly time: number; readonly surviving: number }[] {
  const sorted = [...observations].sort((a, b) => a.value - b.value);
  const curve: { readonly time: number; readonly surviving: number }[] = [];
  let surviving = 1;
  for (let start = 0; start < sorted.length;) {
    const time = sorted[start]?.value ?? 0;
    let next = start;
    let ended = 0;
    for (; next < sorted.length && sorted[next]?.value === time; next += 1) ended += sorted[next]?.censored === true ? 0 : 1;
    // What was cut off at the very time of an end was still at risk of it.
    surviving *= 1 - ended / (sorted.length - start);
    if (ended > 0) curve.push({ time, surviving });
    start = next;
  }
  return curve;
}
