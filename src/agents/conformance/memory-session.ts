import type { AgentSession } from '../agent.js';
import type { SessionSlot } from '../session-slot.js';

/** A line of conversation that remembers which ids the agent captured. */
export interface MemorySession extends AgentSession {
  /** Every id that was captured, in order. The first is `id`. */
  readonly captured: readonly string[];
}

/** Creates the session of that position among those of an Attempt, from 1. */
export function createMemorySession(ordinal: number): MemorySession {
  const slots = new Map<SessionSlot<unknown>, unknown>();
  const captured: string[] = [];
  return {
    ordinal,
    captured,
    get id() { return captured[0]; },
    capture(id) { captured.push(id); },
    get: <T>(slot: SessionSlot<T>) => slots.get(slot) as T | undefined,
    set(slot, value) { slots.set(slot, value); },
    take: <T>(slot: SessionSlot<T>) => {
      const value = slots.get(slot) as T | undefined;
      slots.delete(slot);
      return value;
    },
  };
}
