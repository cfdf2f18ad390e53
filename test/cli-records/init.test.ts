import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { CLI, openProject } from '../support/project.js';

beforeAll(() => {
  if (!existsSync(CLI)) spawnSync('npm', ['run', 'build'], { cwd: fileURLToPath(new URL('../../', import.meta.url)) });
}, 120_000);

describe('niceeval init', () => {
  it('writes a project that passes as it is, without a key, an engine or a network', async () => {
    await using folder = await openProject({});
    const made = await folder.niceeval(['init', 'My Evals!']);
    expect([made.exitCode, String(made.stdout).split('\n').at(-1)]).toEqual([0, 'next: cd My Evals! && npm install && npm run eval']);
    const root = join(folder.root, 'My Evals!');
    expect(JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))).toMatchObject({ name: 'my-evals', private: true, type: 'module', scripts: { eval: 'niceeval run --sandbox local' } });
    const { exitCode, stdout, stderr } = await folder.niceeval(['run', '--sandbox', 'local', '--dir', root, '--json']);
    expect(exitCode, String(stderr)).toBe(0);
    expect(JSON.parse(String(stdout).split('\n').at(-1) ?? '')).toMatchObject({ type: 'receipt', counts: { total: 1, passed: 1 } });
  });

  it('refuses a folder with something in it, names that, and changes nothing', async () => {
    await using folder = await openProject({ 'package.json': '{}', 'src/a.ts': '' });
    expect(await folder.niceeval(['init'])).toMatchObject({ exitCode: 2, stdout: '', stderr: `niceeval: ${folder.root} is not empty: it has package.json, src. --force replaces package.json.` });
    expect([await readdir(folder.root), await readFile(join(folder.root, 'package.json'), 'utf8')]).toEqual([['package.json', 'src'], '{}']);
    expect((await folder.niceeval(['init', '--force'])).exitCode).toBe(0);
    expect(await readFile(join(folder.root, 'package.json'), 'utf8')).toContain('niceeval run');
    expect(existsSync(join(folder.root, 'src/a.ts'))).toBe(true);
  });

  it('takes a folder that only has a history, and refuses a file', async () => {
    await using folder = await openProject({ file: '' });
    await mkdir(join(folder.root, 'new/.git'), { recursive: true });
    expect((await folder.niceeval(['init', 'new'])).exitCode).toBe(0);
    expect(await folder.niceeval(['init', 'file'])).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/file cannot be made a project: it is no folder/) as string });
  });
});

describe('niceeval config', () => {
  it('tells each setting with its value, and by whose word: a flag, the experiment, the configuration, or nobody', async () => {
    await using project = await openProject({});
    await project.niceeval(['init', '.']);
    await writeFile(join(project.root, 'experiments/own.ts'), (await readFile(join(project.root, 'experiments/echo.ts'), 'utf8')).replace("description: '", "attempts: 3, timeoutMs: 9, model: 'm\u001b[2J', description: '"));
    const told = JSON.parse(String((await project.niceeval(['config', '--json', '--attempts', '7'])).stdout)) as { readonly settings: readonly { readonly name: string; readonly experimentId?: string; readonly value?: unknown; readonly source: string }[] };
    const wordOn = (name: string, experimentId?: string): unknown => {
      const { value, source } = told.settings.find((setting) => setting.name === name && setting.experimentId === experimentId) ?? {};
      return [value, source];
    };
    expect([wordOn('sandbox'), wordOn('maxConcurrency'), wordOn('attempts', 'own'), wordOn('timeoutMs', 'own'), wordOn('timeoutMs', 'echo'), wordOn('judge', 'echo'), wordOn('evals', 'echo')])
      .toEqual([['docker', 'built-in'], [2, 'config'], [7, 'flag'], [9, 'experiment'], [300_000, 'config'], [undefined, 'built-in'], ['*', 'built-in']]);
    const lines = String((await project.niceeval(['config'])).stdout).split('\n').map((line) => line.split(/ {2,}/));
    expect(lines).toContainEqual(['attempts', 'own', '3', 'experiment (experiments/own.ts)']);
    expect(lines).toContainEqual(['model', 'own', 'm\\u001b[2J', 'experiment (experiments/own.ts)']);
  });
});
