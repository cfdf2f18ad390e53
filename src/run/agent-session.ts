import type { AgentSession } from '../agents/agent.js';

/** The state of one conversation, the same object for every send of it. */
export function createAgentSession(ordinal: number): AgentSession {
  const slots = new Map<string, unknown>();
  let id: string | undefined;
  return {
    ordinal,
    get id() { return id; },
    capture(captured) { id ??= captured; },
    get: <T>(slot: string) => slots.get(slot) as T | undefined,
    set(slot, value) { slots.set(slot, value); },
  };
}
