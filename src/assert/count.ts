import type { MatchOutcome } from '../expect/match.js';
import { MATCHED } from '../expect/match.js';

/** How many occurrences are claimed. */
export type CountClaim =
  | { readonly atLeast: number }
  | { readonly exactly: number };

/** What was found: how many match for certain, how many may match, and why there may be more that were not seen. */
export interface Counted {
  readonly matched: number;
  /** Reasons of the candidates that cannot be decided. */
  readonly undecided: readonly string[];
  /** Why the picture is not complete. `undefined`: it is. */
  readonly gap: string | undefined;
  /** What came nearest, for the message. */
  readonly nearest?: string;
}

/**
 * Three-valued counting. What was seen stands, whatever is missing; what was not seen did not happen only where the
 * picture is complete; and no "no" that something hidden could overturn.
 */
export function judgeCount(claim: CountClaim, counted: Counted, expected: string): MatchOutcome {
  const { matched, undecided, gap } = counted;
  const most = gap === undefined ? matched + undecided.length : Infinity;
  const received = `${matched} found${counted.nearest === undefined ? '' : `; nearest: ${counted.nearest}`}`;
  const mismatched: MatchOutcome = { status: 'mismatched', expected, received };
  const unavailable: MatchOutcome = { status: 'unavailable', reason: undecided[0] ?? gap ?? 'the evidence is not complete' };
  if ('atLeast' in claim) {
    if (matched >= claim.atLeast) return MATCHED;
    return most < claim.atLeast ? mismatched : unavailable;
  }
  if (matched > claim.exactly || most < claim.exactly) return mismatched;
  return matched === claim.exactly && most === matched ? MATCHED : unavailable;
}
