/** Numbers that look random and are the same on every run. */
export interface Random {
  /** A whole number from 0 up to but not including `limit`, which is at least 1. */
  below(limit: number): number;
  pick<T>(items: readonly [T, ...(readonly T[])]): T;
  pickAny<T>(items: readonly T[]): T | undefined;
}

/** Creates a generator. One seed gives one sequence. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32, public domain.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
    pickAny: (items) => items[below(items.length)],
  };
}
