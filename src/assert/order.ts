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
  const state = walked(steps.length, subjects.length, (step, subject) => outcomeAt(steps[step] as Countable<S>, subjects[subject] as S));
  return state ?? findOrderLater(steps, subjects);
}

/** Where a comparison takes its time, all are made first. */
async function findOrderLater<S>(steps: readonly Countable<S>[], subjects: readonly S[]): Promise<OrderState> {
  const rows = await Promise.all(steps.map((step) => Promise.all(subjects.map(async (subject) => outcomeAt(step, subject)))));
  return walked(steps.length, subjects.length, (step, subject) => rows[step]?.[subject] ?? ELSEWHERE) as OrderState;
}

const ELSEWHERE: MatchOutcome = Object.freeze({ status: 'mismatched', expected: '', received: '' });

function outcomeAt<S>(step: Countable<S>, subject: S): PendingOutcome {
  return step.concerns?.(subject) === false ? ELSEWHERE : step.evaluate(subject);
}

type Look = (step: number, subject: number) => PendingOutcome;

/** First with what is certain, then with what is possible. Each candidate is looked at once a walk. `undefined`: a comparison takes its time. */
function walked(steps: number, subjects: number, look: Look): OrderState | undefined {
  const certain = walk(steps, subjects, look, (outcome) => outcome.status === 'matched');
  if (certain === undefined) return undefined;
  if (certain.length === steps) return { state: 'found', steps };
  const possible = walk(steps, subjects, look, (outcome) => outcome.status !== 'mismatched');
  if (possible === undefined) return undefined;
  if (possible.length < steps) return { state: 'absent', steps: certain.length };
  const doubt = possible.find((outcome) => outcome.status === 'unavailable');
  return { state: 'possible', steps: certain.length, ...(doubt?.status === 'unavailable' ? { doubt } : {}) };
}

/** The outcomes at the candidates that the steps take, as far as they come. */
function walk(steps: number, subjects: number, look: Look, fits: (outcome: MatchOutcome) => boolean): readonly MatchOutcome[] | undefined {
  const taken: MatchOutcome[] = [];
  for (let subject = 0; subject < subjects && taken.length < steps; subject += 1) {
    const outcome = look(taken.length, subject);
    if (outcome instanceof Promise) {
      outcome.catch(() => undefined);
      return undefined;
    }
    if (fits(outcome)) taken.push(outcome);
  }
  return taken;
}
