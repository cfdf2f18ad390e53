import { createColors } from 'picocolors';
import { describe, expect, test } from 'vitest';
import { createTerminalReporter, explainedOf, summaryOf } from '../../src/report/terminal.js';
import type { RunEvent } from '../../src/run/ports.js';
import type { AttemptResult } from '../../src/run/result.js';
import { rateSentence } from '../../src/report/rates.js';
import { attemptSummaryOf, type RunResult } from '../../src/run/run-result.js';
import { attemptResult, runResult } from '../run/results.js';

const colors = createColors(false);

/** The rows of the table, cell by cell, and the lines below it. */
function read(summary: string): { readonly rows: readonly (readonly string[])[]; readonly below: readonly string[] } {
  const lines = summary.split('\n');
  const end = lines.findIndex((line) => line.startsWith('└'));
  const rows = lines.slice(0, end).filter((line) => line.startsWith('│')).map((line) => line.split('│').slice(1, -1).map((cell) => cell.trim()));
  return { rows, below: lines.slice(end + 1) };
}

/** What is told of a run of these Attempts, each with an id of its own. */
function summary(attempts: readonly AttemptResult[], more: Partial<RunResult> = {}): string {
  const own = attempts.map((attempt, index) => ({ ...attempt, id: `attempt-${index}` }));
  return summaryOf(runResult(own, more), { colors, explained: own.flatMap((attempt) => explainedOf(attempt, { colors, columns: 120 })) });
}

const HEAD = ['eval', 'experiment', '#', 'verdict', 'claims', 'tokens in/out', 'cost (est.)', 'changes', 'cpu/memory', 'time'];
const passed = attemptResult();
const failed = attemptResult({
  resources: { cpuSeconds: 12.345, peakMemoryBytes: 310.4 * 1024 ** 2 },
  evalId: 'web/login', experimentId: 'claude-code', index: 2, verdict: 'failed',
  claims: [
    { ordinal: 1, kind: 'boolean', description: 'turn 1 succeeded', gates: true, optional: false, state: 'matched' },
    { ordinal: 2, kind: 'boolean', description: 'the agent changed a.txt', gates: true, label: 'it is mended', optional: false, state: 'mismatched', expected: 'modified', received: 'deleted' },
  ],
  reasons: ['it is mended (the agent changed a.txt): expected modified, received deleted'],
  usage: {},
  changes: { state: 'available', root: '/project', windows: [], net: [{ path: 'a.txt', mixed: true }, { path: 'b.txt', mixed: true }], renames: [] },
});
const errored = attemptResult({ verdict: 'errored', claims: [{ ordinal: 1, kind: 'boolean', description: 'turn 1 succeeded', gates: true, optional: false, state: 'unavailable', code: 'status-coverage-partial', reason: 'the stream was cut' }], reasons: ['the sandbox was gone'], error: { phase: 'send', code: 'sandbox-gone', message: 'the sandbox was gone' }, changes: { state: 'unavailable', reason: 'gone' } });
const skipped = attemptResult({ verdict: 'skipped', reasons: ['no key'], skipped: 'no key' });

