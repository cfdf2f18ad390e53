import { show } from '../expect/match.js';
import { ClaimAuthoringError } from './errors.js';

/** @throws ClaimAuthoringError unless the limit is a number of at least 0, and a whole one where things are counted. */
export function checkedLimit(method: string, limit: unknown, kind: 'whole' | 'any'): number {
  const fits = typeof limit === 'number' && limit >= 0 && (kind === 'whole' ? Number.isInteger(limit) : Number.isFinite(limit));
  if (!fits) throw new ClaimAuthoringError(`${method} needs a ${kind === 'whole' ? 'whole' : 'finite'} number of at least 0, not ${show(limit)}.`);
  return limit;
}
