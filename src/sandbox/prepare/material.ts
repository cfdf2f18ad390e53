import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, posix, sep } from 'node:path';
import { ImageError } from '../errors.js';
import type { ImageNotice, ImageSource } from '../sandbox.js';
import type { GitSources, ResolvedRef } from './git-sources.js';
import type { CommandStep, GitStep, PrepareStep, ShellStep } from './step.js';
import { treeOfTar } from './tar-tree.js';
import { digestOf, treeOfFile, treeOfFolder, type Tree } from './tree.js';

/** A step with all that it depends on. */
export type Material =
  | { readonly kind: 'run'; readonly step: CommandStep | ShellStep; readonly identity: readonly string[] }
  | {
    readonly kind: 'files';
    readonly step: Exclude<PrepareStep, CommandStep | ShellStep>;
    readonly identity: readonly string[];
    /** Relative to the working directory, or absolute. */
    readonly target: string;
    /** Of its files. Absent where a commit names them. */
    readonly digest?: string;
    readonly source?: ImageSource;
    open(): Promise<OpenTree>;
  };

/** Files that are there to be read. */
export interface OpenTree extends AsyncDisposable {
  readonly tree: Tree;
  readonly notices: readonly ImageNotice[];
}

/**
 * Looks at what a step brings. `identity` changes whenever the step, or any file that it brings, does.
 *
 * @param step With absolute host paths.
 * @throws ImageError, SandboxInputError or UnsafeArchiveError for what cannot be read or is refused.
 */
export async function materialOf(step: PrepareStep, options: { readonly git: GitSources; readonly signal: AbortSignal }): Promise<Material> {
  switch (step.kind) {
    case 'command': case 'shell': return { kind: 'run', step, identity: runIdentity(step) };
    case 'git': return gitMaterial(step, options);
    case 'tar': return treeMaterial(step, '.', () => treeOfTar(step.hostPath));
    case 'folder': return treeMaterial(step, '.', () => treeOfFolder(step.hostPath, step.ignore));
    case 'upload': {
      const facts = await stat(step.hostPath).catch((error: unknown) => {
        throw new ImageError(`"${step.hostPath}" cannot be uploaded: it cannot be read.`, { cause: error });
      });
      if (facts.isDirectory()) {
        const folder = await realpath(step.hostPath); // The folder that a link names, not the link.
        return treeMaterial(step, step.target ?? '.', () => treeOfFolder(folder, step.ignore));
      }
      const target = step.target ?? basename(step.hostPath);
      const path = target.endsWith('/') ? posix.join(target, basename(step.hostPath)) : target;
      return treeMaterial(step, posix.dirname(path), () => treeOfFile(step.hostPath, posix.basename(path)));
    }
  }
}

function runIdentity(step: CommandStep | ShellStep): readonly string[] {
  const env = Object.entries(step.env ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return [step.kind, step.kind === 'shell' ? step.script : JSON.stringify(step.argv), step.user ?? '', JSON.stringify(env)];
}

async function treeMaterial(step: Exclude<PrepareStep, CommandStep | ShellStep | GitStep>, target: string, treeOf: () => Tree): Promise<Material> {
  const digest = await digestOf(treeOf());
  const open = (): Promise<OpenTree> => Promise.resolve({ tree: treeOf(), notices: [], [Symbol.asyncDispose]: () => Promise.resolve() });
  return { kind: 'files', step, identity: ['files', step.kind, target, digest], target, digest, open };
}

async function gitMaterial(step: GitStep, { git, signal }: { readonly git: GitSources; readonly signal: AbortSignal }): Promise<Material> {
  const resolved = await git.resolve(step, signal);
  return {
    kind: 'files',
    step,
    identity: ['git', resolved.commit, step.path ?? '', step.history, step.history === 'none' ? '' : resolved.branch],
    target: '.',
    source: { repo: step.repo, ref: step.ref, commit: resolved.commit, ...(step.path === undefined ? {} : { path: step.path }) },
    open: () => openCheckout(step, resolved, { git, signal }),
  };
}

async function openCheckout(step: GitStep, resolved: ResolvedRef, { git, signal }: { readonly git: GitSources; readonly signal: AbortSignal }): Promise<OpenTree> {
  const checkout = await git.checkout(step, resolved, signal);
  try {
    const folder = step.path === undefined ? checkout.folder : await folderIn(checkout.folder, step);
    return { tree: treeOfFolder(folder), notices: await noticesOf(checkout.folder, step), [Symbol.asyncDispose]: () => checkout[Symbol.asyncDispose]() };
  } catch (error) {
    await checkout[Symbol.asyncDispose]();
    throw error;
  }
}

/** A link of the repository must not choose what of this machine is laid. */
async function folderIn(root: string, { repo, path = '', ref }: GitStep): Promise<string> {
  const [top, folder] = await Promise.all([realpath(root), realpath(join(root, path)).catch(() => '')]);
  const isInside = folder.startsWith(`${top}${sep}`) && (await lstat(folder)).isDirectory();
  if (!isInside) throw new ImageError(`"${ref}" of the repository ${repo} has no folder "${path}".`);
  return folder;
}

async function noticesOf(root: string, { repo, ref }: GitStep): Promise<readonly ImageNotice[]> {
  const [modules, attributes] = await Promise.all(['.gitmodules', '.gitattributes'].map((name) => textOf(join(root, name))));
  return [
    ...(modules === undefined ? [] : [{ code: 'submodules-not-fetched', message: `"${ref}" of ${repo} has submodules; they are not fetched, their folders are empty.` }]),
    ...(attributes?.includes('filter=lfs') !== true ? [] : [{ code: 'lfs-not-fetched', message: `"${ref}" of ${repo} keeps files in Git LFS; they are not fetched, the pointers to them stand in their place.` }]),
  ];
}

/** The text of a file. Links are not followed: they are a stranger's. */
async function textOf(path: string): Promise<string | undefined> {
  const isFile = await lstat(path).then((facts) => facts.isFile(), () => false);
  return isFile ? readFile(path, 'utf8') : undefined;
}
