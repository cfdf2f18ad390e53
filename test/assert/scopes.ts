import type { ScopeEvidence, TurnConsumption } from '../../src/assert/scope.js';
import { completeEvidenceCoverage, type EvidenceChannel, type EvidenceCoverage, type EvidenceCoverageEntry } from '../../src/evidence/coverage.js';
import type { StreamEvent } from '../../src/evidence/events.js';
import type { TurnStatus } from '../../src/evidence/turn.js';
import type { Usage } from '../../src/evidence/usage.js';

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

/** An end that nothing was seen to start. */
export function orphanEnd(kind: 'tool' | 'subagent' = 'tool', status: 'completed' | 'failed' = 'completed'): StreamEvent {
  return { type: 'operation.finished', operationId: `lost_${ids += 1}`, kind, status };
}

/** A delegation, with its end unless it is pending. */
export function delegation(name: string, status: 'completed' | 'failed' | 'pending' = 'completed', operationId = `task_${ids += 1}`): readonly StreamEvent[] {
  const started: StreamEvent = { type: 'operation.started', operationId, operation: { kind: 'subagent', name } };
  return status === 'pending' ? [started] : [started, { type: 'operation.finished', operationId, kind: 'subagent', status }];
}

/** A message of the agent or, as it is sent, of a person. */
export function says(text: string, role: 'assistant' | 'user' = 'assistant'): StreamEvent {
  return { type: 'message', role, text };
}

/** A tool call of which nobody can tell how it ended: another one was open under the same id. */
export function undecidable(name: string): readonly StreamEvent[] {
  const operationId = `twice_${ids += 1}`;
  return [...call(name, 'pending', operationId), ...call(name, 'pending', operationId)];
}

/** What one turn consumed. */
export function turnOf(usage: Usage | undefined, more: Partial<TurnConsumption> = {}): TurnConsumption {
  return {
    label: 'turn1', durationMs: 10, ...(usage === undefined ? {} : { usage }),
    estimate: () => ({ state: 'unknown', leastUSD: 0, code: 'model-unknown', models: [], reason: 'there is no price table' }),
    ...more,
  };
}
