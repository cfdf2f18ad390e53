import type { AgentSession } from '../agent.js';
import { createAgentSession } from '../agent-session.js';

/** A line of conversation that remembers which ids the agent captured. */
export interface MemorySession extends AgentSession {
  /** Every id that was captured, in order. The first is `id`. */
  readonly captured: readonly string[];
}

/** Creates the session of that position among those of an Attempt, from 1. */
export function createMemorySession(ordinal: number): MemorySession {
  const session = createAgentSession(ordinal);
  const captured: string[] = [];
  return {
    ...session,
    captured,
    get id() { return session.id; },
    capture(id) {
      captured.push(id);
      session.capture(id);
    },
  };
}
