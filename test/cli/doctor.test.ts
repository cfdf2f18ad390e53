import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openProject } from '../support/project.js';

const PROJECT = {
  'niceeval.config.ts': "import { defineConfig } from 'niceeval'; export default defineConfig({ judge: { model: 'm', apiKeyEnv: 'MY_JUDGE' } });",
  'evals/a.eval.ts': "import { defineEval } from 'niceeval'; export default defineEval({ test: () => undefined });",
};

describe('niceeval doctor', () => {
  it('looks at everything, and says what is missing and what to do', async () => {
    await using project = await openProject(PROJECT);
    const { exitCode, stdout } = await project.niceeval(['doctor'], { env: { MY_JUDGE: '' } });
    expect(exitCode).toBe(0);
    const names = stdout.split('\n').filter((line) => /^(ok|warning|failed)/.test(line)).map((line) => line.slice(9).split(' ')[0]);
    expect(names).toEqual(['node', 'engine', 'storage', 'disk', 'limits', 'hardening', 'networks', 'image', 'leftovers', 'project', 'judge']);
    expect(stdout).toContain('warning  judge       MY_JUDGE is not set\n                     Set it; until then what a judge is asked is unavailable.');
    const json = JSON.parse((await project.niceeval(['doctor', '--json'], { env: { MY_JUDGE: 'k' } })).stdout as string) as { checks: { name: string; state: string; detail: string }[] };
    expect(json.checks.find(({ name }) => name === 'judge')).toEqual({ name: 'judge', state: 'ok', detail: 'MY_JUDGE is set' });
  });

  it('ends with 3 where no engine answers', async () => {
    await using project = await openProject({});
    const { exitCode, stdout } = await project.niceeval(['doctor'], { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } });
    expect(exitCode).toBe(3);
    expect(stdout).toContain('failed   engine      No container engine answers at unix:///nowhere/docker.sock.');
  });

  it('finds the engine of the Docker context that is chosen, as every command does', async () => {
    const id = createHash('sha256').update('mine').digest('hex');
    await using project = await openProject({
      '.docker/config.json': JSON.stringify({ currentContext: 'mine' }),
      [`.docker/contexts/meta/${id}/meta.json`]: JSON.stringify({ Name: 'mine', Endpoints: { docker: { Host: 'unix:///var/run/docker.sock' } } }),
    });
    const { exitCode, stdout } = await project.niceeval(['doctor'], { env: { HOME: project.root } });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('at unix:///var/run/docker.sock (context "mine")');
    const gone = await project.niceeval(['clean', '--dry-run'], { env: { HOME: project.root, DOCKER_CONTEXT: 'gone' } });
    expect(gone.exitCode).not.toBe(0);
    expect(gone.stderr).toContain('The Docker context "gone" cannot be read below');
  });
});
