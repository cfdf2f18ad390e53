import type { CostEstimate } from '../evidence/cost.js';
import type { EvidenceChannel, EvidenceCoverage } from '../evidence/coverage.js';
import type { StreamEvent } from '../evidence/events.js';
import { sessionOccurrencesOf, type EventOccurrence, type ToolOccurrence } from '../evidence/occurrence.js';
import type { TurnStatus } from '../evidence/turn.js';
import type { Usage } from '../evidence/usage.js';

/** What one session came to, as far as a scope reaches. */
export interface SessionEvidence {
  readonly events: readonly StreamEvent[];
  /** What the session held before the scope begins: an end in it may belong to a start from then. Default: nothing. */
  readonly earlier?: readonly StreamEvent[];
  readonly statuses: readonly TurnStatus[];
}

/** What one turn consumed. */
export interface TurnConsumption {
  readonly label: string;
  /** Absent: nobody told. */
  readonly usage?: Usage;
  /** Why its usage is not complete. Absent: it is. */
  readonly gap?: string;
  readonly durationMs: number;
  /** What its usage comes to by the price table. */
  readonly estimate: () => CostEstimate;
}

/** The evidence a claim is about, frozen when it is made. */
export interface ScopeEvidence {
  /** For messages: `turn 1`, `the session`, `the attempt`. */
  readonly name: string;
  readonly sessions: readonly SessionEvidence[];
  /** The turns that have ended, in order. */
  readonly turns: readonly TurnConsumption[];
  readonly coverage: EvidenceCoverage;
  /** A send of this scope is under way, so nothing about it is complete. */
  readonly running: boolean;
}

/** What happened in one session of a scope, paired. */
export interface ScopedOccurrences {
  readonly occurrences: readonly ToolOccurrence[];
  readonly orphanEnds: number;
  readonly orphanDelegations: number;
  readonly events: readonly EventOccurrence[];
}

const known = new WeakMap<SessionEvidence, ScopedOccurrences>();

/** Pairs a session once, however many claims ask. */
export function occurrencesIn(session: SessionEvidence): ScopedOccurrences {
  const found = known.get(session) ?? paired(session);
  known.set(session, found);
  return found;
}

function paired({ events, earlier = [] }: SessionEvidence): ScopedOccurrences {
  if (earlier.length === 0) return sessionOccurrencesOf(events);
  const whole = sessionOccurrencesOf([...earlier, ...events]);
  const before = sessionOccurrencesOf(earlier);
  return {
    occurrences: whole.occurrences.filter((call) => call.startedIndex >= earlier.length),
    orphanEnds: whole.orphanEnds - before.orphanEnds,
    orphanDelegations: whole.orphanDelegations - before.orphanDelegations,
    events: whole.events.slice(earlier.length),
  };
}

/** The tool calls of a scope, paired within each session. */
export function occurrencesOf(scope: ScopeEvidence): readonly ToolOccurrence[] {
  const sessions = scope.sessions.map(occurrencesIn);
  const [only] = sessions;
  return only !== undefined && sessions.length === 1 ? only.occurrences : sessions.flatMap((session) => session.occurrences);
}

/** Why a picture is not complete, for people and for machines. */
export interface Gap {
  readonly code: string;
  readonly reason: string;
}

/** Why starts were missed, where ends without one prove it. */
export function orphanGapOf(scope: ScopeEvidence, kinds: 'tools' | 'all'): Gap | undefined {
  const sessions = scope.sessions.map(occurrencesIn);
  const calls = sessions.reduce((sum, { orphanEnds }) => sum + orphanEnds, 0);
  if (calls > 0) return { code: 'orphan-end', reason: `${calls} tool calls ended that were not seen to start` };
  const delegations = kinds === 'tools' ? 0 : sessions.reduce((sum, { orphanDelegations }) => sum + orphanDelegations, 0);
  return delegations === 0 ? undefined : { code: 'orphan-end', reason: `${delegations} subagents ended that were not seen to start` };
}

/** Why a channel of a scope is not complete, or `undefined` when it is. */
export function gapOf(scope: ScopeEvidence, channel: EvidenceChannel): Gap | undefined {
  if (scope.running) return { code: 'scope-still-running', reason: `a send of ${scope.name} is still under way` };
  const entry = scope.coverage[channel];
  return entry.status === 'complete' ? undefined : { code: `${channel}-coverage-${entry.status}`, reason: `${channel} coverage is ${entry.status}: ${entry.reason}` };
}
