import type { ScopeEvidence, TurnConsumption } from '../../src/assert/scope.js';
import { completeEvidenceCoverage, type EvidenceChannel, type EvidenceCoverage, type EvidenceCoverageEntry } from '../../src/evidence/coverage.js';
import type { StreamEvent } from '../../src/evidence/events.js';
import type { TurnStatus } from '../../src/evidence/turn.js';

/** A scope of one session, or of several. */
export function scopeOf(given: {
  readonly events?: readonly StreamEvent[];
  readonly statuses?: readonly TurnStatus[];
  readonly sessions?: ScopeEvidence['sessions'];
  readonly coverage?: EvidenceCoverage;
  readonly running?: boolean;
  readonly turns?: readonly TurnConsumption[];
}): ScopeEvidence {
  return {
    name: 'turn 1',
    sessions: given.sessions ?? [{ events: given.events ?? [], statuses: given.statuses ?? ['completed'] }],
    turns: given.turns ?? [],
    coverage: given.coverage ?? completeEvidenceCoverage,
    running: given.running ?? false,
  };
}

/** Full coverage but for one channel. */
export function coverageWith(channel: EvidenceChannel, status: EvidenceCoverageEntry['status']): EvidenceCoverage {
  return { ...completeEvidenceCoverage, [channel]: status === 'complete' ? { status } : { status, reason: 'the stream was cut' } };
}

let ids = 0;

/** The start and the end of a tool call, or only its start. */
export function call(name: string, status: 'completed' | 'failed' | 'rejected' | 'pending' = 'completed', operationId = `call_${ids += 1}`): readonly StreamEvent[] {
  const started: StreamEvent = { type: 'operation.started', operationId, operation: { kind: 'tool', name, input: { file_path: 'a' } } };
  return status === 'pending' ? [started] : [started, { type: 'operation.finished', operationId, kind: 'tool', status }];
}
