import type { Weight } from './answer-facts.js';
import { isBraced, keysIn, soughtKeys } from './bytes.js';

/**
 * How much an event without a name can tell, by the keys that it has.
 *
 * @param usage The key that tells all of the usage.
 * @param others Further keys that tell something. Each of all begins with another letter; at most 7.
 */
export function weighedByKeys(usage: string, ...others: readonly string[]): (event: Buffer) => Weight {
  const sought = soughtKeys(usage, ...others);
  return (event) => {
    if (!isBraced(event)) return 'all';
    const found = keysIn(event, sought);
    if (found === 0) return 'nothing';
    return found === 1 ? 'latest' : 'all';
  };
}
