import picomatch from 'picomatch';
import { checkIgnore } from './check-options.js';

/** Globs of what is left out of a tree. */
export interface IgnoreRules {
  readonly isIgnored: (path: string) => boolean;
  /** Those that fitted nothing so far: a slip of the pen, most of the time. */
  unmatched(): readonly string[];
}

/** @param globs Relative to the root of the tree; dots are matched. @throws TypeError for anything but a list of texts that are not empty. */
export function createIgnoreRules(globs: readonly string[]): IgnoreRules {
  checkIgnore('An upload', globs);
  const rules = globs.map((glob) => ({ glob, fits: picomatch(glob, { dot: true }) }));
  const unmatched = new Set(rules);
  return {
    isIgnored: (path) => {
      let isIgnored = false;
      for (const rule of rules) {
        if (!rule.fits(path)) continue;
        unmatched.delete(rule);
        isIgnored = true;
      }
      return isIgnored;
    },
    unmatched: () => [...unmatched].map(({ glob }) => glob),
  };
}
