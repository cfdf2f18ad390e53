import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI, openProject, type TestProject } from '../support/project.js';
import { answerEval, DIRECT_AGENT } from './projects.js';

let project: TestProject;
let runs: readonly string[];
beforeAll(async () => {
  if (!existsSync(CLI)) spawnSync('npm', ['run', 'build'], { cwd: fileURLToPath(new URL('../../', import.meta.url)) });
  project = await openProject({ 'evals/good.eval.ts': answerEval('done'), 'evals/bad.eval.ts': answerEval('nothing'), 'experiments/direct.ts': DIRECT_AGENT });
  for (const [selector, code] of [['good', 0], ['bad', 1]] as const) {
    const { exitCode, stdout, stderr } = await project.niceeval(['run', '--sandbox', 'local', selector]);
    expect(exitCode, `${stdout}\n${stderr}`).toBe(code);
  }
  runs = (await readdir(join(project.root, '.niceeval/runs'))).sort();
}, 120_000);
afterAll(async () => project[Symbol.asyncDispose]());

async function niceeval(...args: readonly string[]): Promise<{ readonly exitCode: number | undefined; readonly stdout: string; readonly stderr: string }> {
  const { exitCode, stdout, stderr } = await project.niceeval(args);
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
}
const jsonLines = (text: string): readonly Record<string, unknown>[] => text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
const idOf = async (position: number): Promise<string> => (await readdir(join(project.root, '.niceeval/runs', runs[position] ?? '', 'attempts')))[0] ?? '';

