import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DOMParser } from '@xmldom/xmldom';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLI, leftovers } from '../support/project.js';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));
const EVALS = ['every-claim', 'fix-sum', 'points'];
const EXPERIMENTS = ['claude-code', 'codex'];

let root: string;
let ran: { readonly exitCode: number | undefined; readonly lines: readonly Record<string, unknown>[] };

async function niceeval(...args: readonly string[]): Promise<{ readonly exitCode: number | undefined; readonly stdout: string; readonly stderr: string }> {
  const { exitCode, stdout, stderr } = await execa('node', [CLI, ...args], { cwd: root, reject: false, stdin: 'ignore', env: { NO_COLOR: '1' } });
  return { exitCode, stdout, stderr };
}
const jsonLines = (text: string): readonly Record<string, unknown>[] => text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'niceeval-matrix-'));
  await cp(EXAMPLES, root, { recursive: true, filter: (path) => !path.includes('.niceeval') });
  const { exitCode, stdout } = await niceeval('run', '--attempts', '3', '--concurrency', '4', '--json', '--junit', 'junit.xml', '--markdown', 'summary.md');
  ran = { exitCode, lines: jsonLines(stdout) };
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
  expect(await leftovers()).toEqual([]);
});

describe('two CLIs by three evals by three Attempts on a scripted model', () => {
  test('pass, each in a container of its own, and leave nothing behind', async () => {
    expect(ran.exitCode).toBe(0);
    expect(ran.lines.at(-1)).toMatchObject({ type: 'receipt', exitCode: 0, counts: { total: 18, passed: 18, failed: 0, errored: 0, skipped: 0 } });
    const finished = ran.lines.filter(({ type }) => type === 'attempt.finished').map(({ experimentId, evalId, index }) => `${String(experimentId)} ${String(evalId)} ${String(index)}`);
    expect(finished.sort()).toEqual(EXPERIMENTS.flatMap((experiment) => EVALS.flatMap((name) => [1, 2, 3].map((index) => `${experiment} ${name} ${index}`))));
    expect(await leftovers()).toEqual([]);
  });

  test('are told to CI', async () => {
    const suites = new DOMParser().parseFromString(await readFile(join(root, 'junit.xml'), 'utf8'), 'text/xml').getElementsByTagName('testsuite');
    expect(Array.from(suites).map((suite) => ['name', 'tests', 'failures', 'errors', 'skipped'].map((name) => suite.getAttribute(name))).sort()).toEqual(EXPERIMENTS.map((name) => [name, '9', '0', '0', '0']));
    expect(await readFile(join(root, 'summary.md'), 'utf8')).toContain('codex');
  });

  test('are compared: nothing tells them apart, and nothing is claimed to', async () => {
    const { exitCode, stdout } = await niceeval('compare', 'latest:claude-code', 'latest:codex', '--json');
    expect(exitCode).toBe(0);
    const text = JSON.stringify(JSON.parse(stdout));
    expect(text).toContain('"evals":3');
    const shown = await niceeval('compare', 'latest:claude-code', 'latest:codex');
    expect(shown.stdout).toMatch(/9 of 9/);
    expect(shown.stdout).not.toMatch(/passes? \d+(\.\d+)? points more/);
  });

  test('are gone on with: nothing is left to do', async () => {
    const { exitCode, stdout } = await niceeval('run', '--resume', 'latest', '--dry-run');
    expect([exitCode, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, '0 to run, 18 used again']);
  });

  test('are read by the parser of today and judged again, to the same', async () => {
    const run = String(ran.lines.find(({ type }) => type === 'run.started')?.['runId']);
    const { exitCode, stdout, stderr } = await niceeval('regrade', run, '--json', '--reparse');
    expect(stderr).toBe('');
    expect([exitCode, jsonLines(stdout).at(-1)]).toMatchObject([0, { type: 'regrade.finished', from: run, counts: { total: 18, passed: 18 }, changed: 0, left: 0 }]);
  });

  test.each([['jsonl', 18], ['csv', 19]] as const)('are exported as %s', async (format, lines) => {
    const run = String(ran.lines.find(({ type }) => type === 'run.started')?.['runId']);
    const { exitCode, stdout } = await niceeval('export', run, '--format', format);
    expect([exitCode, stdout.trimEnd().split('\n').length]).toEqual([0, lines]);
  });

  test('are exported as trajectories', async () => {
    const run = String(ran.lines.find(({ type }) => type === 'run.started')?.['runId']);
    const { exitCode } = await niceeval('export', run, '--format', 'atif', '--output', 'trajectories');
    const files = (await readdir(join(root, 'trajectories'), { recursive: true })).filter((name) => name.endsWith('.json'));
    expect([exitCode, files.length]).toEqual([0, 18]);
  });
});
