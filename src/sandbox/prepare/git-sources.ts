import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../lifetime/error.js';
import { ImageError } from '../errors.js';
import { isolatedGit, networkGit, type Git } from './git-command.js';
import type { GitStep } from './step.js';

/** A ref that was looked up. */
export interface ResolvedRef {
  /** 40 or 64 hexadecimal digits. */
  readonly commit: string;
  /** The branch that the ref names; `main` for everything else. */
  readonly branch: string;
}

/** A commit in a folder of its own. Closing it removes the folder. */
export interface Checkout extends AsyncDisposable { readonly folder: string; }

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Commits of repositories, fetched on the host. What was fetched of one repository is kept until this is closed, so
 * that many commits of it are fetched once.
 */
export class GitSources implements AsyncDisposable {
  #root: Promise<string> | undefined;
  /** By repository: the bare cache, free again when the promise settles. */
  readonly #caches = new Map<string, Promise<unknown>>();
  readonly #refs = new Map<string, Promise<ResolvedRef>>();

  /** Looks a ref up. A full commit id is taken as it is. @throws ImageError when the repository does not have it. */
  resolve(step: GitStep, signal: AbortSignal): Promise<ResolvedRef> {
    const key = JSON.stringify([step.repo, step.ref]);
    const known = this.#refs.get(key) ?? this.#resolve(step, signal);
    this.#refs.set(key, known);
    return known;
  }

  /** Makes a repository, or with `history: 'none'` a bare tree of files, that holds the commit and nothing after it. */
  async checkout(step: GitStep, { commit, branch }: ResolvedRef, signal: AbortSignal): Promise<Checkout> {
    const cache = await this.#exclusively(step.repo, async (folder) => {
      await this.#fetchCommit(folder, step, commit, signal);
      return folder;
    });
    const folder = await mkdtemp(join(await this.#folder(), 'tree-'));
    const checkout = { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
    try {
      await this.#told(step, async () => {
        const git = isolatedGit(folder, signal);
        await git(['init', '--quiet', '--template=', `--object-format=${formatOf(commit)}`, '-b', branch, '.']);
        await git(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--update-head-ok', '--', `file://${cache}`, `${refOf(commit)}:refs/heads/${branch}`]);
        await git(['checkout', '--quiet', '--force', branch, '--']);
      });
      await rm(join(folder, step.history === 'none' ? '.git' : '.git/logs'), { recursive: true, force: true });
      return checkout;
    } catch (error) {
      await checkout[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#caches.values());
    if (this.#root !== undefined) await rm(await this.#root, { recursive: true, force: true });
  }

  async #resolve(step: GitStep, signal: AbortSignal): Promise<ResolvedRef> {
    const { repo, ref } = step;
    if (COMMIT.test(ref)) return { commit: ref, branch: 'main' };
    return this.#told(step, async () => {
      const git = networkGit(await this.#folder(), signal);
      const listed = await git(['ls-remote', '--quiet', '--', repo, 'HEAD', `refs/heads/${ref}`, `refs/tags/${ref}`, `refs/tags/${ref}^{}`]);
      const refs = new Map(listed.split('\n').map((line) => line.split('\t').reverse() as [string, string]));
      const branch = refs.get(`refs/heads/${ref}`);
      if (branch !== undefined) return { commit: branch, branch: ref };
      const other = refs.get(`refs/tags/${ref}^{}`) ?? refs.get(`refs/tags/${ref}`) ?? (ref === 'HEAD' ? refs.get('HEAD') : undefined);
      if (other !== undefined) return { commit: other, branch: 'main' };
      return this.#exclusively(repo, async (folder) => {
        await this.#openCache(folder, refs.get('HEAD') ?? '', signal);
        await this.#fetchAll(folder, repo, signal);
        const commit = (await isolatedGit(folder, signal)(['rev-parse', '--quiet', '--verify', '--end-of-options', `${ref}^{commit}`]).catch(() => '')).trim();
        if (!COMMIT.test(commit)) throw new Error('it has no branch, tag or commit of this name');
        return { commit, branch: 'main' };
      });
    });
  }

  /** One at a time for each repository. @param work Gets the folder of its cache, which may not be there yet. */
  async #exclusively<T>(repo: string, work: (folder: string) => Promise<T>): Promise<T> {
    const folder = join(await this.#folder(), `cache-${createHash('sha256').update(repo).digest('hex').slice(0, 16)}`);
    const mine = (this.#caches.get(repo) ?? Promise.resolve()).catch(() => undefined).then(() => work(folder));
    this.#caches.set(repo, mine);
    return mine;
  }

  async #openCache(folder: string, commit: string, signal: AbortSignal): Promise<Git> {
    await mkdir(folder, { recursive: true });
    await isolatedGit(folder, signal)(['init', '--quiet', '--bare', '--template=', `--object-format=${formatOf(commit)}`, '.']);
    return networkGit(folder, signal);
  }

  async #fetchAll(folder: string, repo: string, signal: AbortSignal): Promise<void> {
    await networkGit(folder, signal)(['fetch', '--quiet', '--no-write-fetch-head', '--no-recurse-submodules', '--', repo, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']);
  }

  async #fetchCommit(folder: string, step: GitStep, commit: string, signal: AbortSignal): Promise<void> {
    await this.#told(step, async () => {
      const git = await this.#openCache(folder, commit, signal);
      const has = (): Promise<boolean> => isolatedGit(folder, signal)(['cat-file', '-e', `${commit}^{commit}`]).then(() => true, () => false);
      if (!await has()) {
        // Old servers give only what a ref points to; then all refs are fetched.
        await git(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--', step.repo, commit]).catch(async () => {
          signal.throwIfAborted();
          await this.#fetchAll(folder, step.repo, signal);
        });
      }
      if (!await has()) throw new Error(`it has no commit ${commit}`);
      await isolatedGit(folder, signal)(['update-ref', refOf(commit), commit]);
    });
  }

  async #told<T>(step: GitStep, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ImageError) throw error;
      throw new ImageError(`"${step.ref}" of the repository ${step.repo} could not be fetched: ${messageOf(error).trim()}`, { cause: error });
    }
  }

  #folder(): Promise<string> {
    this.#root ??= mkdtemp(join(tmpdir(), 'niceeval-git-'));
    return this.#root;
  }
}

function refOf(commit: string): string {
  return `refs/niceeval/${commit}`;
}

function formatOf(commit: string): 'sha1' | 'sha256' {
  return commit.length === 64 ? 'sha256' : 'sha1';
}
