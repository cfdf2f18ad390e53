import { ClaimAuthoringError } from '../assert/errors.js';
import type { AnyHandle } from '../assert/handle.js';
import type { ClaimLedger } from '../assert/ledger.js';
import { isScoreMatch, isValueMatch, worded } from '../expect/match.js';
import { checkArguments } from './claims-of.js';

/** Claims something of a value, or measures it. Compared now: the author may change the value later. */
export function checkValue(claims: ClaimLedger, given: readonly unknown[]): AnyHandle {
  checkArguments('check', 2, given);
  const [value, match] = given;
  if (typeof (value as { then?: unknown } | null | undefined)?.then === 'function') {
    throw new ClaimAuthoringError('check(value, match) was given a promise. Put `await` before the value.');
  }
  if (isScoreMatch(match)) {
    const score = settledNow(() => match.score(value));
    return claims.register({ kind: 'measurement', description: `the value's ${match.description}`, measure: async () => ({ status: 'measured', score: await score }) });
  }
  if (!isValueMatch(match)) throw new ClaimAuthoringError('check(value, match) needs a value match, for instance equals(...).');
  // In words at once, too.
  const outcome = settledNow(async () => worded(await match.evaluate(value)));
  return claims.register({ description: `the value ${match.description}`, evaluate: () => outcome });
}

/** The outcome of work that begins at once, as a promise that breaks nothing while nobody looks at it. */
function settledNow<T>(work: () => T | Promise<T>): Promise<T> {
  const outcome = (async () => work())();
  outcome.catch(() => undefined);
  return outcome;
}
