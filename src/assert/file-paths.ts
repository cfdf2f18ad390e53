import picomatch from 'picomatch';
import { escapePathText, unescapePath } from '../evidence/path-text.js';
import { show } from '../expect/match.js';
import { literalGroups } from '../expect/paths.js';
import { ClaimAuthoringError } from './errors.js';

/** Which paths an author means. */
export interface PathSelector {
  /** As the author wrote it. */
  readonly text: string;
  /** True for a pattern that more than one path may fit. */
  readonly isGlob: boolean;
  /** Whether a path, in its text form, is meant. */
  readonly fits: (path: string) => boolean;
  /** Whether a path inside this folder, given in its text form, may be meant. */
  readonly mayBeIn: (folder: string) => boolean;
}

/**
 * A path or a glob, relative to the working directory. A glob has `*`, `?`, `{` or a `(` behind `!@+`; brackets and other
 * parentheses stand for themselves, since folders are called `[slug]` and `(shop)`. Dots are matched.
 *
 * @throws ClaimAuthoringError for what is not inside the working directory.
 */
export function pathSelector(path: string): PathSelector {
  const parts = typeof path === 'string' ? path.split('/') : [];
  const isCanonical = parts.length > 0 && parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isCanonical || path.startsWith('!')) throw new ClaimAuthoringError(`${show(path)} is not a path inside the working directory. Write it like "src/sum.mjs" or "src/**".`);
  const literal = escapePathText(path);
  if (!/[*?{]|[!@+]\(/.test(path)) {
    return { text: path, isGlob: false, fits: (candidate) => candidate === literal, mayBeIn: (folder) => literal === folder || literal.startsWith(`${folder}/`) };
  }
  const matches = picomatch(literalGroups(path), { dot: true, nobracket: true, flags: 's' });
  const base = picomatch.scan(path).base;
  const root = base === '' ? [] : base.split('/').map(escapePathText);
  return {
    text: path,
    isGlob: true,
    fits: (candidate) => matches(plainOf(candidate)),
    mayBeIn: (folder) => folder.split('/').every((part, index) => root[index] === undefined || root[index] === part),
  };
}

/** A path as its own text where it is UTF-8, else its text form. */
export function plainOf(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(unescapePath(path));
  } catch {
    return path;
  }
}
