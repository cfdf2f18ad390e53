import { AsyncLocalStorage } from 'node:async_hooks';
import { ClaimAuthoringError } from '../assert/errors.js';
import { checkedText } from '../assert/ledger.js';

const DEEPEST = 16;

/** Titles that are open where the author's code stands, also when several groups run side by side. */
export interface Groups {
  /** Outermost first. */
  current(): readonly string[];
  open(title: string, body: () => Promise<void> | void): Promise<void>;
}

/** Groups of one Attempt. */
export function createGroups(): Groups {
  const titles = new AsyncLocalStorage<readonly string[]>();
  const current = (): readonly string[] => titles.getStore() ?? [];
  return {
    current,
    async open(title, body) {
      const above = current();
      checkedText('group(title, body)', title);
      if (typeof body !== 'function') throw new ClaimAuthoringError('group(title, body) needs a function.');
      if (above.length >= DEEPEST) throw new ClaimAuthoringError(`Groups nest ${DEEPEST} deep; "${title}" is one more.`);
      await titles.run([...above, title], body);
    },
  };
}
