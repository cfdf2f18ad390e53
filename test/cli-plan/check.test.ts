import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { evalFile, experimentFile, writeProject } from '../plan/project.js';

const ROOT = new URL('../../', import.meta.url).pathname;
const MAIN = join(ROOT, 'dist/cli/main.js');

beforeAll(() => {
  if (!existsSync(MAIN)) spawnSync('npm', ['run', 'build'], { cwd: ROOT });
}, 120_000);

async function check(files: Readonly<Record<string, string>>, args: readonly string[] = []): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> {
  await using project = await writeProject(files);
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'check', ...args], { cwd: project.root, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('niceeval check', () => {
  const good = { 'evals/a.eval.ts': `console.log('loud');\n${evalFile("tags: ['smoke'],")}`, 'evals/b.eval.ts': evalFile(), 'experiments/x.ts': experimentFile('attempts: 3') };
  const bad = { ...good, 'evals/b.eval.ts': evalFile("workspace: './nowhere',"), 'experiments/y.ts': experimentFile("gateway: scripted('./none.json')") };
  const problems = (root: string): readonly string[] => [
    `evals/b.eval.ts: the workspace ${root}/evals/nowhere is not a folder. The path is relative to this file.`,
    'experiments/y.ts: the script "./none.json" cannot be read. The path is relative to the experiment\'s file.',
  ];
  const rootOf = (text: string): string => /the workspace (.*)\/evals/.exec(text)?.[1] ?? '';

  test('says what would run, and ends with 0', async () => {
    expect(await check(good)).toEqual({ status: 0, stdout: 'loud\n2 evals by 1 experiment: 6 Attempts would run\n', stderr: '' });
    expect(await check(good, ['a', '--experiment', 'x', '--tag', 'smoke'])).toEqual({ status: 0, stdout: 'loud\n1 eval by 1 experiment: 3 Attempts would run\n', stderr: '' });
  });

  test('tells every problem, and ends with 2', async () => {
    const { status, stdout, stderr } = await check(bad);
    expect({ status, stdout, lines: stderr.trimEnd().split('\n') }).toEqual({ status: 2, stdout: 'loud\n', lines: problems(rootOf(stderr)).map((line) => `niceeval: ${line}`) });
  });

  test('tells the same as JSON lines, with nothing else on standard output', async () => {
    const { status, stdout, stderr } = await check(bad, ['--json']);
    expect({ status, stderr, lines: stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown) }).toEqual({
      status: 2, stderr: 'loud\n',
      lines: [...problems(rootOf(stdout)).map((message) => ({ type: 'check.problem', message })), { type: 'check.finished', ok: false, problems: 2 }],
    });
    expect((await check(good, ['--json'])).stdout).toBe('{"type":"check.finished","ok":true,"problems":0,"evals":2,"experiments":1,"attempts":6}\n');
  });

  test('refuses what no eval fits', async () => {
    expect(await check(good, ['c'])).toEqual({ status: 2, stdout: 'loud\n', stderr: 'niceeval: No eval fits "c". There are: a, b.\n' });
  });
});