describe('niceeval list', () => {
  it('names evals and experiments, by tag, for people and for machines', async () => {
    expect((await niceeval('list')).stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([['eval', 'bad', 'small'], ['eval', 'good', 'small'], ['experiment', 'direct', 'direct', 'small-1']]);
    expect(JSON.parse((await niceeval('list', '--json', '--tag', 'none')).stdout)).toEqual({ format: 'niceeval.list', evals: [], experiments: [{ id: 'direct', agent: 'direct', model: 'small-1' }] });
  });
});

describe('niceeval runs', () => {
  it('lists the runs, oldest first, or the last of them', async () => {
    const { stdout } = await niceeval('runs');
    expect(stdout.split('\n').slice(1).map((line) => line.split(/ {2,}/).filter((_cell, column) => [0, 1, 3, 5].includes(column)))).toEqual([
      [runs[0], 'complete', '1 passed, 0 failed, 0 errored, 0 skipped', 'local'], [runs[1], 'complete', '0 passed, 1 failed, 0 errored, 0 skipped', 'local'],
    ]);
    expect(jsonLines((await niceeval('runs', '--json', '--limit', '1')).stdout)).toMatchObject([{ id: runs[1], state: 'complete', planned: 1, counts: { total: 1, failed: 1 } }]);
  });

  it('says how to make one where there is none', async () => {
    await using empty = await openProject({ 'x.txt': '' });
    expect(await empty.niceeval(['runs'])).toMatchObject({ exitCode: 0, stdout: '', stderr: 'niceeval: no run is recorded here; `niceeval run` makes a record' });
    const shown = await empty.niceeval(['show', 'latest']);
    expect([shown.exitCode, String(shown.stderr)]).toEqual([2, expect.stringMatching(/^niceeval: No run is recorded in .*`niceeval run` makes a record; --dir names another project\.$/)]);
  });
});

describe('niceeval show', () => {
  it('tells a run as its end told it', async () => {
    const { exitCode, stdout } = await niceeval('show', 'latest');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^run ${runs[1] ?? ''}: started \\S+, sandbox local\n`));
    expect(stdout).toMatch(/│ bad {2}│ direct +│ 1 │ failed +│ 1\/2 +│ 100\/20 /);
    expect(stdout.split('\n').slice(-6, -3)).toEqual(['  ✗ the value equals "nothing"', '      expected  equals "nothing"', '      received  "done"']);
  });

  it('tells an Attempt: verdict, causes, turns, tokens, times', async () => {
    const { stdout } = await niceeval('show', 'bad');
    expect(stdout.split('\n').map((line) => line.replace(/\d+\.\d s/g, 'N s').replace(/started .*/, 'started T'))).toEqual([
      `${runs[1] ?? ''}/${await idOf(1)}`, 'failed  bad by direct (1)', '  ✗ the value equals "nothing"', '      expected  equals "nothing"', '      received  "done"',
      'agent     direct, model small-1', 'started T', 'time      N s: sandbox N s, test N s, teardown N s; queued N s before', 'tokens    inputTokens 100, outputTokens 20',
      'cost      - by list prices (small-1: no price)', 'claims    1 of 2 matched', 'turn      turn1: completed in N s', 'changes   not known: the agent has no sandbox',
    ]);
  });

  it('numbers events, says where they happened, and lets none of them steer the terminal', async () => {
    const { stdout } = await niceeval('show', `${runs[0] ?? ''}/good`, '--events');
    expect(stdout.split('\n')).toEqual([
      '    1  s1/t1  user: Look.', '    2  s1/t1  Search [1] started: {"query":"Look."}', '    3  s1/t1  tool [1] completed: found \\u001b[2J [redacted]', '    4  s1/t1  assistant: done',
    ]);
    expect(jsonLines((await niceeval('show', 'good', '--grep', '"role":"(user|assistant)"', '--json')).stdout).map(({ line }) => line)).toEqual([1, 4]);
  });

  it('shows claims, logs and raw output, each alone or together', async () => {
    expect((await niceeval('show', 'bad', '--claims')).stdout.split('\n')).toEqual(['   1  matched      turn 1 succeeded', '   2  mismatched   the value equals "nothing": expected equals "nothing", received "done"']);
    expect((await niceeval('show', 'bad', '--logs')).stdout.split('\n')).toEqual(['log      a line of the test', 'raw      session1-turn1-stdout.jsonl']);
    expect((await niceeval('show', 'bad', '--diff')).stderr).toBe('niceeval: changes.patch is missing');
    expect(JSON.parse((await niceeval('show', 'bad', '--json')).stdout)).toMatchObject({ runId: runs[1], state: 'complete', attempt: { verdict: 'failed', claims: [{ state: 'matched' }, { state: 'mismatched' }] }, raw: ['session1-turn1-stdout.jsonl'], problems: [] });
  });

  it.each([
    ['an expression that is none', ['show', 'bad', '--grep', '('], /^niceeval: --grep takes a regular expression: Invalid regular expression/],
    ['events of a run', ['show', 'latest', '--events', '--claims'], /^niceeval: --events and --claims need an Attempt, and \S+ is a run\./],
    ['a name that nothing has', ['show', 'nobody'], /^niceeval: No run and no Attempt is called "nobody"\./],
    ['a name that is a path', ['show', '../../..'], /^niceeval: No run and no Attempt is called "\.\."\./],
    ['a format that is none', ['export', 'latest', '--format', 'xml'], /--format/],
    ['trajectories on standard output', ['export', 'latest', '--format', 'atif'], /^niceeval: --format atif writes a file for each Attempt: name a folder by --output\./],
    ['an eval that was never run', ['history', 'nobody'], /^niceeval: No recorded run has an Attempt of the eval "nobody"/],
  ])('refuses %s', async (_what, args, message) => {
    const { exitCode, stdout, stderr } = await niceeval(...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('writes all into a pipe that is read slowly', async () => {
    await using big = await openProject({ 'evals/big.eval.ts': answerEval('done').replace("t.log('a line of the test');", "for (let i = 0; i < 3000; i += 1) t.log('x'.repeat(200) + i);"), 'experiments/direct.ts': DIRECT_AGENT });
    await big.niceeval(['run', '--sandbox', 'local']);
    const child = spawn(process.execPath, [CLI, 'show', 'big', '--json'], { cwd: big.root, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    for await (const chunk of child.stdout) {
      text += String(chunk);
      await new Promise((resolve) => { setImmediate(resolve); });
    }
    expect((JSON.parse(text) as { readonly attempt: { readonly logs: readonly string[] } }).attempt.logs.length).toBe(3000);
  });
});

describe('niceeval history', () => {
  it('has a line for each run of the eval', async () => {
    expect(jsonLines((await niceeval('history', 'bad', '--json')).stdout)).toMatchObject([{ runId: runs[1], experimentId: 'direct', attempts: 1, passed: 0, failed: 1, inputTokens: { sum: 100, unknown: 0 } }]);
    expect((await niceeval('history', 'good', '--experiment', 'direct')).stdout.split('\n')[1]?.split(/ {2,}/).slice(0, 4)).toEqual([runs[0], 'direct', '1/1', '0']);
  });
});

describe('niceeval export', () => {
  it('writes a line for each Attempt of each run, once', async () => {
    const { stdout } = await niceeval('export', ...runs, 'latest', '--format', 'jsonl');
    expect(jsonLines(stdout)).toMatchObject([{ runId: runs[0], evalId: 'good', verdict: 'passed', sandbox: 'local' }, { runId: runs[1], evalId: 'bad', verdict: 'failed' }]);
    await niceeval('export', 'latest', '--format', 'csv', '--output', 'out.csv');
    expect((await readFile(join(project.root, 'out.csv'), 'utf8')).split('\r\n').map((line) => line.split(',').slice(2, 8))).toEqual([
      ['eval', 'experiment', 'index', 'agent', 'model', 'verdict'], ['bad', 'direct', '1', 'direct', 'small-1', 'failed'], [],
    ]);
  });

  it('writes a trajectory for each Attempt', async () => {
    expect((await niceeval('export', runs[0] ?? '', '--format', 'atif', '--output', 'trajectories')).exitCode).toBe(0);
    const path = join(project.root, 'trajectories', runs[0] ?? '', `${await idOf(0)}.trajectory.json`);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ schema_version: 'ATIF-v1.7', session_id: runs[0], agent: { name: 'direct' }, steps: [{ source: 'user' }, { source: 'agent', tool_calls: [{ function_name: 'Search' }] }, { message: 'done' }] });
  });
});

describe('niceeval schema', () => {
  it('prints the JSON Schema of a file', async () => {
    expect(JSON.parse((await niceeval('schema', 'attempt')).stdout)).toMatchObject({ title: 'niceeval.attempt', type: 'object', properties: { verdict: { enum: ['errored', 'failed', 'skipped', 'passed'] } } });
    expect(Object.keys(JSON.parse((await niceeval('schema')).stdout) as object)).toEqual(['run', 'attempt', 'claims', 'changes', 'events', 'trace', 'scenario', 'scenario-result', 'scenario-summary', 'scenario-report', 'scenario-comparison']);
    expect((await niceeval('schema', 'nothing')).exitCode).toBe(2);
  });
});

it('tells a run that was killed as incomplete, whatever is left of it', async () => {
  await using killed = await openProject({ 'evals/good.eval.ts': answerEval('done'), 'experiments/direct.ts': DIRECT_AGENT });
  await killed.niceeval(['run', '--sandbox', 'local']);
  const folder = await killed.runFolder();
  await rm(join(folder, 'complete'));
  await writeFile(join(folder, 'run.json'), '{"format":"niceeval.ru');
  const { exitCode, stdout } = await killed.niceeval(['show', 'latest']);
  expect(exitCode).toBe(0);
  expect(String(stdout)).toMatch(/, incomplete\n[^]*│ good [^]*1 passed, 0 failed[^]*\nproblem {6}run\.json is no JSON; it may be cut$/);
});
