import type { EvidenceCoverage } from '../evidence/coverage.js';
import type { StreamEvent } from '../evidence/events.js';
import { toolOccurrencesOf, type ToolOccurrence } from '../evidence/occurrence.js';
import type { TurnStatus } from '../evidence/turn.js';

/** What one session came to, as far as a scope reaches. */
export interface SessionEvidence {
  readonly events: readonly StreamEvent[];
  /** What the session held before the scope begins: an end in it may belong to a start from then. Default: nothing. */
  readonly earlier?: readonly StreamEvent[];
  readonly statuses: readonly TurnStatus[];
}

/** The evidence a claim is about, frozen when it is made. */
export interface ScopeEvidence {
  /** For messages: `turn 1`, `the session`, `the attempt`. */
  readonly name: string;
  readonly sessions: readonly SessionEvidence[];
  readonly coverage: EvidenceCoverage;
  /** A send of this scope is under way, so nothing about it is complete. */
  readonly running: boolean;
}

/** The tool calls of a scope, paired within each session, and the ends that nothing started. */
export function occurrencesOf(scope: ScopeEvidence): { readonly occurrences: readonly ToolOccurrence[]; readonly orphanEnds: number } {
  const perSession = scope.sessions.map(({ events, earlier = [] }) => {
    if (earlier.length === 0) return toolOccurrencesOf(events);
    const whole = toolOccurrencesOf([...earlier, ...events]);
    return {
      occurrences: whole.occurrences.filter((call) => call.startedIndex >= earlier.length),
      orphanEnds: whole.orphanEnds - toolOccurrencesOf(earlier).orphanEnds,
    };
  });
  return {
    occurrences: perSession.flatMap((session) => session.occurrences),
    orphanEnds: perSession.reduce((sum, session) => sum + session.orphanEnds, 0),
  };
}

/** Why a channel of a scope is not complete, or `undefined` when it is. */
export function gapOf(scope: ScopeEvidence, channel: keyof EvidenceCoverage): string | undefined {
  if (scope.running) return `a send of ${scope.name} is still under way`;
  const entry = scope.coverage[channel];
  return entry.status === 'complete' ? undefined : `${channel} coverage is ${entry.status}: ${entry.reason}`;
}
