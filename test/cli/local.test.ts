import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { attemptFileSchema, changesFileSchema, runFileSchema } from '../../src/record/schema.js';
import { sendEval, shellAgent } from '../support/agents.js';
import { lineOf, openProject, type TestProject } from '../support/project.js';
import { startUpstreamModel } from '../support/upstream-model.js';

/** Nothing answers there: what passes needs no engine. */
const NO_ENGINE = { DOCKER_HOST: 'unix:///nowhere/docker.sock', SECRET_OF_THE_HOST: 'very-secret' };
const CAVEAT = /--sandbox local isolates nothing: agents run on this machine as \S+, and can read, change and send whatever that user can\. Use it with agents you trust\./;

const local = (project: TestProject, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) => project.niceeval(['run', '--sandbox', 'local', ...args], { env: { ...NO_ENGINE, ...env } });
const folders = async (): Promise<readonly string[]> => (await readdir(tmpdir())).filter((name) => name.startsWith('niceeval-local-2'));
const linesOf = (stdout: unknown): readonly { readonly type: string; readonly message?: string; readonly sandbox?: string }[] =>
  String(stdout).split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as { readonly type: string });

/** An agent that asks the model of its experiment once, over HTTP. */
const ASKING_AGENT = `
import { defineExperiment, scripted } from 'niceeval';
import { completeEvidenceCoverage, defineSandboxAgent } from 'niceeval/adapter';
const script = 'fetch(process.env.ORIGIN + "/v1/messages", { method: "POST", headers: { "x-api-key": process.env.TOKEN, "content-type": "application/json", "anthropic-version": "2023-06-01" }, body: JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }] }) }).then((r) => r.json()).then((b) => console.log(b.content[0].text))';
export default defineExperiment({
  agent: defineSandboxAgent({
    name: 'asking',
    evidenceCoverage: completeEvidenceCoverage,
    send: async (input, ctx) => {
      const { stdout } = await ctx.sandbox.runCommandOrThrow('node', ['-e', script], { env: { ORIGIN: ctx.endpoint.origin, TOKEN: ctx.endpoint.token } });
      return { status: 'completed', events: [{ type: 'message', role: 'assistant', text: stdout.trim() }] };
    },
  }),
  gateway: scripted('../models/x.json'),
});
`;