describe('the summary of a run', () => {
  test('is a table with one row for each Attempt, the cause of all that did not pass, and the counts', () => {
    expect(read(summary([passed, failed, errored, skipped]))).toEqual({
      rows: [
        HEAD,
        ['sum', 'codex', '1', 'passed', '1/1', '100/20', '-', '0', '-', '3.4 s'],
        ['web/login', 'claude-code', '2', 'failed', '1/2', '-/-', '-', '2', '12.3 s/310 MiB', '3.4 s'],
        ['sum', 'codex', '1', 'errored', '0/1', '100/20', '-', '-', '-', '3.4 s'],
        ['sum', 'codex', '1', 'skipped', '1/1', '100/20', '-', '0', '-', '3.4 s'],
      ],
      below: [
        'failed  web/login by claude-code (2)',
        '  ✗ it is mended (the agent changed a.txt)',
        '      expected  modified',
        '      received  deleted',
        'errored  sum by codex (1)',
        '  ! the sandbox was gone',
        '      broke in  send (sandbox-gone)',
        '  ? turn 1 succeeded',
        '      unknown   the stream was cut [status-coverage-partial]',
        'skipped  sum by codex (1)',
        '  - skipped: no key',
        // Wilson: 1 of 1 is 21 to 100 %, 0 of 1 is 0 to 79 %, 1 of 2 is 9 to 91 %.
        'codex: 1 of 1 completed passed (100 %, 95 % interval 21 to 100 %), 1 of 2 of all (50 %, 95 % interval 9 to 91 %); 1 errored; 1 skipped',
        'claude-code: 0 of 1 completed passed (0 %, 95 % interval 0 to 79 %)',
        '1 passed, 1 failed, 1 errored, 1 skipped in 4.0 s',
        '',
      ],
    });
  });

  test.each([[{ cpuSeconds: 0.05 }, '0.1 s/-'], [{ peakMemoryBytes: 2 ** 30 }, '-/1024 MiB'], [{ oomKills: 0 }, '-']])('shows what was used %j as %s', (resources, shown) => {
    expect(read(summary([attemptResult({ resources })])).rows[1]?.[8]).toBe(shown);
  });

  test.each([[0, '$0.00'], [1.5, '$1.50'], [0.0103925, '$0.01'], [0.00352, '$0.0035'], [0.000_000_12, '$0.00000012'], [undefined, '-']])('shows an estimate of %j as %s', (estimatedCostUSD, shown) => {
    const attempt = attemptResult(estimatedCostUSD === undefined ? { unpriced: { models: ['m'], reason: 'unpriced: m' } } : { estimatedCostUSD });
    expect(read(summary([attempt])).rows[1]?.[6]).toBe(shown);
  });

  test('tells what tries cost that are in no row', () => {
    const retry = { id: 'a', kind: 'network', reason: 'network', message: 'gone', durationMs: 1, usage: {} } as const;
    const own = [attemptResult({ retries: [{ ...retry, estimatedCostUSD: 0.25 }, { ...retry, estimatedCostUSD: 0.5 }] }), attemptResult({ retries: [retry] })];
    expect(summary(own)).toContain('\n3 tries were broken by the infrastructure and begun again, which cost $0.75 more by estimate\n');
    expect(summary([attemptResult({ retries: [retry] })])).toContain('\n1 try was broken by the infrastructure and begun again\n');
  });

  test('says of an Attempt without claims that it has none', () => {
    expect(read(summary([attemptResult({ claims: [] })])).rows[1]).toEqual(['sum', 'codex', '1', 'passed', 'no claims', '100/20', '-', '0', '-', '3.4 s']);
  });

  test('tells kills for want of memory, and nothing else of what a sandbox used', () => {
    const quiet = attemptResult({ resources: { cpuSeconds: 9, peakMemoryBytes: 1, memoryLimitBytes: 2, oomKills: 0, processesLeft: 4, network: { receivedBytes: 1, sentBytes: 1 } } });
    const bare = attemptResult({ verdict: 'failed', reasons: ['it is wrong'], claims: [], resources: { oomKills: 1 } });
    const limited = attemptResult({ resources: { oomKills: 2, memoryLimitBytes: 256 * 1024 ** 2 } });
    expect(read(summary([quiet, bare, limited])).below.slice(0, -3)).toEqual([
      'failed  sum by codex (1)',
      '  ! it is wrong',
      '  ! 1 process was killed in the sandbox for want of memory',
      'passed  sum by codex (1)',
      '  ! 2 processes were killed in the sandbox for want of memory (limit 256 MiB)',
    ]);
  });

  test('says when the run was interrupted, and when nothing was started', () => {
    expect(read(summary([passed], { interrupted: true })).below.slice(1)).toEqual(['1 passed, 0 failed, 0 errored, 0 skipped in 4.0 s (interrupted)', '']);
    expect(summary([])).toBe('No Attempt was started.\n');
  });

  test('keeps its lines whatever an agent, an author or a file name says', () => {
    const text = 'x\npassed  forged by nobody\r\u001b[2J\u009b1m\u202e\u2028y';
    const hostile = attemptResult({
      evalId: text, experimentId: text, verdict: 'failed', reasons: [text],
      claims: [{
        ordinal: 1, kind: 'boolean', description: text, label: text, groups: [text], gates: true, optional: false, state: 'mismatched',
        expected: text, received: 'z'.repeat(10_000), path: text, nearest: { what: text, expected: text, received: text, path: text },
      }],
    });
    const shownSummary = summary([hostile]);
    expect(shownSummary).not.toMatch(/[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    const shown = 'x | passed  forged by nobody\\u000d\\u001b[2J\\u009b1m\\u202e\\u2028y';
    const { rows, below } = read(shownSummary);
    expect(rows).toEqual([HEAD, [shown, shown, '1', 'failed', '0/1', '100/20', '-', '0', '-', '3.4 s']]);
    // Whole again, but for where the lines were broken.
    const told = below.join('\n').replace(/\n(?: {16}| {4})(?=\S)/g, ' ');
    expect(told.split('\n')).toEqual([
      `failed  ${shown} by ${shown} (1)`,
      `  ✗ ${shown} > ${shown} (${shown})`,
      `      expected  ${shown}`,
      expect.stringMatching(/^ {6}received {2}[z ]{990,1010}\.\.\.$/),
      `      at        ${shown}`,
      `      nearest   ${shown}`,
      `      differs   at ${shown}: ${shown}, not ${shown}`,
      `${shown}: 0 of 1 completed passed (0 %, 95 % interval 0 to 79 %)`,
      '0 passed, 1 failed, 0 errored, 0 skipped in 4.0 s',
      '',
    ]);
    expect(below.slice(1).every((line) => line.length <= 120)).toBe(true);
  });
});

test('tells a run line by line as it happens', () => {
  let text = '';
  const tell = createTerminalReporter({ write: (part) => { text += part; }, colors });
  const events: readonly RunEvent[] = [
    { type: 'run.started', runId: 'r1', planned: 2, at: '2025-03-01T10:00:00.000Z' },
    { type: 'image.progress', line: `Step 1\u001b[1A ${'x'.repeat(200)}` },
    { type: 'attempt.started', attempt: 'a', evalId: 'sum\n', experimentId: 'codex', index: 1, at: '2025-03-01T10:00:00.000Z' },
    { type: 'attempt.finished', result: passed },
    { type: 'attempt.finished', result: failed },
  ];
  for (const event of events) tell(event);
  expect(text.split('\n')).toEqual([
    'run r1: 2 Attempts',
    `  image: Step 1\\u001b[1A ${'x'.repeat(141)}...`,
    '  started  sum |  by codex',
    '  passed  sum by codex in 3.4 s (1 of 2)',
    '  failed  web/login by claude-code in 3.4 s (2 of 2)',
    '',
  ]);
});

describe('the rates of an experiment', () => {
  const sentence = (letters: string, more: Partial<AttemptResult> = {}): string => rateSentence(letters.split(' ').flatMap((word, position) => [...word].map((letter) => attemptSummaryOf(attemptResult({
    evalId: `e${position}`, verdict: letter === '+' ? 'passed' : letter === '-' ? 'failed' : letter === 's' ? 'skipped' : 'errored',
    ...(letter === 'x' ? { failure: { kind: 'engine', infrastructure: true } } : letter === 'e' ? { failure: { kind: 'eval', infrastructure: false } } : {}), ...more,
  })))));

  // Wilson, 95 %: 3 of 4 is 30.1 to 95.4, 3 of 5 is 23.1 to 88.2, 2 of 2 is 34.2 to 100, 2 of 7 is 8.2 to 64.1.
  test.each([
    ['+ + + - x', '3 of 4 completed passed (75 %, 95 % interval 30 to 95 %), 3 of 5 of all (60 %, 95 % interval 23 to 88 %); 1 broken by the infrastructure'],
    // What passed where nothing broke is no rate of success by itself.
    ['+ + x x x e e', '2 of 2 completed passed (100 %, 95 % interval 34 to 100 %), 2 of 7 of all (29 %, 95 % interval 8 to 64 %); 5 errored, 3 of them broken by the infrastructure'],
    ['s', 'nothing to rate; 1 skipped'],
    ['x', 'none completed, 0 of 1 of all (0 %, 95 % interval 0 to 79 %); 1 broken by the infrastructure'],
    // pass@2 of (2 of 3) is 1, of (0 of 2) is 0; pass^2 is 1/3 and 0.
    ['++- --', '2 of 5 completed passed (40 %, 95 % interval 12 to 77 %); pass@2 50 %, pass^2 17 % over 2 evals'],
  ])('of %s', (letters, said) => {
    expect(sentence(letters)).toBe(said);
  });

  test('say what passed without any claim', () => {
    expect(sentence('+', { claims: [] })).toBe('1 of 1 completed passed (100 %, 95 % interval 21 to 100 %); 1 passed without any claim');
  });
});

test('a run of more than 40 Attempts has a row for each eval and experiment', () => {
  const many = Array.from({ length: 41 }, (_item, index) => attemptResult({ id: `a${index}`, index: index + 1, evalId: index % 2 === 0 ? 'even' : 'odd', verdict: index === 0 ? 'failed' : 'passed', ...(index === 1 ? { usage: {} } : {}), timings: { queuedMs: 0, sandboxMs: 0, testMs: 0, teardownMs: 0, totalMs: 1_000 } }));
  expect(read(summaryOf(runResult(many), { colors, explained: [] })).rows).toEqual([
    ['eval', 'experiment', 'passed', 'failed', 'errored', 'skipped', 'tokens in/out', 'cost (est.)', 'median time'],
    ['even', 'codex', '20/21', '1', '0', '0', '2100/420', '-', '1.0 s'],
    ['odd', 'codex', '20/20', '0', '0', '0', '>=1900/>=380', '-', '1.0 s'],
  ]);
});
