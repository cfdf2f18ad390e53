import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import type { AttemptResult } from '../../src/run/result.js';
import { attemptSummaryOf, countsOf, type RunResult } from '../../src/run/run-result.js';

/** What an Attempt that passed came to. */
export function attemptResult(more: Partial<AttemptResult> = {}): AttemptResult {
  return {
    id: 'sum.codex.0123abcd.1',
    evalId: 'sum',
    experimentId: 'codex',
    index: 1,
    agent: 'codex',
    flags: { strict: true },
    labels: { line: 'a' },
    metadata: {},
    evaluationKind: 'pass',
    verdict: 'passed',
    reasons: [],
    causes: [],
    interrupted: false,
    claims: [{ ordinal: 1, kind: 'boolean', description: 'turn 1 succeeded', gates: true, optional: false, state: 'matched' }],
    turns: [{
      session: 1, turn: 1, label: 'turn1', status: 'completed', coverage: completeEvidenceCoverage, startedAt: '2025-03-01T10:00:01.000Z', durationMs: 2_000,
      events: [{ type: 'message', role: 'user', text: 'Mend it.' }, { type: 'message', role: 'assistant', text: 'Done.' }],
      usage: { inputTokens: 100, outputTokens: 20 },
    }],
    usage: { inputTokens: 100, outputTokens: 20 },
    changes: { state: 'available', root: '/project', windows: [], net: [], renames: [] },
    diagnostics: [],
    logs: [],
    startedAt: '2025-03-01T10:00:00.000Z',
    timings: { queuedMs: 0, sandboxMs: 900, testMs: 2_100, teardownMs: 400, totalMs: 3_400 },
    ...more,
  };
}

/** What a run of these Attempts came to. */
export function runResult(attempts: readonly AttemptResult[], more: Partial<RunResult> = {}): RunResult {
  return {
    runId: '20250301-100000-abc123', sandbox: 'docker', startedAt: '2025-03-01T10:00:00.000Z', durationMs: 4_000, interrupted: false, counts: countsOf(attempts), attempts: attempts.map(attemptSummaryOf), notRun: [], ...more,
  };
}
