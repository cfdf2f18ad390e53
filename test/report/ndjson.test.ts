import { expect, test } from 'vitest';
import { createNdjsonReporter } from '../../src/report/ndjson.js';
import type { RunEvent } from '../../src/run/ports.js';
import { attemptResult, runResult } from '../run/results.js';

const HOSTILE = 'a\nb\r\u001b[2J\u009b31m\u0085\u2028\u2029\u202e"\\{}\u0000\ud800';

function written(events: readonly RunEvent[]): readonly string[] {
  const texts: string[] = [];
  const tell = createNdjsonReporter((text) => texts.push(text));
  for (const event of events) tell(event);
  return texts;
}

const hostile = attemptResult({
  model: HOSTILE, verdict: 'failed', reasons: [HOSTILE], error: { phase: 'send', code: 'deadline-exceeded', message: HOSTILE, timeout: { limitMs: 10, source: '--timeout' } },
  claims: [{ ordinal: 1, kind: 'boolean', description: HOSTILE, label: HOSTILE, gates: true, optional: true, state: 'mismatched', expected: HOSTILE, received: HOSTILE }],
});
const events: readonly RunEvent[] = [
  { type: 'run.started', runId: 'r', planned: 1, at: '2025-03-01T10:00:00.000Z' },
  { type: 'image.progress', line: HOSTILE },
  { type: 'attempt.started', attempt: hostile.id, evalId: 'sum', experimentId: 'codex', index: 1, at: '2025-03-01T10:00:00.000Z' },
  { type: 'attempt.finished', result: hostile },
  { type: 'run.finished', result: runResult([hostile]) },
];

test('tells each event as one line that says what it holds', () => {
  const lines = written(events).join('').split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { type: 'run.started', runId: 'r', planned: 1, at: '2025-03-01T10:00:00.000Z' },
    { type: 'image.progress', line: HOSTILE },
    { type: 'attempt.started', attempt: hostile.id, evalId: 'sum', experimentId: 'codex', index: 1, at: '2025-03-01T10:00:00.000Z' },
    {
      type: 'attempt.finished', attempt: hostile.id, evalId: 'sum', experimentId: 'codex', index: 1, agent: 'codex', model: HOSTILE, verdict: 'failed', reasons: [HOSTILE], causes: [],
      interrupted: false, error: hostile.error, claims: hostile.claims, usage: { inputTokens: 100, outputTokens: 20 }, timings: hostile.timings,
    },
    {
      type: 'run.finished', runId: '20250301-100000-abc123', sandbox: 'docker', startedAt: '2025-03-01T10:00:00.000Z', durationMs: 4_000, interrupted: false,
      counts: { total: 1, passed: 0, failed: 1, errored: 0, skipped: 0, infrastructure: 0 }, notRun: [],
    },
  ]);
});

test('leaves facts out that there are not', () => {
  const [line = ''] = written([{ type: 'attempt.finished', result: attemptResult() }]);
  expect(Object.keys(JSON.parse(line) as object)).toEqual([
    'type', 'attempt', 'evalId', 'experimentId', 'index', 'agent', 'verdict', 'reasons', 'causes', 'interrupted', 'claims', 'usage', 'timings',
  ]);
});

test('writes no character that ends a line or steers a terminal, whatever the agent said', () => {
  for (const text of written(events)) expect(text).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*\n$/u);
});
