import { checkIgnore, checkKnown, checkName } from './check-options.js';
import { refProblem, repoProblem } from './git-names.js';
import type { FolderStep, GitStep, TarStep } from './step.js';

/** Options of {@link fromGit}. */
export interface GitSourceOptions {
  /** A URL without user, query and fragment, `git@host:path`, or a path relative to the eval's file. */
  readonly repo: string;
  /** A branch, a tag or a commit. */
  readonly ref: string;
  /** A folder in the repository: only its files are laid, without history. Default: the whole repository. */
  readonly path?: string;
  /**
   * `ancestors` (default): a repository that holds the commit and what came before it, and nothing that came after.
   * `none`: the files alone.
   */
  readonly history?: 'ancestors' | 'none';
}

/**
 * The content of a host folder, laid into the working directory.
 *
 * @param path Relative to the file that defines it.
 * @param options.ignore Globs, relative to the folder, of what is left behind.
 * @throws TypeError for a path that is empty or an option that is not known.
 */
export function fromFolder(path: string, options: { readonly ignore?: readonly string[] } = {}): FolderStep {
  checkName('fromFolder()', 'the path of a folder', path);
  checkKnown('fromFolder()', options, ['ignore']);
  const { ignore = [] } = options;
  checkIgnore('fromFolder()', ignore);
  return Object.freeze({ kind: 'folder', hostPath: path, ignore: [...ignore] });
}

/**
 * One commit of a git repository, laid into the working directory. It is fetched on the host, which needs git; the image does not.
 * The agent gets no later commit, no other branch, no tag, no remote and no hook. Submodules and LFS objects are not
 * fetched; a diagnostic says so.
 *
 * @throws TypeError for a repository, a ref or a path that is refused, or an option that is not known.
 */
export function fromGit(options: GitSourceOptions): GitStep {
  checkKnown('fromGit()', options, ['repo', 'ref', 'path', 'history']);
  const { repo, ref, path } = options;
  checkName('fromGit()', '`repo`', repo);
  checkName('fromGit()', '`ref`', ref);
  const problem = repoProblem(repo) ?? refProblem(ref) ?? (path === undefined ? undefined : pathProblem(path));
  if (problem !== undefined) throw new TypeError(`fromGit(): ${problem}`);
  if (path !== undefined && options.history === 'ancestors') throw new TypeError('fromGit(): a `path` has no history of its own. Leave `history` out, or take the whole repository.');
  const history = path === undefined ? options.history ?? 'ancestors' : 'none';
  if (history !== 'ancestors' && history !== 'none') throw new TypeError(`fromGit(): \`history\` is "ancestors" or "none", not ${JSON.stringify(history)}.`);
  return Object.freeze({ kind: 'git', repo, ref, ...(path === undefined ? {} : { path }), history });
}

/**
 * The content of an archive (.tar, .tar.gz), laid into the working directory. An archive with a name or a link that leads out of
 * it, or with a device, is refused.
 *
 * @param path Relative to the file that defines it.
 * @throws TypeError for a path that is empty.
 */
export function fromTar(path: string): TarStep {
  checkName('fromTar()', 'the path of an archive', path);
  return Object.freeze({ kind: 'tar', hostPath: path });
}

function pathProblem(path: unknown): string | undefined {
  if (typeof path === 'string' && /^[^/\0\\-][^\0\\]*$/.test(path) && !path.split('/').includes('..')) return undefined;
  return `the path ${JSON.stringify(path)} must be a folder in the repository, without "..", and must not begin with "/" or "-".`;
}
