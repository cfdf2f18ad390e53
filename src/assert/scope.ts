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

/** What happened in one session, or in all of a scope, paired. */
export interface ScopedOccurrences {
  readonly occurrences: readonly ToolOccurrence[];
  readonly orphanEnds: number;
  readonly orphanDelegations: number;
  readonly events: readonly EventOccurrence[];
  /** The same events by kind. */
  readonly byKind: ReadonlyMap<StreamEvent['type'], readonly EventOccurrence[]>;
}

const ofSessions = new WeakMap<SessionEvidence, ScopedOccurrences>();
const ofScopes = new WeakMap<ScopeEvidence, ScopedOccurrences>();

/** Pairs a session once, however many claims ask. */
export function occurrencesIn(session: SessionEvidence): ScopedOccurrences {
  return remembered(ofSessions, session, paired);
}

/** Everything in a scope, paired within each session. */
export function occurrencesOf(scope: ScopeEvidence): ScopedOccurrences {
  const [only, ...others] = scope.sessions;
  return only !== undefined && others.length === 0 ? occurrencesIn(only) : remembered(ofScopes, scope, joined);
}

function remembered<K extends object, V>(known: WeakMap<K, V>, key: K, work: (key: K) => V): V {
  const found = known.get(key) ?? work(key);
  known.set(key, found);
  return found;
}

function joined({ sessions }: ScopeEvidence): ScopedOccurrences {
  const all = sessions.map(occurrencesIn);
  return withKinds({
    occurrences: all.flatMap((session) => session.occurrences),
    orphanEnds: all.reduce((sum, session) => sum + session.orphanEnds, 0),
    orphanDelegations: all.reduce((sum, session) => sum + session.orphanDelegations, 0),
    events: all.flatMap((session) => session.events),
  });
}

function paired({ events, earlier = [] }: SessionEvidence): ScopedOccurrences {
  if (earlier.length === 0) return withKinds(sessionOccurrencesOf(events));
  const whole = sessionOccurrencesOf([...earlier, ...events]);
  const before = sessionOccurrencesOf(earlier);
  return withKinds({
    occurrences: whole.occurrences.filter((call) => call.startedIndex >= earlier.length),
    orphanEnds: whole.orphanEnds - before.orphanEnds,
    orphanDelegations: whole.orphanDelegations - before.orphanDelegations,
    events: whole.events.slice(earlier.length),
  });
}

function withKinds(happened: Omit<ScopedOccurrences, 'byKind'>): ScopedOccurrences {
  const byKind = new Map<StreamEvent['type'], EventOccurrence[]>();
  for (const occurrence of happened.events) {
    const same = byKind.get(occurrence.event.type);
    if (same === undefined) byKind.set(occurrence.event.type, [occurrence]);
    else same.push(occurrence);
  }
  return { ...happened, byKind };
}

/** Why a picture is not complete, for people and for machines. */
export interface Gap {
  readonly code: string;
  readonly reason: string;
}

/** Why starts were missed, where ends without one prove it. */
export function orphanGapOf(scope: ScopeEvidence, kinds: 'tools' | 'all'): Gap | undefined {
  const { orphanEnds: calls, orphanDelegations } = occurrencesOf(scope);
  if (calls > 0) return { code: 'orphan-end', reason: `${calls} tool calls ended that were not seen to start` };
  const delegations = kinds === 'tools' ? 0 : orphanDelegations;
  return delegations === 0 ? undefined : { code: 'orphan-end', reason: `${delegations} subagents ended that were not seen to start` };
}

/** Why a channel of a scope is not complete, or `undefined` when it is. */
export function gapOf(scope: ScopeEvidence, channel: EvidenceChannel): Gap | undefined {
  if (scope.running) return { code: 'scope-still-running', reason: `a send of ${scope.name} is still under way` };
  const entry = scope.coverage[channel];
  return entry.status === 'complete' ? undefined : { code: `${channel}-coverage-${entry.status}`, reason: `${channel} coverage is ${entry.status}: ${entry.reason}` };
}
