/** How often something must be found. `max` is `Infinity` where there is no upper bound. */
export interface CountRange {
  readonly min: number;
  readonly max: number;
}

/** @throws TypeError unless both ends are whole numbers and the range asks for something. */
export function checkedRange(method: string, min: number, max: number): CountRange {
  const given = method === 'atLeast' ? [min] : method === 'atMost' ? [max] : [...new Set([min, max])];
  const isCount = (count: unknown): boolean => typeof count === 'number' && (Number.isInteger(count) || count === Infinity) && count >= 0;
  if (!isCount(min) || min === Infinity || !isCount(max) || min > max) {
    throw new TypeError(`.${method}() needs whole numbers from 0, the smaller one first, not ${given.map(String).join(' and ')}.`);
  }
  if (min === 0 && max === Infinity) throw new TypeError(`.${method}(${given.join(', ')}) asks for nothing: it always holds. Use at least 1, or .atMost(0) for none.`);
  return Object.freeze({ min, max });
}

/** A range in words, for instance `at least once`. */
export function wordsOfRange({ min, max }: CountRange): string {
  const times = (number: number): string => (number === 1 ? 'once' : `${number} times`);
  if (max === Infinity) return `at least ${times(min)}`;
  if (min === max) return min === 0 ? 'not at all' : `exactly ${times(min)}`;
  return min === 0 ? `at most ${times(max)}` : `${min} to ${max} times`;
}