describe('niceeval run --sandbox local', () => {
  it('runs a project without an engine, tells whose changes are whose, says that nothing is isolated, and leaves nothing', async () => {
    await using project = await openProject({
      'workspace/bug.txt': 'bug\n',
      'evals/a.eval.ts': sendEval("await t.sandbox.uploadDirectory('../workspace');", `
        t.check(t.reply, equals('mended\\n'));
        t.sandbox.changedPaths(['bug.txt', 'new.txt']);
        await t.sandbox.writeText('hidden.txt', 'by the eval');
        t.check(await t.sandbox.readText('bug.txt'), equals('no bug\\n'));`),
      'experiments/x.ts': shellAgent('echo no bug > bug.txt; echo n > new.txt; env | grep -c SECRET_OF_THE_HOST >&2; [ -z "$SECRET_OF_THE_HOST" ] && echo mended'),
    });
    const { exitCode, stdout, stderr } = await local(project);
    expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout).toMatch(new RegExp(`  warning: ${CAVEAT.source}`));
    expect(attemptFileSchema.parse(await project.attemptFile('attempt.json'))).toMatchObject({ verdict: 'passed', sandbox: 'local' });
    const { changes } = changesFileSchema.parse(await project.attemptFile('changes.json'));
    expect(changes).toMatchObject({ state: 'available', net: [{ path: 'bug.txt', status: 'modified' }, { path: 'new.txt', status: 'added' }] });
    expect(runFileSchema.parse(JSON.parse(await readFile(join(await project.runFolder(), 'run.json'), 'utf8')))).toMatchObject({ sandbox: 'local' });
    expect(await folders()).toEqual([]);
  });

  it('lays the workspace and carries out the steps in every sandbox, and counts nothing of it as a change', async () => {
    await using project = await openProject({
      'workspace/sub/bug.txt': 'bug\n',
      'evals/a.eval.ts': `import { docker, shell, upload } from 'niceeval/sandbox';\n${sendEval('', "t.sandbox.changedPaths(['agent.txt']); t.check(t.reply, equals('bug\\nmade\\nsecond\\n'));").replace('async test', "workspace: '../workspace', sandbox: docker().prepare(shell('echo made > sub/made.txt'), upload('./more.txt', 'sub/')), async test")}`,
      'evals/more.txt': 'second\n',
      'experiments/x.ts': shellAgent('cat sub/bug.txt sub/made.txt sub/more.txt; echo a > agent.txt', 'attempts: 2,'),
    });
    const { exitCode, stdout, stderr } = await local(project);
    expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
    await using broken = await openProject({
      'evals/a.eval.ts': `import { docker, shell } from 'niceeval/sandbox';\n${sendEval().replace('async test', "sandbox: docker().prepare(shell('echo oops >&2; exit 3')), async test")}`,
      'experiments/x.ts': shellAgent('true'),
    });
    expect(await local(broken)).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/Step 1 of 1, shell "echo oops >&2; exit 3": it ended with exit code 3\. The end of what it\s+printed: oops/) as string });
    expect(await folders()).toEqual([]);
  });

  it('says the same in JSON lines, before anything starts', async () => {
    await using project = await openProject({ 'evals/a.eval.ts': sendEval(), 'experiments/x.ts': shellAgent('echo hi') });
    const lines = linesOf((await local(project, ['--json'])).stdout);
    expect(lines.slice(0, 2).map(({ type }) => type)).toEqual(['run.started', 'run.warning']);
    expect(lines[1]?.message).toMatch(CAVEAT);
    expect(lines.at(-1)).toMatchObject({ type: 'receipt', sandbox: 'local', counts: { passed: 1 } });
  });

  it('plays the model of an experiment on the loopback address', async () => {
    await using project = await openProject({
      'evals/a.eval.ts': sendEval('', "t.check(t.reply, equals('played'));"),
      'experiments/x.ts': ASKING_AGENT,
      'models/x.json': JSON.stringify({ format: 'niceeval.script/v1', turns: [{ text: 'played' }] }),
    });
    const { exitCode, stdout, stderr } = await local(project, ['--attempts', '2']);
    expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
    expect(attemptFileSchema.parse(await project.attemptFile('attempt.json'))).toMatchObject({ verdict: 'passed', gateway: { requests: 1 } });
    expect(await folders()).toEqual([]);
  });

  it('passes requests on from the loopback address, keeps what was answered, and replays it', async () => {
    await using upstream = await startUpstreamModel();
    upstream.play('sk-real-key-of-the-local-test', [{ name: 'main', turns: [{ text: 'from afar' }] }]);
    await using project = await openProject({
      'evals/a.eval.ts': sendEval('', "t.check(t.reply, equals('from afar'));"),
      'experiments/x.ts': ASKING_AGENT.replace(/scripted(\([^)]*\))?/g, (_, call) => (call === undefined ? 'forward' : 'forward()')),
    });
    const env = { ANTHROPIC_BASE_URL: upstream.origin, OPENAI_BASE_URL: upstream.origin };
    const recorded = await local(project, ['--record', 'tapes'], { ...env, ANTHROPIC_API_KEY: 'sk-real-key-of-the-local-test', OPENAI_API_KEY: 'sk-real-key-of-the-local-test' });
    expect(recorded.exitCode, `${String(recorded.stdout)}\n${String(recorded.stderr)}`).toBe(0);
    const replayed = await local(project, ['--replay', 'tapes'], { ...env, ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' });
    expect(replayed.exitCode, `${String(replayed.stdout)}\n${String(replayed.stderr)}`).toBe(0);
    expect(upstream.exchanges.map(({ outcome }) => outcome)).toEqual(['played']);
    expect(attemptFileSchema.parse(await project.attemptFile('attempt.json'))).toMatchObject({ verdict: 'passed', gateway: { requests: 1 } });
    expect(await folders()).toEqual([]);
  });

  it('ends what a timed-out agent left, keeps what it changed, and names the budget', async () => {
    await using project = await openProject({ 'evals/a.eval.ts': sendEval(), 'experiments/x.ts': shellAgent('echo mine > agent.txt; setsid sleep 600 & sleep 600') });
    const { exitCode } = await local(project, ['--timeout', '1500']);
    expect(exitCode).toBe(1);
    expect(await project.attemptFile('attempt.json')).toMatchObject({ error: { code: 'deadline-exceeded', timeout: { limitMs: 1500, source: '--timeout' } } });
    expect(await project.attemptFile('changes.json')).toMatchObject({ changes: { net: [{ path: 'agent.txt', status: 'added' }] } });
    expect(await folders()).toEqual([]);
  });

  it.each([
    ['an image', "sandbox: docker({ image: 'node:22' }),", 'its sandbox has the image "node:22", which --sandbox local cannot give'],
    ['a user and a working directory', "sandbox: docker({ user: 'root', workdir: '/srv' }),", 'its sandbox has the user "root" and the workdir "/srv", which --sandbox local cannot give'],
  ])('refuses %s before anything starts', async (_what, settings, message) => {
    await using project = await openProject({
      'evals/a.eval.ts': sendEval(),
      'experiments/x.ts': `import { docker } from 'niceeval/sandbox';\n${shellAgent('echo hi', settings)}`,
    });
    const { exitCode, stdout, stderr } = await local(project);
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 2, stdout: '', stderr: `niceeval: experiments/x.ts: ${message}. Leave that out, or take another backend.` });
  });

  it('warns of limits that it does not keep to, and runs', async () => {
    await using project = await openProject({
      'evals/a.eval.ts': sendEval(),
      'experiments/x.ts': `import { docker } from 'niceeval/sandbox';\n${shellAgent('echo hi', 'sandbox: docker({ resources: { cpus: 1, pids: 100 } }),')}`,
    });
    const { exitCode, stdout } = await local(project);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('  warning: experiments/x.ts: --sandbox local does not keep to the limit cpus (1) and the limit pids (100) of its sandbox.\n');
  });

  it('leaves what a killed run left to the next run, or to niceeval clean', async () => {
    await using project = await openProject({ 'evals/a.eval.ts': sendEval(), 'experiments/x.ts': shellAgent('setsid sleep 602 & echo works >&2; sleep 601') });
    const run = local(project, ['--json']);
    await lineOf(run.stdout as Readable, '"attempt.started"');
    await untilFolder();
    run.kill('SIGKILL');
    await run;
    const [left] = await folders();
    const dry = await project.niceeval(['clean', '--sandbox', 'local', '--dry-run'], { env: NO_ENGINE });
    expect(dry.stdout).toBe(`would remove folder ${join(tmpdir(), left ?? '')}\nlocal: would remove 0 containers, 0 networks and 1 folders, kept 0`);
    const { exitCode, stdout } = await project.niceeval(['clean', '--sandbox', 'local'], { env: NO_ENGINE });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `removed folder ${join(tmpdir(), left ?? '')}\nlocal: removed 0 containers, 0 networks and 1 folders, kept 0` });
    expect(await folders()).toEqual([]);
    expect(await livingWith(left ?? '')).toEqual([]);
  });
});

/** Numbers of processes whose environment holds a text. */
async function livingWith(text: string): Promise<readonly string[]> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(numbers.map((number) => readFile(`/proc/${number}/environ`, 'latin1').catch(() => '')));
  return numbers.filter((_number, index) => environments[index]?.includes(text));
}

/** Waits until the agent of the only run works: processes carry the name of its folder. */
async function untilFolder(): Promise<void> {
  for (const until = performance.now() + 30_000; performance.now() < until;) {
    const [folder] = await folders();
    if (folder !== undefined && (await livingWith(folder)).length >= 2) return;
  }
  throw new Error('no agent was seen at work');
}
