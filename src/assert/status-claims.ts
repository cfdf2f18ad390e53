import { MATCHED, unavailable } from '../expect/match.js';
import type { ClaimOutcome } from './claim.js';
import type { ClaimSpec } from './entry.js';
import { gapOf, type ScopeEvidence } from './scope.js';

/** No turn failed, and the last turn of each session completed. */
export function succeeded(scope: ScopeEvidence): ClaimSpec {
  return { description: `${scope.name} succeeded`, evaluate: () => judgeSuccess(scope) };
}

function judgeSuccess(scope: ScopeEvidence): ClaimOutcome {
  const expected = 'completed';
  const statuses = scope.sessions.flatMap((session) => session.statuses);
  if (statuses.includes('failed')) return { status: 'mismatched', expected, received: failureOf(scope) };
  const gap = gapOf(scope, 'status');
  if (statuses.length === 0) {
    return scope.running && gap !== undefined ? unavailable(gap.code, gap.reason) : { status: 'mismatched', expected, received: 'nothing was sent' };
  }
  // A send that is under way may be the answer.
  if (!scope.running && scope.sessions.some((session) => session.statuses.at(-1) === 'waiting')) return { status: 'mismatched', expected, received: 'waiting for a person' };
  return gap === undefined ? MATCHED : unavailable(gap.code, gap.reason);
}

function failureOf(scope: ScopeEvidence): string {
  const messages = scope.sessions.flatMap((session) => session.events).flatMap((event) => (
    event.type === 'error' && event.recovered !== true ? [event.message] : []
  ));
  return messages.length === 0 ? 'failed' : `failed: ${messages.at(-1)}`;
}
