import type { MatchOutcome, PendingOutcome } from '../expect/match.js';
import type { Countable } from './count.js';

/** How a sequence came out in one session. */
export interface OrderState {
  /** `possible`: only with candidates that cannot be decided. */
  readonly state: 'found' | 'possible' | 'absent';
  /** How many steps were found for certain, one after the other. */
  readonly steps: number;
  /** Why `possible` is not `found`. */
  readonly doubt?: MatchOutcome & { readonly status: 'unavailable' };
}

/**
 * Looks for the steps in order, each one in a later, different candidate; others may lie between. A cursor only moves
 * forward: the earliest candidate for each step leaves the most room for the next.
 */
export function findOrder<S>(steps: readonly Countable<S>[], subjects: readonly S[]): OrderState | Promise<OrderState> {
  const outcomes = steps.map((step) => subjects.map((subject): PendingOutcome => (step.concerns?.(subject) === false ? ELSEWHERE : step.evaluate(subject))));
  if (!outcomes.some((row) => row.some((outcome) => outcome instanceof Promise))) return ordered(outcomes as readonly (readonly MatchOutcome[])[]);
  return Promise.all(outcomes.map((row) => Promise.all(row))).then(ordered);
}

const ELSEWHERE: MatchOutcome = Object.freeze({ status: 'mismatched', expected: '', received: '' });

function ordered(rows: readonly (readonly MatchOutcome[])[]): OrderState {
  const certain = walk(rows, (outcome) => outcome.status === 'matched');
  if (certain.length === rows.length) return { state: 'found', steps: rows.length };
  const possible = walk(rows, (outcome) => outcome.status !== 'mismatched');
  if (possible.length < rows.length) return { state: 'absent', steps: certain.length };
  const doubts = possible.map((index, step) => rows[step]?.[index]);
  const doubt = doubts.find((outcome) => outcome?.status === 'unavailable');
  return { state: 'possible', steps: certain.length, ...(doubt?.status === 'unavailable' ? { doubt } : {}) };
}

/** The candidates that the steps take, as far as they come. */
function walk(rows: readonly (readonly MatchOutcome[])[], fits: (outcome: MatchOutcome) => boolean): readonly number[] {
  const taken: number[] = [];
  let cursor = 0;
  for (const row of rows) {
    while (cursor < row.length && !fits(row[cursor] as MatchOutcome)) cursor += 1;
    if (cursor === row.length) break;
    taken.push(cursor);
    cursor += 1;
  }
  return taken;
}
