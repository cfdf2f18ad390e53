import { createServer, connect, type Socket } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { sendEval, shellAgent } from '../support/agents.js';
import { leftovers, lineOf, openProject, type TestProject } from '../support/project.js';

const sleeper = { 'evals/a.eval.ts': sendEval("await t.sandbox.writeText('seed.txt', 'by the eval');"), 'experiments/x.ts': shellAgent('echo mine > agent.txt; setsid sleep 600 & sleep 600') };

/** Starts a run and waits until its agent works: its file is there. */
async function startedRun(project: TestProject, args: readonly string[] = []): Promise<{ readonly run: ReturnType<TestProject['niceeval']> }> {
  const run = project.niceeval(['run', '--json', ...args]);
  await lineOf(run.stdout as Readable, '"attempt.started"');
  return { run }; // The run is a promise of its end; returned bare it would be waited for.
}

/** Waits, by asking the engine, until one of our sandboxes runs a command. */
async function agentWorks(): Promise<void> {
  const { execa } = await import('execa');
  for (let look = 0; look < 200; look += 1) {
    const { stdout } = await execa('docker', ['ps', '--filter', 'label=niceeval.role=sandbox', '--format', '{{.ID}} {{.Label "niceeval.run"}}']);
    for (const [id = ''] of stdout.split('\n').map((line) => line.split(' ')).filter(([found, run = 'test-']) => found !== '' && !run.startsWith('test-'))) {
      const top = await execa('docker', ['top', id, '-eo', 'pid,args'], { reject: false });
      if (top.stdout.includes('sleep 600')) return;
    }
  }
  throw new Error('no agent was seen at work');
}

describe('the end of a run', () => {
  it.each([['SIGINT'], ['SIGTERM']] as const)('removes everything after %s, seals the record and ends with 130', async (signal) => {
    await using project = await openProject(sleeper);
    const { run } = await startedRun(project);
    await agentWorks();
    run.kill(signal);
    expect((await run).exitCode).toBe(130);
    expect(await leftovers()).toEqual([]);
    expect(await project.attemptFile('attempt.json')).toMatchObject({ verdict: 'errored', interrupted: true, error: { code: 'interrupted' } });
  });

  it('waits no longer for an agent that ignores its end when it is asked again, and removes everything all the same', async () => {
    const deaf = `
      import { defineExperiment } from 'niceeval';
      import { completeEvidenceCoverage, defineSandboxAgent } from 'niceeval/adapter';
      export default defineExperiment({ agent: defineSandboxAgent({
        name: 'deaf', evidenceCoverage: completeEvidenceCoverage,
        send: async (input, ctx) => {
          await ctx.sandbox.writeText('begun.txt', '');
          console.log('deaf agent began');
          return new Promise(() => undefined);
        },
      }) });`;
    await using project = await openProject({ ...sleeper, 'experiments/x.ts': deaf });
    const run = project.niceeval(['run', '--json']);
    await lineOf(run.stderr as Readable, 'deaf agent began');
    const begun = performance.now();
    run.kill('SIGINT');
    await lineOf(run.stderr as Readable, 'SIGINT: ending');
    run.kill('SIGINT');
    const { exitCode, stderr } = await run;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('waiting for nothing more');
    // Left alone it would have been waited for 20 s, and its test longer.
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect(await leftovers()).toEqual([]);
    expect(await project.attemptFile('attempt.json')).toMatchObject({ verdict: 'errored', interrupted: true });
  });

  it('keeps what a timed-out agent changed, names the budget, and leaves no process or container', async () => {
    await using project = await openProject(sleeper);
    const { exitCode, stdout } = await project.niceeval(['run', '--timeout', '4000']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('errored  a by x (1)\n  ! timed out: the limit of 4000 ms (set by --timeout) ran out\n');
    expect(await project.attemptFile('attempt.json')).toMatchObject({ error: { code: 'deadline-exceeded', timeout: { limitMs: 4000, source: '--timeout' } } });
    expect(await project.attemptFile('changes.json')).toMatchObject({
      changes: { state: 'available', net: [{ path: 'agent.txt', status: 'added' }], windows: [{ label: 'turn1', flags: ['timed-out'] }] },
    });
    expect(await leftovers()).toEqual([]);
  });

  it('removes what a killed run left, and leaves a living run alone', async () => {
    await using killed = await openProject(sleeper);
    await using living = await openProject({ ...sleeper, 'experiments/x.ts': shellAgent('sleep 25') });
    const { run: first } = await startedRun(killed);
    await agentWorks();
    first.kill('SIGKILL');
    await first;
    expect((await leftovers()).length).toBeGreaterThan(0);
    const { run: second } = await startedRun(living);
    const { stdout } = await living.niceeval(['clean']);
    // The next run may have removed the orphans already; either way none is left and the living run has its own.
    expect(stdout).toMatch(/docker: removed \d+ containers, \d+ networks and 0 folders, kept [1-9]\d*/);
    expect((await second).exitCode).toBe(0);
    expect(await leftovers()).toEqual([]);
  });

  it('tells an engine that went away in mid-run as an errored Attempt, without hanging', async () => {
    await using project = await openProject(sleeper);
    const folder = await mkdtemp(join(tmpdir(), 'niceeval-engine-'));
    const path = join(folder, 'docker.sock');
    const sockets = new Set<Socket>();
    const proxy = createServer((client) => {
      const engine = connect('/var/run/docker.sock');
      for (const socket of [client, engine]) {
        sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => { sockets.delete(socket); client.destroy(); engine.destroy(); });
      }
      client.pipe(engine).pipe(client);
    });
    await new Promise<void>((resolve) => { proxy.listen(path, resolve); });
    const run = project.niceeval(['run'], { env: { DOCKER_HOST: `unix://${path}` } });
    await agentWorks();
    proxy.close();
    for (const socket of sockets) socket.destroy();
    await rm(folder, { recursive: true, force: true });
    const { exitCode, stdout } = await run;
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/errored {2}a by x \(1\)\n {2}! No container engine answers at unix:/);
    await project.niceeval(['clean']);
    expect(await leftovers()).toEqual([]);
  });

  it('runs Attempts side by side up to the limit, each in a sandbox of its own', async () => {
    await using project = await openProject({
      'evals/a.eval.ts': sendEval('', "t.check(t.reply, includes('alone')); t.sandbox.changedPaths(['mark']);"),
      'experiments/x.ts': shellAgent('[ -e mark ] || echo alone; echo x > mark'),
    });
    const { exitCode, stdout } = await project.niceeval(['run', '--attempts', '4', '--concurrency', '3']);
    expect(stdout).toContain('4 passed, 0 failed, 0 errored, 0 skipped');
    expect(exitCode).toBe(0);
    expect(await leftovers()).toEqual([]);
  });
});
