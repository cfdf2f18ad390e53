import { createColors } from 'picocolors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openLiveReporter, type OpenReporter } from '../../../src/report/live/live-reporter.js';
import type { WrittenStream } from '../../../src/report/live/divert-writes.js';
import type { RunEvent } from '../../../src/run/ports.js';
import type { AttemptResult } from '../../../src/run/result.js';
import { attemptResult, runResult } from '../../run/results.js';
import { fakeTerminal, seenOn, type FakeTerminal, type Seen } from '../../support/terminal.js';

const started = (attempt: string, more: Partial<Extract<RunEvent, { readonly type: 'attempt.started' }>> = {}): RunEvent => ({ type: 'attempt.started', attempt, evalId: attempt, experimentId: 'codex', index: 1, at: '', ...more });
const finished = (id: string, more: Partial<AttemptResult> = {}): RunEvent => ({ type: 'attempt.finished', result: attemptResult({ id, evalId: id, ...more }) });
const begun = (planned: number): RunEvent => ({ type: 'run.started', runId: 'r1', planned, at: '' });

let terminal: FakeTerminal;
let view: OpenReporter;
beforeEach(() => { vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'performance'] }); });
afterEach(() => {
  view.close();
  vi.useRealTimers();
});

function open(columns?: number, rows?: number, others: readonly WrittenStream[] = []): (event: RunEvent) => void {
  terminal = fakeTerminal(columns, rows);
  view = openLiveReporter({ terminal, others, colors: createColors(false) });
  return view.onEvent;
}

async function seen(): Promise<Seen> {
  vi.useRealTimers();
  return seenOn(terminal);
}

