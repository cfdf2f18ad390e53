import { access, chmod, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { GitSources } from '../../src/sandbox/prepare/git-sources.js';
import { materialOf } from '../../src/sandbox/prepare/material.js';
import { digestOf, type TreeEntry } from '../../src/sandbox/prepare/tree.js';
import { fromGit, type GitSourceOptions } from '../../src/sandbox/prepare/workspace-sources.js';
import { gitIn, openRepository, type TestRepository } from '../support/repositories.js';

const signal = new AbortController().signal;

describe('a commit of a repository', () => {
  let repo: TestRepository;
  let git: GitSources;
  let first: string;
  let task: string;
  let solution: string;
  let other: string;
  beforeAll(async () => {
    git = new GitSources();
    repo = await openRepository();
    first = await repo.commit('first', { 'a.txt': '1\n' });
    task = await repo.commit('task', { 'a.txt': '2\n', 'sub/b.txt': 'b\n' });
    await repo.git('tag', 'light');
    await repo.git('tag', '-a', '-m', 'annotated', 'v1');
    await repo.git('checkout', '--quiet', '-b', 'side/way');
    other = await repo.commit('on the side', { 'side.txt': 's\n' });
    await repo.git('checkout', '--quiet', 'trunk');
    solution = await repo.commit('solution', { 'a.txt': 'solved\n' });
    await repo.git('tag', 'solved');
    await repo.git('gc', '--quiet'); // Everything in one pack, where a careless copy takes it all.
    await writeFile(join(repo.folder, '.git/hooks/post-checkout'), '#!/bin/sh\ntouch hooked\n');
    await chmod(join(repo.folder, '.git/hooks/post-checkout'), 0o755);
  });
  afterAll(async () => {
    await git[Symbol.asyncDispose]();
    await repo[Symbol.asyncDispose]();
  });
  const step = (options: Partial<GitSourceOptions> & { readonly ref: string }) => fromGit({ repo: repo.folder, ...options });

  it('is found by branch, tag, annotated tag, full and short id, and expression', async () => {
    const resolved = async (ref: string) => git.resolve(step({ ref }), signal);
    expect(await resolved('trunk')).toEqual({ commit: solution, branch: 'trunk' });
    expect(await resolved('side/way')).toEqual({ commit: other, branch: 'side/way' });
    for (const ref of ['light', 'v1', task, task.slice(0, 10), 'solved~1', 'v1^0']) expect(await resolved(ref), ref).toEqual({ commit: task, branch: 'main' });
    expect(await resolved('HEAD')).toEqual({ commit: solution, branch: 'main' });
  });

  it('comes with its ancestors and with nothing that came after it', async () => {
    const of = step({ ref: 'v1' });
    await using checkout = await git.checkout(of, await git.resolve(of, signal), signal);
    const inside = (...args: readonly string[]): Promise<string> => gitIn(checkout.folder, ...args);
    expect(await inside('log', '--all', '--format=%H')).toBe(`${task}\n${first}`);
    expect(await inside('for-each-ref', '--format=%(refname) %(objectname)')).toBe(`refs/heads/main ${task}`);
    expect(await inside('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    expect(await inside('status', '--porcelain', '--ignored')).toBe('');
    expect(await inside('fsck', '--unreachable', '--no-reflogs', '--full')).toBe('');
    expect(await inside('reflog', '--all')).toBe('');
    expect(await inside('remote')).toBe('');
    for (const gone of [solution, other, `${solution}:a.txt`, 'v1']) await expect(inside('cat-file', '-e', gone), gone).rejects.toThrow();
    // Every object that is there at all, by git's own list, belongs to the two commits.
    const there = (await inside('cat-file', '--batch-all-objects', '--batch-check=%(objectname)')).split('\n').sort();
    expect(there).toEqual((await repo.git('rev-list', '--objects', '--no-object-names', task)).split('\n').sort());
    expect((await readdir(join(checkout.folder, '.git'))).sort()).toEqual(expect.not.arrayContaining(['FETCH_HEAD', 'ORIG_HEAD', 'hooks', 'logs', 'packed-refs', 'modules', 'shallow']));
    for (const path of ['.git/objects/info/alternates', 'hooked']) await expect(access(join(checkout.folder, path)), path).rejects.toThrow('ENOENT');
    expect(await inside('config', '--local', '--list')).not.toMatch(/remote|url|branch\./);
  });

  it('keeps the name of a branch', async () => {
    const of = step({ ref: 'side/way' });
    await using checkout = await git.checkout(of, await git.resolve(of, signal), signal);
    expect(await gitIn(checkout.folder, 'branch', '--show-current')).toBe('side/way');
  });

  it('comes without a repository, or as a folder of it, when that is asked for', async () => {
    const namesOf = async (options: Partial<GitSourceOptions>): Promise<readonly string[]> => {
      const material = await materialOf(step({ ref: task, ...options }), { git, signal });
      if (material.kind !== 'files') throw new Error('no files');
      await using opened = await material.open();
      const names: string[] = [];
      for await (const { path } of opened.tree) names.push(path);
      return names;
    };
    expect(await namesOf({ history: 'none' })).toEqual(['a.txt', 'sub', 'sub/b.txt']);
    expect(await namesOf({ path: 'sub' })).toEqual(['b.txt']);
    await expect(namesOf({ path: 'nowhere' })).rejects.toThrow(`"${task}" of the repository ${repo.folder} has no folder "nowhere".`);
    await expect(namesOf({ path: 'a.txt' })).rejects.toThrow('has no folder "a.txt"');
  });

  it('says what cannot be fetched', async () => {
    await expect(git.resolve(step({ ref: 'no-such' }), signal)).rejects.toThrow(`"no-such" of the repository ${repo.folder} could not be fetched: it has no branch, tag or commit of this name`);
    const missing = step({ ref: '1'.repeat(task.length) });
    await expect(git.checkout(missing, await git.resolve(missing, signal), signal)).rejects.toThrow(`it has no commit ${'1'.repeat(task.length)}`);
    await expect(git.resolve(fromGit({ repo: join(repo.folder, 'sub'), ref: 'x/y' }), signal)).rejects.toThrow(/could not be fetched: .*does not appear to be a git repository/s);
  });
});

test('a repository of SHA-256 is taken like any other', async () => {
  await using repo = await openRepository('sha256');
  await using git = new GitSources();
  const commit = await repo.commit('one', { 'a': 'a' });
  await repo.commit('two', { 'a': 'b' });
  const of = fromGit({ repo: repo.folder, ref: 'trunk~1' });
  await using checkout = await git.checkout(of, await git.resolve(of, signal), signal);
  expect([await gitIn(checkout.folder, 'rev-list', '--all'), await gitIn(checkout.folder, 'fsck', '--unreachable', '--no-reflogs')]).toEqual([commit, '']);
});

describe('a repository of a stranger', () => {
  it('does not choose, by a link, what of this machine is laid or read', async () => {
    await using repo = await openRepository();
    await using git = new GitSources();
    await symlink('/etc', join(repo.folder, 'way'));
    await symlink('/etc/passwd', join(repo.folder, '.gitattributes'));
    await repo.commit('links', { 'a': 'a' });
    const way = await materialOf(fromGit({ repo: repo.folder, ref: 'trunk', path: 'way' }), { git, signal });
    await expect(way.kind === 'files' ? way.open() : undefined).rejects.toThrow('has no folder "way"');
    const whole = await materialOf(fromGit({ repo: repo.folder, ref: 'trunk', history: 'none' }), { git, signal });
    if (whole.kind !== 'files') throw new Error('no files');
    await using opened = await whole.open();
    const links: TreeEntry[] = [];
    for await (const entry of opened.tree) if (entry.kind === 'symlink') links.push(entry);
    expect(links.map((link) => [link.path, link.kind === 'symlink' ? link.target : ''])).toEqual([['.gitattributes', '/etc/passwd'], ['way', '/etc']]);
  });

  it('tells of submodules and large files that are not fetched', async () => {
    await using inner = await openRepository();
    await using repo = await openRepository();
    await using git = new GitSources();
    await inner.commit('inner', { 'x': 'x' });
    await repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.folder, 'lib');
    await repo.commit('outer', { '.gitattributes': '*.bin filter=lfs diff=lfs\n', 'big.bin': 'version https://git-lfs.github.com/spec/v1\n' });
    const material = await materialOf(fromGit({ repo: repo.folder, ref: 'trunk' }), { git, signal });
    if (material.kind !== 'files') throw new Error('no files');
    await using opened = await material.open();
    expect(opened.notices.map(({ code }) => code)).toEqual(['submodules-not-fetched', 'lfs-not-fetched']);
    await digestOf(opened.tree);
  });

  it('leaves nothing of what was fetched behind', async () => {
    await using repo = await openRepository();
    const commit = await repo.commit('one', { 'a': 'a' });
    const git = new GitSources();
    const checkout = await git.checkout(fromGit({ repo: repo.folder, ref: commit }), { commit, branch: 'main' }, signal);
    expect(await readFile(join(checkout.folder, 'a'), 'utf8')).toBe('a');
    await git[Symbol.asyncDispose]();
    await expect(access(join(checkout.folder, '..'))).rejects.toThrow('ENOENT');
  });

  it('is not asked with an editor, a pager or settings of the caller', async () => {
    await using repo = await openRepository();
    const commit = await repo.commit('one', { 'a': 'a' });
    for (const [name, value] of Object.entries({ EDITOR: 'vim', PAGER: 'less', GIT_ASKPASS: 'x', GIT_DIR: '/nowhere', GIT_SSH_COMMAND: 'false' })) vi.stubEnv(name, value);
    await using git = new GitSources();
    const resolved = await git.resolve(fromGit({ repo: repo.folder, ref: 'trunk' }), signal).finally(() => vi.unstubAllEnvs());
    expect(resolved).toEqual({ commit, branch: 'trunk' });
  });
});
