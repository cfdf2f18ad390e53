import { createColors } from 'picocolors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openJsonReporter, openPlainReporter } from '../../../src/report/live/plain-reporter.js';
import type { OpenReporter } from '../../../src/report/live/live-reporter.js';
import { attemptResult } from '../../run/results.js';

let written: string[];
let view: OpenReporter;
beforeEach(() => {
  vi.useFakeTimers();
  written = [];
});
afterEach(() => {
  view.close();
  vi.useRealTimers();
});
const write = (text: string): void => { written.push(text); };

describe('a run without a live view', () => {
  test('says after 30 seconds of silence what goes on, and for how long', () => {
    view = openPlainReporter({ write, colors: createColors(false) });
    vi.advanceTimersByTime(30_000);
    view.onEvent({ type: 'run.started', runId: 'r1', planned: 3, at: '' });
    vi.advanceTimersByTime(30_000);
    view.onEvent({ type: 'image.progress', line: 'Step 1' });
    vi.advanceTimersByTime(59_999);
    view.onEvent({ type: 'attempt.started', attempt: 'a', evalId: 'a\u001b[2J', experimentId: 'codex', index: 1, at: '' });
    vi.advanceTimersByTime(29_999);
    view.onEvent({ type: 'attempt.progress', attempt: 'a', evalId: 'a', experimentId: 'codex', progress: { message: 'compiles' } });
    vi.advanceTimersByTime(30_000);
    view.onEvent({ type: 'attempt.finished', result: attemptResult({ id: 'a' }) });
    expect(written.filter((text) => text.includes('still') || text.includes('nothing'))).toEqual([
      '  still starting, for 30 s\n',
      '  nothing runs yet, for 30 s; 3 waiting\n',
      '  still at an image, for 30 s: Step 1; 3 waiting\n',
      '  still running: a\\u001b[2J by codex for 59 s (compiles); 2 waiting\n',
    ]);
  });

  test('breaks silence when it is told to, again and again, until it is closed', () => {
    view = openPlainReporter({ write, colors: createColors(false), heartbeatMs: 1_000 });
    vi.advanceTimersByTime(3_500);
    expect(written).toEqual(['  still starting, for 1 s\n', '  still starting, for 2 s\n', '  still starting, for 3 s\n']);
    view.close();
    vi.advanceTimersByTime(10_000);
    expect(written).toHaveLength(3);
  });

  test('says it in JSON where lines are JSON', () => {
    view = openJsonReporter({ write });
    view.onEvent({ type: 'run.started', runId: 'r1', planned: 2, at: 't' });
    view.onEvent({ type: 'attempt.started', attempt: 'a.1', evalId: 'a', experimentId: 'codex', index: 1, at: 't' });
    vi.advanceTimersByTime(30_000);
    expect(JSON.parse(written.at(-1) ?? '')).toEqual({ type: 'run.alive', stage: 'running', running: [{ attempt: 'a.1', evalId: 'a', experimentId: 'codex', runningMs: 30_000 }], waiting: 1 });
  });
});
