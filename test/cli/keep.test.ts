import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptFileSchema } from '../../src/record/schema.js';
import { sendEval, shellAgent } from '../support/agents.js';
import { CLI, leftovers, openProject, type TestProject } from '../support/project.js';

describe('--keep-sandbox=failed and niceeval shell', () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await openProject({
      'evals/bad.eval.ts': sendEval("await t.sandbox.writeText('seed.txt', 'by the eval\\n');", "t.check(turn.message, equals('never'));"),
      'evals/good.eval.ts': sendEval(),
      'experiments/x.ts': shellAgent('echo by the agent > agent.txt; sleep 600 &'),
    });
  });
  afterAll(async () => {
    await project.niceeval(['clean', '--kept']);
    await project[Symbol.asyncDispose]();
  });

  it('leaves the sandbox of the failed Attempt alive, says until when, and lets people look inside', async () => {
    const before = Date.now();
    const { exitCode, stdout } = await project.niceeval(['run', '--keep-sandbox=failed']);
    expect(exitCode).toBe(1);
    const [bad, good] = [attemptFileSchema.parse(await project.attemptFile('attempt.json', 'bad')), attemptFileSchema.parse(await project.attemptFile('attempt.json', 'good'))];
    expect([bad.verdict, good.verdict, good.kept]).toEqual(['failed', 'passed', undefined]);
    expect(stdout).toContain(`kept until ${bad.kept?.until}: niceeval shell ${bad.id}\n`);
    expect(Date.parse(bad.kept?.until ?? '') - before).toBeGreaterThan(23 * 60 * 60_000);
    expect(await leftovers()).toHaveLength(1);

    const looked = await project.niceeval(['shell', 'bad', 'sh', '-c', 'cat seed.txt agent.txt; id -un; pwd; echo oops >&2; exit 7']);
    expect(looked).toMatchObject({ exitCode: 7, stdout: 'by the eval\nby the agent\nagent\n/home/agent/workspace', stderr: 'oops' });
    const typed = await execa('node', [CLI, 'shell', bad.id], { input: 'cat agent.txt\nip route | wc -l\npgrep sleep | wc -l\nexit 3\n', reject: false });
    // Its network is gone, and what the agent left running; only its keeper sleeps.
    expect(typed).toMatchObject({ exitCode: 3, stdout: 'by the agent\n0\n1' });
    expect((await project.niceeval(['shell', '--user', 'root', 'bad', 'id', '-u'])).stdout).toBe('0');
    expect((await project.niceeval(['shell'])).stdout).toMatch(new RegExp(`^${bad.id}  run \\S+  kept$`, 'm'));
    expect(await project.niceeval(['shell', 'nobody'])).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(new RegExp(`No living sandbox belongs to "nobody"\\. There are: .*${bad.id}`)) as string });
  });

  it('is removed by no other run and no plain cleaning, but by clean --kept', async () => {
    await project.niceeval(['run', 'good']);
    expect((await project.niceeval(['clean'])).stdout).toContain('kept niceeval-kept-');
    expect(await leftovers()).toHaveLength(1);
    expect((await project.niceeval(['clean', '--kept'])).stdout).toContain('docker: removed 1 containers, 0 networks and 0 folders');
    expect(await leftovers()).toEqual([]);
  });

  it('takes no other word', async () => {
    expect(await project.niceeval(['run', '--keep-sandbox=some'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Allowed choices are all, failed.') as string });
  });
});
