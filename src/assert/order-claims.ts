import { unavailable } from '../expect/match.js';
import type { ClaimOutcome } from './claim.js';
import type { Countable } from './count.js';
import { findOrder, type OrderState } from './order.js';
import type { Gap, ScopeEvidence, SessionEvidence } from './scope.js';

/** Judges an order within each session: it holds where one session has it. */
export function judgeOrder<S>(
  scope: ScopeEvidence,
  steps: readonly Countable<S>[],
  subjectsOf: (session: SessionEvidence) => readonly S[],
  gap: Gap | undefined,
): ClaimOutcome | Promise<ClaimOutcome> {
  const judged = (states: readonly OrderState[]): ClaimOutcome => {
    if (states.some(({ state }) => state === 'found')) return { status: 'matched' };
    const doubt = states.find(({ state }) => state === 'possible')?.doubt;
    if (doubt !== undefined) return doubt;
    if (gap !== undefined) return unavailable(gap.code, gap.reason);
    const furthest = Math.max(0, ...states.map((state) => state.steps));
    const missing = steps[furthest]?.description ?? '';
    return { status: 'mismatched', expected: `${steps.length} in this order`, received: furthest === 0 ? `no ${missing}` : `the first ${furthest}; after them no ${missing}` };
  };
  const states = scope.sessions.map((session) => findOrder(steps, subjectsOf(session)));
  return states.some((state) => state instanceof Promise) ? Promise.all(states).then(judged) : judged(states as readonly OrderState[]);
}