describe('the live view', () => {
  test('has a row for each Attempt under way and the counts, and lets scroll what has ended', async () => {
    const tell = open();
    tell(begun(4));
    tell(started('a'));
    tell(started('b'));
    tell({ type: 'attempt.progress', attempt: 'b', evalId: 'b', experimentId: 'codex', progress: { message: 'compiles', current: 2, total: 5 } });
    vi.advanceTimersByTime(65_000);
    tell(finished('a', { verdict: 'failed' }));
    vi.advanceTimersByTime(1_000);
    expect(await seen()).toEqual({
      screen: ['run r1: 4 Attempts', '  failed  a by codex in 3.4 s (1 of 4)', '  1 min 6 s  b by codex: compiles (2 of 5)', '  1 min 6 s  1 of 4 done: 0 passed, 1 failed, 0 errored; 1…'],
      all: expect.any(Array) as string[], cursorHidden: true, wraps: true,
    });
  });

  test('moves its clocks every second, and is never silent before and after the Attempts', async () => {
    const tell = open(40, 8);
    vi.advanceTimersByTime(2_000);
    const lengths = [terminal.log.length];
    for (let second = 0; second < 3; second += 1) {
      vi.advanceTimersByTime(1_000);
      lengths.push(terminal.log.length);
    }
    expect(lengths.map((length) => length - (lengths[0] ?? 0))).toEqual([0, 1, 2, 3]);
    tell(begun(1));
    tell({ type: 'image.progress', line: 'Step 3/9 : RUN apt-get update' });
    vi.advanceTimersByTime(7_000);
    expect((await seenOnNow()).screen).toEqual(['run r1: 1 Attempt', '        7 s  image: Step 3/9 : RUN apt…', '        7 s  0 of 1 done: 0 passed, 0 …']);
    tell(started('a'));
    tell(finished('a'));
    tell({ type: 'run.finished', result: runResult([attemptResult()]) });
    vi.advanceTimersByTime(3_000);
    expect((await seen()).screen.at(-1)).toBe('        3 s  cleaning up');
  });

  test('never has more lines than the screen, and says how many are not shown', async () => {
    const tell = open(30, 5);
    tell(begun(100));
    for (let index = 0; index < 50; index += 1) tell(started(`e${index}`));
    vi.advanceTimersByTime(10_000);
    for (let index = 0; index < 20; index += 1) {
      tell(finished(`e${index}`));
      vi.advanceTimersByTime(1_000);
    }
    const { screen, all } = await seen();
    expect(screen.map((line) => line.trim())).toEqual(['30 s  e20 by codex', '30 s  e21 by codex', 'and 28 more', '30 s  20 of 100 done:…']);
    // Each line that ended stands once, and no region was left behind.
    expect(all.filter((line) => line.startsWith('  passed'))).toHaveLength(20);
    expect(all.filter((line) => line.includes(' of 100 done:…'))).toHaveLength(1);
  });

  test.each([[1, 0], [2, 1], [3, 2]])('shows on a screen of %i rows only %i lines', async (rows, lines) => {
    const tell = open(40, rows);
    tell(begun(9));
    for (let index = 0; index < 9; index += 1) tell(started(`e${index}`));
    vi.advanceTimersByTime(1_000);
    expect((await seen()).screen.length).toBeLessThanOrEqual(rows);
    expect(terminal.log.at(-1)?.toString().split('\n').length).toBe(lines + 1);
  });

  test.each([
    ['escapes', '\u001b[10A\u001b[2J\u001b]0;title\u0007\u009b5A'],
    ['ends of lines', 'a\nb\r\u0085c\u2028d\u000b\u000c'],
    ['a wide text', '漢字'.repeat(40)],
    ['emoji that terminals disagree on', '👩‍👩‍👧‍👦🏳️‍🌈'.repeat(20)],
    ['combining marks', `e${'\u0301'.repeat(200)}`],
    ['a long text', 'x'.repeat(10_000)],
    ['tabs and backspaces', '\t\t\u0008\u0008\u007f'],
  ])('keeps its lines whatever %s in names and progress say', async (_what, hostile) => {
    const tell = open(40, 6);
    tell(begun(2));
    tell(started('one', { evalId: hostile, experimentId: hostile }));
    tell(started('two'));
    tell({ type: 'attempt.progress', attempt: 'two', evalId: 'two', experimentId: 'codex', progress: { message: hostile } });
    tell({ type: 'image.progress', line: hostile });
    for (let second = 0; second < 5; second += 1) vi.advanceTimersByTime(1_000);
    const { screen, all } = await seen();
    expect(all).toHaveLength(5);
    expect([screen[0], screen[2]?.slice(0, 30), screen[4]]).toEqual(['run r1: 2 Attempts', '        5 s  two by codex: ' + (screen[2]?.slice(27, 30) ?? ''), '        5 s  0 of 2 done: 0 passed, 0 …']);
  });

  test('stays whole when the terminal becomes smaller or larger', async () => {
    const tell = open(80, 10);
    tell(begun(3));
    for (const name of ['a', 'b', 'c']) tell(started(name.repeat(50)));
    vi.advanceTimersByTime(1_000);
    terminal.resize(30, 10);
    vi.advanceTimersByTime(1_000);
    terminal.resize(100, 6);
    vi.advanceTimersByTime(1_000);
    const { screen } = await seen();
    expect(screen.filter((line) => line.includes('0 of 3 done'))).toHaveLength(1);
    expect(screen.slice(-4).map((line) => line.trim().slice(0, 9))).toEqual(['3 s  aaaa', '3 s  bbbb', '3 s  cccc', '3 s  0 of']);
  });

  test('puts what others write above itself, whole lines, colours and nothing else of escapes', async () => {
    const stream = { write: () => true } as unknown as WrittenStream;
    const original = stream.write;
    const tell = open(60, 12, [stream]);
    tell(begun(1));
    tell(started('a'));
    stream.write('half a ');
    stream.write(Buffer.from('line of caf\u00e9\nand \u001b[31mred\u001b[0m\u001b[5A\r\nover\rwritten\n'));
    stream.write('left open');
    vi.advanceTimersByTime(1_000);
    const during = (await seenOnNow()).screen;
    view.close();
    expect(stream.write).toBe(original);
    expect(during).toEqual(['run r1: 1 Attempt', 'half a line of café', 'and red\\u001b[5A', 'over', 'written', '        1 s  a by codex', '        1 s  0 of 1 done: 0 passed, 0 failed, 0 errored; 1…']);
    expect((await seen()).screen.slice(-2)).toEqual(['written', 'left open']);
  });

  test('tells writers that their text was taken', async () => {
    const stream = { write: () => true } as unknown as WrittenStream;
    open(60, 12, [stream]);
    await new Promise<void>((resolve) => { stream.write('x\n', () => resolve()); });
    await new Promise<void>((resolve) => { stream.write('x\n', 'utf8', () => resolve()); });
  });

  test('gives the terminal back: no region, a cursor, lines that wrap', async () => {
    const tell = open();
    tell(begun(1));
    tell(started('a'));
    view.close();
    view.close();
    vi.advanceTimersByTime(10_000);
    expect(await seen()).toEqual({ screen: ['run r1: 1 Attempt'], all: ['run r1: 1 Attempt'], cursorHidden: false, wraps: true });
  });

  test('does not redraw for every one of a flood of events', () => {
    const tell = open();
    tell(begun(1));
    tell(started('a'));
    const before = terminal.log.length;
    for (let index = 0; index < 1_000; index += 1) tell({ type: 'attempt.progress', attempt: 'a', evalId: 'a', experimentId: 'codex', progress: { message: `${index}` } });
    vi.advanceTimersByTime(60);
    expect(terminal.log.length - before).toBeLessThanOrEqual(2);
    expect(terminal.log.at(-1)).toContain('a by codex: 999');
  });
});

/** While the clock stands still. */
async function seenOnNow(): Promise<Seen> {
  const log = [...terminal.log];
  return realTimers(() => seenOn({ ...terminal, log }));
}

/** The terminal model waits by `setTimeout`, which stands still; it is let run by hand. */
async function realTimers<T>(work: () => Promise<T>): Promise<T> {
  const working = work();
  let isDone = false;
  void working.finally(() => { isDone = true; });
  while (!isDone) {
    await Promise.resolve();
    await new Promise((resolve) => { setImmediate(resolve); });
    if (!isDone) vi.advanceTimersByTime(0);
  }
  return working;
}
