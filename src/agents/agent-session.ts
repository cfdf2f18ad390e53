import type { AgentSession } from './agent.js';
import type { SessionSlot } from './session-slot.js';

/** The state of one conversation, the same object for every send of it. */
export function createAgentSession(ordinal: number): AgentSession {
  const slots = new Map<SessionSlot<unknown>, unknown>();
  let id: string | undefined;
  return {
    ordinal,
    get id() { return id; },
    capture(captured) { id ??= captured; },
    get: <T>(slot: SessionSlot<T>) => slots.get(slot) as T | undefined,
    set(slot, value) { slots.set(slot, value); },
    take: <T>(slot: SessionSlot<T>) => {
      const value = slots.get(slot) as T | undefined;
      slots.delete(slot);
      return value;
    },
  };
}
