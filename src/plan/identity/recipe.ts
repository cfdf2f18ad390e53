import { realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { isLocalRepo } from '../../sandbox/prepare/git-names.js';
import type { GitSources } from '../../sandbox/prepare/git-sources.js';
import { materialOf } from '../../sandbox/prepare/material.js';
import type { GitStep, PrepareStep } from '../../sandbox/prepare/step.js';
import { digestOf, treeOfFile, treeOfFolder } from '../../sandbox/prepare/tree.js';

/** Reads what steps bring, and what files hold, each once. */
export interface Recipes {
  /** Changes whenever the step or a file that it brings does. Values of variables are not in it. Rejects where that cannot be read. */
  identityOf(step: PrepareStep): Promise<readonly string[]>;
  /** Of a file or a folder of the host, by content. Rejects where it cannot be read. */
  digestOf(hostPath: string): Promise<string>;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** @param git Looks up refs of repositories of this machine; the caller closes it. */
export function createRecipes(git: GitSources): Recipes {
  const known = new Map<string, Promise<unknown>>();
  const once = <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const found = known.get(key) ?? work();
    known.set(key, found);
    return found as Promise<T>;
  };
  return {
    identityOf: (step) => once(JSON.stringify(step), () => stepIdentity(step, git)),
    digestOf: (hostPath) => once(hostPath, () => contentDigest(hostPath)),
  };
}

/** True for a commit that may be another one tomorrow, and is not looked up before the run. */
export function isMovingRef(step: PrepareStep): step is GitStep {
  return step.kind === 'git' && !isLocalRepo(step.repo) && !COMMIT.test(step.ref);
}

async function stepIdentity(step: PrepareStep, git: GitSources): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(60_000);
  switch (step.kind) {
    case 'command': return [step.kind, JSON.stringify(step.argv), step.user ?? '', ...Object.keys(step.env ?? {}).sort()];
    case 'shell': return [step.kind, step.script, step.user ?? '', ...Object.keys(step.env ?? {}).sort()];
    case 'git': {
      const { repo, ref, path = '', history } = step;
      // Where it lies on this machine does not count, only which commit it gives.
      if (isLocalRepo(repo)) return ['git', (await git.resolve(step, signal)).commit, path, history];
      return ['git', repo, ref, path, history];
    }
    case 'folder': case 'tar': case 'upload': return (await materialOf(step, { git, signal })).identity;
  }
}

async function contentDigest(hostPath: string): Promise<string> {
  const isFolder = (await stat(hostPath)).isDirectory();
  return digestOf(isFolder ? treeOfFolder(await realpath(hostPath)) : treeOfFile(hostPath, basename(hostPath)));
}
