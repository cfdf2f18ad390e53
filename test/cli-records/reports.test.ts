import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI, lineOf, openProject, type TestProject } from '../support/project.js';
import { readBySaxes } from '../report/junit-readers.js';
import { answerEval, DIRECT_AGENT } from './projects.js';

const NO_CI = { CI: '', GITHUB_ACTIONS: '', GITHUB_STEP_SUMMARY: '', GITHUB_WORKSPACE: '' };

let project: TestProject;
beforeAll(async () => {
  if (!existsSync(CLI)) spawnSync('npm', ['run', 'build'], { cwd: fileURLToPath(new URL('../../', import.meta.url)) });
  project = await openProject({ 'evals/good.eval.ts': answerEval('done'), 'evals/bad.eval.ts': answerEval('nothing'), 'experiments/direct.ts': DIRECT_AGENT, 'prices.json': '{"name":"ours","prices":{"small-1":{"inputPerMTok":1000,"outputPerMTok":"2000"}}}' });
}, 120_000);
afterAll(async () => project[Symbol.asyncDispose]());

const runs = async (): Promise<readonly string[]> => (await readdir(join(project.root, '.niceeval/runs'))).sort();
const niceeval = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<{ readonly exitCode: number | undefined; readonly stdout: string; readonly stderr: string }> => {
  const { exitCode, stdout, stderr } = await project.niceeval(args, { env: { ...NO_CI, ...env } });
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
};

describe('reports of a run', () => {
  it('are files, each whole, with costs by the profile that was named', async () => {
    const { exitCode } = await niceeval(['run', '--sandbox', 'local', '--junit', 'out/deep/junit.xml', '--markdown', 'out/run.md', '--pricing', 'prices.json']);
    expect(exitCode).toBe(1);
    const junit = readBySaxes(await readFile(join(project.root, 'out/deep/junit.xml'), 'utf8'));
    expect(junit.attributes).toMatchObject({ tests: '2', failures: '1', errors: '0' });
    const markdown = await readFile(join(project.root, 'out/run.md'), 'utf8');
    // 100 x 1000 + 20 x 2000 per million, twice.
    expect(markdown).toMatch(/\| `direct` \| `direct \(small-1\)` \| 1 of 2: 50\.0 % \(9\.5 to 90\.5\) .* \| \$0\.28 \|/);
    expect(markdown).toContain('Costs by `ours`.');
    expect(await readdir(join(project.root, 'out'))).toEqual(['deep', 'run.md']);
  });

  it('go to GitHub where it runs the command: annotations with the file, the summary behind what is there', async () => {
    const summary = join(project.root, 'summary.md');
    await writeFile(summary, 'before\n');
    const { stdout } = await niceeval(['run', '--sandbox', 'local', 'bad'], { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: project.root });
    expect(stdout).toMatch(/^::error file=evals\/bad\.eval\.ts,title=failed%3A bad #1 by direct::/m);
    expect(await readFile(summary, 'utf8')).toMatch(/^before\n# Run `\d{8}-\d{6}-[0-9a-f]{6}`\n/);
    const quiet = await niceeval(['run', '--sandbox', 'local', 'bad', '--no-github'], { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary });
    expect(quiet.stdout).not.toContain('::error');
    expect((await readFile(summary, 'utf8')).match(/# Run/g)).toHaveLength(1);
  });

  it('that cannot be written make an exit code of 1 and are named', async () => {
    await writeFile(join(project.root, 'a-file'), '');
    const { exitCode, stderr } = await niceeval(['run', '--sandbox', 'local', 'good', '--junit', 'a-file/junit.xml', '--markdown', 'fine.md']);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^niceeval: The JUnit report a-file\/junit\.xml cannot be written: /m)]);
    expect(existsSync(join(project.root, 'fine.md'))).toBe(true);
  });

  it('are refused before anything starts where the profile is none', async () => {
    const before = (await runs()).length;
    await writeFile(join(project.root, 'bad.json'), '{"name":"x","prices":{"m":{"inputPerMTok":"much","outputPerMTok":1}}}');
    expect(await niceeval(['run', '--sandbox', 'local', '--pricing', 'bad.json'])).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^niceeval: --pricing bad\.json: This is no pricing profile: prices\.m\.inputPerMTok/) as string });
    expect((await runs()).length).toBe(before);
  });

  it('are written when the run is interrupted', async () => {
    await using slow = await openProject({ 'evals/a.eval.ts': answerEval('done'), 'evals/slow.eval.ts': answerEval('done').replace('async test(t) {', 'async test(t) { t.progress({ message: "it waits" }); await new Promise(() => {});'), 'experiments/direct.ts': DIRECT_AGENT });
    const child = spawn(process.execPath, [CLI, 'run', '--sandbox', 'local', '--junit', 'junit.xml', '--json'], { cwd: slow.root, stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...NO_CI } });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => { text += chunk.toString(); });
    await lineOf(child.stdout, 'it waits');
    const ended = new Promise<number | null>((resolve) => { child.on('close', resolve); });
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    const junit = await readFile(join(slow.root, 'junit.xml'), 'utf8');
    expect(junit).toContain('<property name="interrupted" value="true"/>');
    expect(JSON.parse(text.trim().split('\n').at(-1) ?? '')).toMatchObject({ type: 'receipt', interrupted: true, exitCode: 130, planned: 2, problems: [] });
  });
});

