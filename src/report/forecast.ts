import { knownMedian } from '../statistics/known-values.js';
import { dollars } from './words.js';

/** A pair of the plan, how often it is to run, and what its recorded Attempts cost. */
export interface PlannedPair {
  readonly attempts: number;
  /** US dollars each; `undefined` where that is not known. */
  readonly recorded: readonly (number | undefined)[];
}

/** What a plan may cost, by what was recorded. */
export interface Forecast {
  /** Of those Attempts that are known; absent where none is. */
  readonly usd?: number;
  readonly attempts: number;
  readonly known: number;
}

/** The median of what the recorded Attempts of each pair cost, times how often it is to run. */
export function forecastOf(pairs: readonly PlannedPair[]): Forecast {
  let usd = 0;
  let known = 0;
  for (const { attempts, recorded } of pairs) {
    const { median } = knownMedian(recorded);
    if (median === undefined) continue;
    usd += median * attempts;
    known += attempts;
  }
  return { attempts: pairs.reduce((sum, pair) => sum + pair.attempts, 0), known, ...(known === 0 ? {} : { usd }) };
}

/** One line. */
export function forecastLine({ usd, attempts, known }: Forecast): string {
  if (usd === undefined) return `estimate: nobody knows what ${attempts === 1 ? 'the Attempt' : `the ${attempts} Attempts`} will cost; none of ${attempts === 1 ? 'its' : 'their'} kind was recorded with a price`;
  const rest = attempts - known;
  return `estimate: about ${dollars(usd)} for ${known} of ${attempts} Attempts, by the medians of recorded ones${rest === 0 ? '' : `; of ${rest} nobody knows`}`;
}
