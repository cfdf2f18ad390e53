import type { RateMemory } from './rate-memory.js';

/** The waits of one Attempt for the limits of its services. */
export interface RateWait {
  /** Waits while a service has said that it is asked too much. @returns why the request may not go after all. */
  before(key: string, mayGo: () => string | undefined): Promise<string | undefined>;
  /** Milliseconds for which requests were held. */
  readonly heldMs: number;
  end(): void;
}

/** An Attempt may end meanwhile. */
const LOOK_MS = 1_000;

export function createRateWait(rates: RateMemory): RateWait {
  let heldMs = 0;
  let isOver = false;
  return {
    async before(key, mayGo) {
      for (let ms = rates.waitMs(key); ms > 0 && !isOver; ms = rates.waitMs(key)) {
        const begun = performance.now();
        await new Promise((resolve) => { setTimeout(resolve, Math.min(ms, LOOK_MS)).unref(); });
        heldMs += performance.now() - begun;
        const refusal = mayGo();
        if (refusal !== undefined) return refusal;
      }
      rates.spent(key);
      return undefined;
    },
    get heldMs() { return heldMs; },
    end: () => { isOver = true; },
  };
}