describe('the receipt', () => {
  it('is the last line of JSON, the only one of its kind, and says all that a caller needs', async () => {
    const { stdout, exitCode } = await niceeval(['run', '--sandbox', 'local', '--json', '--github'], {});
    const lines = stdout.split('\n').map((line) => JSON.parse(line) as { readonly type: string });
    const last = (await runs()).at(-1) ?? '';
    expect(lines.filter(({ type }) => type === 'receipt')).toHaveLength(1);
    expect(lines.at(-1)).toEqual({
      type: 'receipt', runId: last, record: join(project.root, '.niceeval/runs', last), sandbox: 'local', startedAt: expect.any(String) as string, durationMs: expect.any(Number) as number, interrupted: false,
      planned: 2, notRun: 0, counts: { total: 2, passed: 1, failed: 1, errored: 0, skipped: 0 }, infrastructure: 0, problems: [], exitCode,
    });
  });
});

describe('niceeval compare', () => {
  it('compares two runs, for people and for machines', async () => {
    const before = (await runs()).length;
    await niceeval(['run', '--sandbox', 'local']);
    await niceeval(['run', '--sandbox', 'local', 'good', '--attempts', '2']);
    const [a = '', b = ''] = (await runs()).slice(before);
    const { stdout, exitCode } = await niceeval(['compare', a, `${b}:direct`]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^passed of completed +1 of 2: 50 % \(9 to 91\) +2 of 2: 100 % \(34 to 100\) +0 points, 1 eval$/m);
    expect(stdout).toMatch(/^only in A \(1\): bad$/m);
    expect(stdout.split('\n').at(-1)).toMatch(/^These cannot be told apart: /);
    const json = JSON.parse((await niceeval(['compare', a, b, '--json', '--by', 'experiment', '--level', '0.9', '--pricing', 'prices.json'])).stdout) as unknown;
    expect(json).toMatchObject({ format: 'niceeval.compare', by: 'experiment', comparisons: [{ level: 0.9, pricing: 'ours', a: { name: `${a}:direct`, costUSD: { median: 0.14 } }, b: { attempts: 2 }, passRate: { evals: 1, difference: 0, onlyA: ['bad'] } }] });
  });

  it.each([
    ['a side with itself', ['latest', 'latest'], /are the same\. Name two runs, or two experiments of one as RUN:EXPERIMENT\./],
    ['an experiment that the run has not', ['latest', 'latest:nobody'], /has no Attempt by "nobody" that ended\. There are: direct\./],
    ['a level that is none', ['latest', 'latest:direct', '--level', '95'], /between 0 and 1/],
  ])('refuses %s', async (_what, args, message) => {
    expect(await niceeval(['compare', ...args])).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(message) as string });
  });
});

describe('costs of records', () => {
  it('go by the profile, never by what the run estimated', async () => {
    expect((await niceeval(['history', 'good', '--pricing', 'prices.json'])).stdout.split('\n')[1]).toMatch(/100\/20 +\$0\.14$/);
    expect((await niceeval(['show', 'latest', '--pricing', 'prices.json'])).stdout).toMatch(/^cost \$0\.28 by ours$/m);
    expect((await niceeval(['show', 'latest'])).stdout).toMatch(/^cost - by list prices; no price for small-1$/m);
    expect(JSON.parse((await niceeval(['show', 'latest', '--json', '--pricing', 'prices.json'])).stdout)).toMatchObject({ cost: { profile: 'ours', usd: '0.28', known: 2 }, attempts: [{ cost: { state: 'known', usd: '0.14' } }, {}] });
  });
});
