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

/** Compares every candidate; at once, where no comparison takes its time. What was compared is not kept: there may be a million. */
export function find<S>(match: Countable<S>, subjects: readonly S[]): Found<S> | Promise<Found<S>> {
  const tally = new Tally<S>(match.description);
  for (const [index, subject] of subjects.entries()) {
    if (match.concerns !== undefined && !match.concerns(subject)) continue;
    const outcome = match.evaluate(subject);
    if (outcome instanceof Promise) return findLater(match, { tally, subject, outcome, rest: subjects.slice(index + 1) });
    tally.add(subject, outcome);
  }
  return tally.found;
}

/** Goes on where a comparison takes its time: all that are left run side by side. */
async function findLater<S>(match: Countable<S>, { tally, subject, outcome, rest }: { readonly tally: Tally<S>; readonly subject: S; readonly outcome: PendingOutcome; readonly rest: readonly S[] }): Promise<Found<S>> {
  const concerned = rest.filter((other) => match.concerns?.(other) !== false);
  const settled = await Promise.all([outcome, ...concerned.map(async (other) => match.evaluate(other))]);
  for (const [index, one] of settled.entries()) tally.add(index === 0 ? subject : concerned[index - 1] as S, one);
  return tally.found;
}

class Tally<S> {
  readonly #description: string;
  readonly #matched: S[] = [];
  #undecided = 0;
  #firstUndecided: Found<S>['firstUndecided'];
  #nearest: Found<S>['nearest'];
  #nearness = -1;

  constructor(description: string) {
    this.#description = description;
  }

  add(subject: S, outcome: MatchOutcome): void {
    if (outcome.status === 'matched') this.#matched.push(subject);
    else if (outcome.status === 'unavailable') {
      this.#undecided += 1;
      this.#firstUndecided ??= outcome;
    } else {
      const near = nearness(outcome, this.#description);
      if (near <= this.#nearness) return;
      this.#nearest = { subject, outcome };
      this.#nearness = near;
    }
  }

  get found(): Found<S> {
    return {
      matched: this.#matched,
      undecided: this.#undecided,
      ...(this.#firstUndecided === undefined ? {} : { firstUndecided: this.#firstUndecided }),
      ...(this.#nearest === undefined ? {} : { nearest: this.#nearest }),
    };
  }
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
