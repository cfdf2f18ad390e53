import type { ChangeWindow } from '../evidence/file-changes.js';
import { escapePathText } from '../evidence/path-text.js';
import type { OwnedSandbox } from '../sandbox/sandbox.js';
import { changesBetween } from './compare.js';
import type { Manifest } from './manifest.js';

/** Changes of one root and one window that are kept. */
const MOST_CHANGES = 1_000;

/** The roots that are watched besides the working directory: the agent's home, and those that an eval names. What is in the working directory is no root of its own. */
export function furtherRoots({ home, workdir }: Pick<OwnedSandbox, 'home' | 'workdir'>, watch: readonly string[]): readonly string[] {
  // /etc/passwd may name no home, or none that is a path; the root of an image holds all that the engine and the kernel put there.
  const wanted = [home as string | undefined, ...watch].filter((root): root is string => root?.startsWith('/') === true && root !== '/');
  return [...new Set(wanted)].filter((root) => root !== workdir && !root.startsWith(`${workdir}/`));
}

/** Those that are there. An image may name a home that it does not have. */
export async function presentRoots(sandbox: OwnedSandbox, roots: readonly string[]): Promise<readonly string[]> {
  const present = await Promise.all(roots.map((root) => sandbox.pathExists(root)));
  return roots.filter((_root, index) => present[index]);
}

/** What differs between two states of the further roots. Nothing where one of them is not known. */
export function elsewhereChanges(before: ReadonlyMap<string, Manifest> | undefined, after: ReadonlyMap<string, Manifest> | undefined): Pick<ChangeWindow, 'elsewhere'> {
  const found = [...after ?? []].flatMap(([root, now]) => {
    const old = before?.get(root);
    const changes = old === undefined ? [] : changesBetween(old, now, () => true);
    return changes.length === 0 ? [] : [{ root: escapePathText(root), changes: changes.slice(0, MOST_CHANGES), leftOut: Math.max(0, changes.length - MOST_CHANGES) }];
  });
  return found.length === 0 ? {} : { elsewhere: found };
}
