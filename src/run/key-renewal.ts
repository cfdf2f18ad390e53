import type { ForwardInput } from '../define/gateway.js';
import type { Upstreams } from '../gateway/upstream.js';
import type { Services } from './services.js';

/** Keeps the keys of a session fresh. */
export interface KeyRenewal {
  /** A key was refused: it is asked for anew at once, but not for every request of a key that is wrong for good. */
  now(): void;
  /** Settles when nothing of it is under way any more. */
  end(): Promise<void>;
}

const LEAST_BETWEEN_MS = 1_000;

/**
 * Gives a session new keys when those that it has are over, or were refused.
 *
 * @param renew Hands the keys of now to the gateway.
 */
export function keepKeysFresh(input: ForwardInput | undefined, services: Services, renew: () => Promise<Upstreams>): KeyRenewal {
  if (input === undefined || services.renewalMsOf(input) === undefined) return { now: () => undefined, end: () => Promise.resolve() };
  let lastMs = -Infinity;
  let under = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const schedule = (): void => {
    clearTimeout(timer);
    const ms = services.renewalMsOf(input);
    if (!isOver && ms !== undefined) timer = setTimeout(begin, Math.max(ms, LEAST_BETWEEN_MS / 10)).unref();
  };
  const begin = (): void => {
    lastMs = performance.now();
    // Keys that cannot be had are told by whoever is refused for want of them.
    under = under.then(async () => { if (!isOver) await renew(); }).catch(() => undefined).finally(schedule);
  };
  schedule();
  return {
    now: () => {
      if (isOver || performance.now() - lastMs < LEAST_BETWEEN_MS) return;
      services.refused(input);
      begin();
    },
    end: async () => {
      isOver = true;
      clearTimeout(timer);
      await under;
    },
  };
}
