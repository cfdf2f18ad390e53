import type { ClaimOutcome } from '../../src/assert/claim.js';
import type { ClaimSpec } from '../../src/assert/entry.js';

/** How a claim that holds or not comes out. */
export async function outcomeOf(claim: ClaimSpec): Promise<ClaimOutcome> {
  if (claim.kind === 'measurement' || claim.kind === 'points') throw new TypeError(`"${claim.description}" is no claim that holds or not.`);
  return claim.evaluate();
}
