import { posix } from 'node:path';
import type { WindowFlag } from '../evidence/file-changes.js';
import type { GitFact, GitPlace } from '../evidence/git-facts.js';
import type { NewCommits } from './git-commits.js';
import { hasMoved, headDiffers, refMovesOf, tipsOf, type GitState } from './git-refs.js';

/** What stands in one place at one end of a window. */
export type GitEnd =
  | { readonly form: 'none' }
  | { readonly form: 'repository'; readonly state: GitState; readonly hidesObjects: boolean }
  /** `leadsTo`: the folder that a gitfile names, where it is in the working directory and has a HEAD; relative, escaped. */
  | { readonly form: 'gitfile' | 'link'; readonly target: string; readonly leadsTo?: string };

/** A fact and what to know about it. */
export interface JudgedGitFact { readonly fact: GitFact; readonly flags: readonly WindowFlag[] }

/**
 * Tells what happened to one repository. `undefined`: nothing that HEAD, the refs or a gitfile show.
 *
 * @param commits What the tips lead to that was not there before. `undefined`: not looked for.
 */
export function judgeGit(path: string, before: GitEnd, after: GitEnd, commits: NewCommits | undefined): JudgedGitFact | undefined {
  const both = before.form === 'repository' && after.form === 'repository' ? { old: before.state, now: after.state } : undefined;
  const moves = both === undefined ? [] : refMovesOf(both.old, both.now);
  const isSame = both === undefined ? placeText(before) === placeText(after) : moves.length === 0 && !headDiffers(both.old.head, both.now.head);
  // Refs were touched; where some of them were left out, that nothing moved cannot be told.
  if (isSame && leftOut(before) + leftOut(after) === 0) return undefined;
  const flags: WindowFlag[] = [];
  if (path !== '' && (isRepository(before) || isRepository(after))) flags.push('nested-repo');
  if (before.form === 'repository' && after.form === 'none') flags.push('repo-removed');
  if (isReplaced(before, after, commits)) flags.push('repo-replaced');
  if (path === '' && both !== undefined && hasMoved(both.old, both.now, moves)) flags.push('refs-moved');
  return {
    fact: {
      path,
      before: placeOf(before),
      after: placeOf(after),
      refs: moves,
      commits: commits?.ids ?? [],
      refsLeftOut: Math.max(leftOut(before), leftOut(after)),
    },
    flags,
  };
}

/**
 * Whether the history is another one. It is only said where it is sure: every commit behind HEAD and the refs was read,
 * down to those without parents, none of them is an object that was there before, and no object of before was in a pack.
 */
function isReplaced(before: GitEnd, after: GitEnd, commits: NewCommits | undefined): boolean {
  if (before.form !== 'repository' || after.form !== 'repository' || before.hidesObjects || commits === undefined) return false;
  if (leftOut(before) + leftOut(after) > 0 || [...after.state.refs.values()].includes('?')) return false;
  return tipsOf(before.state).size > 0 && commits.isUnrelated && commits.ids.length > 0;
}

/** A gitfile that leads nowhere we can see is just a file. */
function isRepository(end: GitEnd): boolean {
  return end.form === 'repository' || (end.form === 'gitfile' && end.leadsTo !== undefined);
}

function placeOf(end: GitEnd): GitPlace {
  switch (end.form) {
    case 'none': return { form: 'none' };
    case 'repository': return { form: 'repository', head: end.state.head };
    case 'gitfile':
    case 'link': return { form: end.form, target: end.target };
  }
}

function placeText(end: GitEnd): string {
  return JSON.stringify(placeOf(end));
}

function leftOut(end: GitEnd): number {
  return end.form === 'repository' ? end.state.refsLeftOut : 0;
}

/** The folder that the text of a gitfile names, relative to the root, escaped. `undefined`: it is outside. */
export function gitfileFolder(path: string, target: string, root: string): string | undefined {
  const folder = posix.relative(root, posix.resolve(root, path, target));
  return folder === '' || folder === '..' || folder.startsWith('../') ? undefined : folder;
}
