import { expect } from 'vitest';
import { worded, type MatchOutcome } from '../../src/expect/match.js';

// Mismatches put what they received into words when they are read. Compared are the words.
expect.addEqualityTesters([function outcomesEqual(a, b, testers) {
  const isLazy = (value: unknown): value is MatchOutcome => (value as { constructor?: { name?: unknown } } | null | undefined)?.constructor?.name === 'Mismatch';
  if (!isLazy(a) && !isLazy(b)) return undefined;
  return this.equals(isLazy(a) ? worded(a) : a, isLazy(b) ? worded(b) : b, testers);
}]);
