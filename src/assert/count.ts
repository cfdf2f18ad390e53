import type { CountRange } from '../expect/count-range.js';
import type { MatchOutcome, PendingOutcome } from '../expect/match.js';
import { unavailable } from '../expect/match.js';
import type { Gap } from './scope.js';

/** What can be counted: a match of one domain. */
export interface Countable<S> {
  readonly description: string;
  readonly evaluate: (subject: S) => PendingOutcome;
  readonly concerns?: (subject: S) => boolean;
}

/** What was found among the candidates. */
export interface Found<S> {
  readonly matched: readonly S[];
  /** How many cannot be decided, and the first of them. */
  readonly undecided: number;
  readonly firstUndecided?: MatchOutcome & { readonly status: 'unavailable' };
  /** The mismatched candidate that came nearest. */
  readonly nearest?: { readonly subject: S; readonly outcome: MatchOutcome & { readonly status: 'mismatched' } };
}

/** Compares every candidate; at once, where no comparison takes its time. */
export function find<S>(match: Countable<S>, subjects: readonly S[]): Found<S> | Promise<Found<S>> {
  const compared: S[] = [];
  const outcomes: PendingOutcome[] = [];
  let takesTime = false;
  for (const subject of subjects) {
    if (match.concerns !== undefined && !match.concerns(subject)) continue;
    const outcome = match.evaluate(subject);
    takesTime ||= outcome instanceof Promise;
    compared.push(subject);
    outcomes.push(outcome);
  }
  return takesTime ? Promise.all(outcomes).then((settled) => sorted(match, compared, settled)) : sorted(match, compared, outcomes as readonly MatchOutcome[]);
}

function sorted<S>({ description }: Countable<S>, subjects: readonly S[], outcomes: readonly MatchOutcome[]): Found<S> {
  const matched: S[] = [];
  let undecided = 0;
  let firstUndecided: Found<S>['firstUndecided'];
  let nearest: Found<S>['nearest'];
  for (const [index, outcome] of outcomes.entries()) {
    const subject = subjects[index] as S;
    if (outcome.status === 'matched') matched.push(subject);
    else if (outcome.status === 'unavailable') {
      undecided += 1;
      firstUndecided ??= outcome;
    } else if (nearest === undefined || nearness(outcome, description) > nearness(nearest.outcome, description)) {
      nearest = { subject, outcome };
    }
  }
  return { matched, undecided, ...(firstUndecided === undefined ? {} : { firstUndecided }), ...(nearest === undefined ? {} : { nearest }) };
}

/** A candidate that differs at one place is nearer than one that differs in a condition; one that is of another kind altogether is near to nothing. */
function nearness(outcome: MatchOutcome & { readonly status: 'mismatched' }, description: string): number {
  if (outcome.path !== undefined) return 2;
  return outcome.expected === description ? 0 : 1;
}

/** What was counted: how many match for certain, how many may match, and why there may be more that were not seen. */
export interface Counted {
  readonly matched: number;
  readonly undecided: number;
  readonly firstUndecided?: MatchOutcome & { readonly status: 'unavailable' };
  /** Why the picture is not complete. `undefined`: it is. */
  readonly gap: Gap | undefined;
}

/** How a count came out. */
export type CountState = 'matched' | 'mismatched' | (MatchOutcome & { readonly status: 'unavailable' });

/**
 * Three-valued counting. What was seen stands, whatever is missing; what was not seen did not happen only where the
 * picture is complete; and no "no" that something hidden could overturn.
 */
export function judgeCount({ min, max }: CountRange, { matched, undecided, firstUndecided, gap }: Counted): CountState {
  const most = gap === undefined ? matched + undecided : Infinity;
  if (matched > max || most < min) return 'mismatched';
  if (matched >= min && most <= max) return 'matched';
  if (firstUndecided !== undefined) return firstUndecided;
  return unavailable(gap?.code ?? 'evidence-unavailable', gap?.reason ?? 'the evidence is not complete');
}
