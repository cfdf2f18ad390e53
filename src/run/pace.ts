import type { RateMemory } from './rate-memory.js';

/** How many calls to one model may be under way, and whether it is asked at all for now. */
export interface Pace {
  /** Whether one more Attempt may start on a model that so many are at work on. */
  mayStart(model: string, running: number): boolean;
  /** The model service said "too many". @param running Attempts at work on the model then, the one that was told included. */
  limited(model: string, running: number): void;
  /** An Attempt got through. */
  succeeded(model: string): void;
  /** When a model that is not asked for now is asked again, in `now`'s milliseconds. `undefined`: none rests. */
  nextAt(): number | undefined;
}

interface State {
  /** Whole Attempts. `Infinity`: no limit of its own. */
  limit: number;
  restsUntil: number;
  /** Refusals in a row, with no success between. */
  refusals: number;
}

const REST_MS = 5_000;
const LONGEST_REST_MS = 5 * 60_000;

/**
 * Slows all Attempts on a model down when one of them is told "too many": the model rests, longer each time (exponential back-off
 * with full jitter, as in "Exponential Backoff And Jitter", AWS Architecture Blog, 2015; at least half the time, so that it does rest), and
 * half as many Attempts as before may be at work on it; each that gets through allows one more (additive increase, multiplicative
 * decrease, as in RFC 5681).
 */
export function createPace({ now, random }: { readonly now: () => number; readonly random: () => number }): Pace {
  const states = new Map<string, State>();
  const stateOf = (model: string): State => {
    const known = states.get(model) ?? { limit: Infinity, restsUntil: 0, refusals: 0 };
    states.set(model, known);
    return known;
  };
  return {
    mayStart(model, running) {
      const state = states.get(model);
      return state === undefined || (now() >= state.restsUntil && running < state.limit);
    },
    limited(model, running) {
      const state = stateOf(model);
      // Several that are told at once are one refusal: the model rests already.
      if (now() < state.restsUntil) return;
      state.refusals += 1;
      state.limit = Math.max(1, Math.floor(Math.min(state.limit, running) / 2));
      state.restsUntil = now() + Math.min(LONGEST_REST_MS, REST_MS * 2 ** (state.refusals - 1)) * (0.5 + random() / 2);
    },
    succeeded(model) {
      const state = states.get(model);
      if (state === undefined) return;
      state.refusals = 0;
      state.limit += 1;
    },
    nextAt() {
      const rests = [...states.values()].map(({ restsUntil }) => restsUntil).filter((at) => at > now());
      return rests.length === 0 ? undefined : Math.min(...rests);
    },
  };
}

/** A pace that also keeps to what services say of their limits, before they refuse anything. */
export function pacedBy(pace: Pace, { rates, now }: { readonly rates: Pick<RateMemory, 'scarceMs'>; readonly now: () => number }): Pace {
  /** When models that had to wait may be asked again. */
  let scarceUntil = 0;
  return {
    ...pace,
    mayStart(model, running) {
      const ms = rates.scarceMs(model);
      if (ms > 0) scarceUntil = Math.max(scarceUntil, now() + ms);
      return ms === 0 && pace.mayStart(model, running);
    },
    nextAt() {
      const ends = [pace.nextAt(), scarceUntil > now() ? scarceUntil : undefined].filter((at) => at !== undefined);
      return ends.length === 0 ? undefined : Math.min(...ends);
    },
  };
}
