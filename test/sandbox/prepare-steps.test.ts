import { chmod, mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { docker } from '../../src/sandbox/docker/spec.js';
import { GitSources } from '../../src/sandbox/prepare/git-sources.js';
import { materialOf } from '../../src/sandbox/prepare/material.js';
import { sandboxLayer } from '../../src/sandbox/prepare/preparable.js';
import type { PrepareStep } from '../../src/sandbox/prepare/step.js';
import { command, shell, upload } from '../../src/sandbox/prepare/steps.js';
import { fromFolder, fromGit, fromTar } from '../../src/sandbox/prepare/workspace-sources.js';

const anything = (value: unknown): never => value as never;

describe('prepare', () => {
  test('gives a new frozen specification and leaves the old one alone', () => {
    const before = docker({ image: 'x' });
    const after = before.prepare(command('true')).prepare(upload('a'), shell('b'));
    expect(before).toEqual({ kind: 'sandbox-spec', backend: 'docker', image: 'x' });
    expect(after).toEqual({
      kind: 'sandbox-spec', backend: 'docker', image: 'x',
      steps: [{ kind: 'command', argv: ['true'] }, { kind: 'upload', hostPath: 'a', ignore: [] }, { kind: 'shell', script: 'b' }],
    });
    expect([Object.isFrozen(before), Object.isFrozen(after), Object.keys(before)]).toEqual([true, true, ['kind', 'backend', 'image']]);
  });

  test('gives a layer its steps', () => {
    expect(sandboxLayer()).toEqual({ kind: 'sandbox-layer' });
    expect(sandboxLayer().prepare(command('a', ['b'])).prepare(fromTar('t.tar'))).toEqual({ kind: 'sandbox-layer', steps: [{ kind: 'command', argv: ['a', 'b'] }, { kind: 'tar', hostPath: 't.tar' }] });
  });

  test.each([[[]], [['npm ci']], [[{ kind: 'mount' }]], [[command('true'), undefined]]])('refuses %j', (steps) => {
    expect(() => docker().prepare(...anything(steps) as readonly PrepareStep[])).toThrow(new TypeError('prepare() takes steps: what upload(), command(), shell(), fromFolder(), fromGit() or fromTar() made.'));
  });
});

test.each<[string, () => unknown, string]>([
  ['an upload of nothing', () => upload(''), 'upload() needs the path of a file or a folder: a text that is not empty.'],
  ['an upload to nothing', () => upload('a', ' '), 'upload() needs a target: a text that is not empty.'],
  ['an option of upload', () => upload('a', 'b', anything({ mode: 1 })), 'upload() does not know the option "mode". It knows ignore.'],
  ['ignore that is no list', () => fromFolder('a', anything({ ignore: 'x' })), 'fromFolder(): `ignore` must be a list of globs, for instance ["node_modules/**"].'],
  ['a NUL in a path', () => fromTar('a\0b'), 'fromTar() needs the path of an archive: a text that is not empty.'],
  ['no program', () => command(''), 'command() needs a program: a text that is not empty.'],
  ['arguments in one text', () => command('npm', anything('ci')), 'command() takes the arguments as a list of texts.'],
  ['no script', () => shell('  '), 'shell() needs a script: a text that is not empty.'],
  ['an option of shell', () => shell('x', anything({ cwd: '/' })), 'shell() does not know the option "cwd". It knows user, env, timeoutMs.'],
  ['a variable that is no text', () => shell('x', anything({ env: { A: 1 } })), 'shell(): `env` must be an object of texts; look at "A".'],
  ['a variable with an equals sign', () => shell('x', { env: { 'A=B': '' } }), 'shell(): `env` must be an object of texts; look at "A=B".'],
  ['no time', () => shell('x', { timeoutMs: 0 }), 'shell(): `timeoutMs` must be a whole number of milliseconds from 1 to 2147483647, not 0.'],
  ['a ref that is an option', () => fromGit({ repo: '.', ref: '--upload-pack=x' }), 'fromGit(): the ref "--upload-pack=x" is no name of a branch, a tag or a commit.'],
  ['a ref that is a refspec', () => fromGit({ repo: '.', ref: 'a:b' }), 'fromGit(): the ref "a:b" is no name of a branch, a tag or a commit.'],
  ['a repository that is an option', () => fromGit({ repo: '-u', ref: 'main' }), 'fromGit(): the repository "-u" begins with "-" or holds a control character.'],
  ['a transport of its own', () => fromGit({ repo: 'ext::sh -c id', ref: 'main' }), 'fromGit(): the repository "ext::sh -c id" names a transport of its own; a URL, git@host:path or a path is taken.'],
  ['a protocol', () => fromGit({ repo: 'ftp://h/r', ref: 'main' }), 'fromGit(): the repository "ftp://h/r" is none of https, http, ssh, git and file.'],
  ['a token in a URL, which is not told', () => fromGit({ repo: 'https://token@h/r', ref: 'main' }), 'fromGit(): the repository "https://h/r" has a user or a password in its URL. Leave it to git\'s own credential helper, or write git@host:path.'],
  ['a query', () => fromGit({ repo: 'https://h/r?x=1', ref: 'main' }), 'fromGit(): the repository "https://h/r?x=1" has a query or a fragment.'],
  ['an empty fragment', () => fromGit({ repo: 'https://h/r#', ref: 'main' }), 'fromGit(): the repository "https://h/r#" has a query or a fragment.'],
  ['a host that is an option of ssh', () => fromGit({ repo: 'git@-oProxyCommand=id:r', ref: 'main' }), 'fromGit(): the repository "git@-oProxyCommand=id:r" has a host that begins with "-".'],
  ['a path that climbs', () => fromGit({ repo: '.', ref: 'main', path: 'a/../../b' }), 'fromGit(): the path "a/../../b" must be a folder in the repository, without "..", and must not begin with "/" or "-".'],
  ['a path with a history', () => fromGit({ repo: '.', ref: 'main', path: 'a', history: 'ancestors' }), 'fromGit(): a `path` has no history of its own. Leave `history` out, or take the whole repository.'],
  ['another history', () => fromGit({ repo: '.', ref: 'main', history: anything('full') }), 'fromGit(): `history` is "ancestors" or "none", not "full".'],
  ['an option of fromGit', () => fromGit(anything({ repo: '.', ref: 'main', depth: 1 })), 'fromGit() does not know the option "depth". It knows repo, ref, path, history.'],
])('refuses %s', (_what, make, message) => {
  expect(make).toThrow(new TypeError(message));
});

test.each(['../repos/a', '/srv/a.git', 'https://example.com/a.git', 'ssh://example.com/a', 'git@example.com:team/a.git', 'file:///srv/a'])('takes the repository %s', (repo) => {
  expect(fromGit({ repo, ref: 'v1.2' })).toEqual({ kind: 'git', repo, ref: 'v1.2', history: 'ancestors' });
});

describe('what a step depends on', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'niceeval-material-'));
    await mkdir(join(folder, 'd'));
    await writeFile(join(folder, 'd/f'), 'one');
    await symlink('f', join(folder, 'd/l'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const identityOf = async (step: PrepareStep): Promise<string> => {
    await using git = new GitSources();
    return JSON.stringify((await materialOf(step, { git, signal: new AbortController().signal })).identity);
  };

  test.each<[string, (file: string) => Promise<unknown>]>([
    ['bytes', (file) => writeFile(file, 'two')],
    ['a mode', (file) => chmod(file, 0o755)],
    ['a name', (file) => rename(file, `${file}2`)],
    ['the target of a link', (file) => rm(join(file, '../l')).then(() => symlink('g', join(file, '../l')))],
    ['an empty folder', (file) => mkdir(join(file, '../e'))],
  ])('%s of an uploaded folder', async (_what, change) => {
    const step = upload(join(folder, 'd'));
    const before = await identityOf(step);
    await change(join(folder, 'd/f'));
    expect(await identityOf(step)).not.toBe(before);
  });

  test('neither times, nor where it lies, nor what is ignored', async () => {
    const before = await identityOf(upload(join(folder, 'd'), 'x', { ignore: ['*.log'] }));
    await utimes(join(folder, 'd/f'), 1, 1);
    await writeFile(join(folder, 'd/a.log'), '');
    await rename(join(folder, 'd'), join(folder, 'moved'));
    expect(await identityOf(upload(join(folder, 'moved'), 'x', { ignore: ['*.log'] }))).toBe(before);
  });

  test('the target, the words, the user and the environment of a command', async () => {
    const steps = [
      upload(join(folder, 'd')), upload(join(folder, 'd'), 'x'), upload(join(folder, 'd/f')), command('a', ['b c']), command('a', ['b', 'c']), shell('a b'),
      shell('a b', { user: 'root' }), shell('a b', { env: { X: '1' } }), shell('a b', { env: { X: '2' } }),
    ];
    expect(new Set(await Promise.all(steps.map(identityOf))).size).toBe(steps.length);
    expect(await identityOf(shell('a', { env: { X: '1', Y: '2' } }))).toBe(await identityOf(shell('a', { env: { Y: '2', X: '1' } })));
  });
});
