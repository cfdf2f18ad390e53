import type { Exchange } from '../gateway/exchange.js';

/** What is remembered of the limits of model services, for all Attempts of a run. */
export interface RateMemory {
  /** Takes what an answer says of the limits of a key. @param model What the scheduler calls the model that was asked by it. */
  told(key: string, model: string, exchange: Pick<Exchange, 'limits' | 'retryAfterMs' | 'status'>): void;
  /** Says that a request goes out, so that those at the same time do not all count on the same rest. */
  spent(key: string): void;
  /** Milliseconds until the next request by a key should go out; 0: at once. At most five minutes. */
  waitMs(key: string): number;
  /** Milliseconds until one more Attempt should start on a model; 0: at once. */
  scarceMs(model: string): number;
}

interface Limit { readonly limit: number; remaining: number; readonly resetsAt: number }
interface KeyState { readonly limits: Map<string, Limit>; heldUntil: number }

/** With less than this share of a limit left, requests wait for its reset. */
const EMPTY_SHARE = 0.02;
/** With less than this share left, nothing more is begun until its reset. */
const SCARCE_SHARE = 0.1;
const LONGEST_WAIT_MS = 5 * 60_000;
/** Failures by which a service says that it is asked too much. */
const TOO_MUCH: ReadonlySet<number> = new Set([429, 503, 529]);

/** @param now Milliseconds since 1970. */
export function createRateMemory(now: () => number): RateMemory {
  const keys = new Map<string, KeyState>();
  const keysOf = new Map<string, Set<string>>();
  const stateOf = (key: string): KeyState => {
    const known = keys.get(key) ?? { limits: new Map<string, Limit>(), heldUntil: 0 };
    keys.set(key, known);
    return known;
  };
  const untilBelow = (key: string, share: number): number => {
    const { limits, heldUntil } = stateOf(key);
    const resets = [...limits.values()].filter(({ limit, remaining, resetsAt }) => resetsAt > now() && remaining <= limit * share).map(({ resetsAt }) => resetsAt);
    return Math.min(LONGEST_WAIT_MS, Math.max(0, heldUntil - now(), ...resets.map((at) => at - now())));
  };
  return {
    told(key, model, { limits = [], retryAfterMs, status }) {
      const state = stateOf(key);
      keysOf.set(model, (keysOf.get(model) ?? new Set()).add(key));
      for (const { unit, limit, remaining, resetsAt } of limits) {
        const at = resetsAt === undefined ? Number.NaN : Date.parse(resetsAt);
        if (limit === undefined || remaining === undefined || limit <= 0 || Number.isNaN(at)) continue;
        const known = state.limits.get(unit);
        // Answers come in another order than they were made: within one period the least that was told holds.
        const least = known !== undefined && known.resetsAt > now() && known.limit === limit && remaining > known.remaining && at <= known.resetsAt;
        if (!least) state.limits.set(unit, { limit, remaining, resetsAt: at });
      }
      if (retryAfterMs !== undefined && TOO_MUCH.has(status)) state.heldUntil = Math.max(state.heldUntil, now() + Math.min(retryAfterMs, LONGEST_WAIT_MS));
    },
    spent(key) {
      const requests = stateOf(key).limits.get('requests');
      if (requests !== undefined) requests.remaining -= 1;
    },
    waitMs: (key) => untilBelow(key, EMPTY_SHARE),
    scarceMs: (model) => Math.max(0, ...[...keysOf.get(model) ?? []].map((key) => untilBelow(key, SCARCE_SHARE))),
  };
}
