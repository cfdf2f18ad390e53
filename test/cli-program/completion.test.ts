import { existsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { CLI } from '../support/project.js';

function niceeval(...args: readonly string[]): { readonly status: number | null; readonly stdout: string } {
  return spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
}

let script: string;
beforeAll(() => {
  if (!existsSync(CLI)) spawnSync('npm', ['run', 'build'], { cwd: fileURLToPath(new URL('../../', import.meta.url)) });
  script = niceeval('completion', 'bash').stdout;
}, 120_000);

/** What bash offers behind a line, the last word of which is being typed. */
function offered(...words: readonly string[]): readonly string[] {
  const line = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _niceeval_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-uc', line, 'bash', ...words], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((word) => word !== '');
}

describe('completion in bash', () => {
  it.each([
    [['niceeval', 'comp'], ['completion', 'compare']],
    [['niceeval', 'images', ''], ['build', 'list', 'gc']],
    [['niceeval', 'run', '--sandbox', ''], ['docker', 'local']],
    [['niceeval', 'run', '--ju'], ['--junit']],
    [['niceeval', 'images', 'gc', '--dry'], ['--dry-run']],
    [['niceeval', 'completion', ''], ['bash', 'zsh', 'fish']],
    [['niceeval', 'schema', 'c'], ['claims', 'changes']],
    [['niceeval', 'run', '--experiment', ''], []],
    // A value that looks like a command is none.
    [['niceeval', 'images', 'list', '--o'], []],
  ])('offers behind %j exactly %j', (words, expected) => {
    expect([...offered(...words)].sort()).toEqual([...expected].sort());
  });

  it('offers files where a file is wanted', () => {
    const cwd = fileURLToPath(new URL('../../', import.meta.url));
    expect(offered('niceeval', 'run', '--junit', `${cwd}package.js`)).toEqual([`${cwd}package.json`]);
  });

  it('is what zsh loads too, and fish gets a line for each word', () => {
    expect(niceeval('completion', 'zsh').stdout).toContain(script);
    const fish = niceeval('completion', 'fish').stdout;
    expect(fish).toContain("complete -c niceeval -f -n '__fish_use_subcommand' -a 'compare' -d 'Tell how");
    expect(fish).toContain("-l sandbox -x -a 'docker local'");
    for (const line of fish.trim().split('\n')) expect(line.match(/'/g)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0);
  });
});

describe('help', () => {
  const names = (path: readonly string[]): readonly string[] => [...(/\nCommands:\n([^]*?)(\n\n|$)/.exec(niceeval(...path, '--help').stdout)?.[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)].flatMap(([, name]) => (name === undefined || name === 'help' ? [] : [name]));

  it('of every command has an example', () => {
    const top = names([]);
    expect(top).toContain('compare');
    for (const path of [...top.map((name) => [name]), ...names(['images']).map((name) => ['images', name])]) {
      expect(niceeval(...path, '--help').stdout, path.join(' ')).toMatch(/\nExamples?:\n {2}\S/);
    }
  });
});
