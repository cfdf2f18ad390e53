import { mkdtemp, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { execa } from 'execa';
import { unescapePath } from '../../evidence/path-text.js';
import type { IntegrityFact } from '../../evidence/integrity.js';
import type { OwnedSandbox } from '../../sandbox/sandbox.js';
import { gitSitesOf } from '../git-layout.js';
import type { Manifest } from '../manifest.js';
import { unpackPlain } from './unpack.js';

const MOST_REPOSITORIES = 8;
const MOST_BYTES = 512 * 1024 * 1024;
const GIT_LIMIT_MS = 60_000;
const NAMED_COMMITS = 3;

/** What was found in repositories, and which could not be looked at. */
export interface HistoryFindings {
  readonly facts: readonly IntegrityFact[];
  readonly unchecked: readonly string[];
}

/**
 * Looks for commits that a repository holds although its HEAD does not lead to them: behind other branches, tags, remotes, reflogs,
 * ORIG_HEAD and the like, and objects that nothing leads to. The solution of a task often is such a commit. The host's git looks at a
 * copy of objects and refs alone; settings and hooks of the repository are left out.
 */
export async function futureHistory(sandbox: OwnedSandbox, root: string, manifest: Manifest): Promise<HistoryFindings> {
  const all = [...gitSitesOf(manifest).values()];
  const sites = all.filter(({ form }) => form === 'repository');
  const found: HistoryFindings[] = [];
  for (const { folder } of sites.slice(0, MOST_REPOSITORIES)) {
    const sizeBytes = [...manifest].reduce((sum, [path, entry]) => (path.startsWith(`${folder}/`) ? sum + entry.sizeBytes : sum), 0);
    found.push(sizeBytes > MOST_BYTES
      ? { facts: [], unchecked: [`the history of ${folder}: it is larger than 512 MiB`] }
      : await lookAt(sandbox, root, folder));
  }
  const left = sites.length - MOST_REPOSITORIES;
  return {
    facts: found.flatMap(({ facts }) => facts),
    unchecked: [...all.filter(({ form }) => form !== 'repository').map(({ folder }) => `the history of ${folder}: it is a link, or a file that names another folder`), ...found.flatMap(({ unchecked }) => unchecked), ...(left > 0 ? [`the history of ${left} more repositories`] : [])],
  };
}

async function lookAt(sandbox: OwnedSandbox, root: string, folder: string): Promise<HistoryFindings> {
  const copy = await mkdtemp(join(tmpdir(), 'niceeval-history-'));
  try {
    const unpacked = join(copy, 'unpacked');
    await unpackPlain(await sandbox.archive(posix.join(root, Buffer.from(unescapePath(folder)).toString('utf8'))), unpacked);
    const bare = join(copy, 'bare');
    await bareOf(unpacked, bare);
    const commits = await commitsBeyondHead(bare);
    if (commits.length === 0) return { facts: [], unchecked: [] };
    const named = commits.slice(0, NAMED_COMMITS).map((id) => id.slice(0, 12)).join(', ');
    const more = commits.length > NAMED_COMMITS ? ' and more' : '';
    return { facts: [{ kind: 'future-history', path: folder, detail: `it holds ${commits.length} ${commits.length === 1 ? 'commit' : 'commits'} that HEAD does not lead to: ${named}${more}` }], unchecked: [] };
  } catch (error) {
    return { facts: [], unchecked: [`the history of ${folder}: ${reasonOf(error)}`] };
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** A repository with the objects and refs of another, and nothing that git would obey. */
async function bareOf(unpacked: string, bare: string): Promise<void> {
  await git(['init', '--quiet', '--bare', '--template=', bare]);
  const heads = (await readdir(unpacked)).filter((name) => name === 'HEAD' || name.endsWith('_HEAD'));
  for (const name of ['objects', 'refs', 'logs', 'packed-refs', 'shallow', ...heads]) {
    await rm(join(bare, name), { recursive: true, force: true });
    await rename(join(unpacked, name), join(bare, name)).catch(() => undefined); // Not every repository has all of them.
  }
  await mkdir(join(bare, 'refs'), { recursive: true });
  await rm(join(bare, 'objects/info/alternates'), { force: true });
}

async function commitsBeyondHead(bare: string): Promise<readonly string[]> {
  const inside = (...args: readonly string[]): Promise<readonly string[]> => git([`--git-dir=${bare}`, ...args]);
  const others = (await readdir(bare)).filter((name) => name.endsWith('_HEAD'));
  const named = (await Promise.all(others.map((name) => readFile(join(bare, name), 'latin1')))).flatMap((text) => text.match(/^[0-9a-f]{40}/gm) ?? []);
  const unreachable = (await inside('fsck', '--unreachable', '--no-reflogs', '--connectivity-only', '--no-progress'))
    .flatMap((line) => /^unreachable commit ([0-9a-f]{40,64})$/.exec(line)?.[1] ?? []);
  const hasHead = await inside('rev-parse', '--verify', '--quiet', 'HEAD').then(() => true, () => false);
  const reachable = await inside('rev-list', '--ignore-missing', '--all', '--reflog', ...named, ...(hasHead ? ['--not', 'HEAD'] : []));
  return [...new Set([...reachable, ...unreachable])];
}

async function git(args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await execa('git', args, {
    stdin: 'ignore', timeout: GIT_LIMIT_MS, extendEnv: false, maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' },
  });
  return stdout.split('\n').filter((line) => line !== '');
}

function reasonOf(error: unknown): string {
  const { code, shortMessage, message } = error as { readonly code?: string; readonly shortMessage?: string; readonly message?: string };
  return code === 'ENOENT' ? 'this machine has no git' : (shortMessage ?? message ?? 'it broke').slice(0, 200);
}
