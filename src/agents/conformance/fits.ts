import { streamEventSchema } from '../../evidence/events.js';
import { turnSchema } from '../../evidence/turn.js';
import { messageOf } from '../../lifetime/error.js';
import { differenceOf } from '../../sandbox/conformance/difference.js';

/** Why a value is no turn, in words. `undefined`: it is one. */
export function turnProblem(turn: unknown): string | undefined {
  try {
    JSON.stringify(turn); // A record is written as JSON; what nests without end, or in a circle, cannot be.
    const read = turnSchema.safeParse(turn);
    if (read.success) return undefined;
    const issue = read.error.issues[0];
    return `\`${issue?.path.join('.') || 'turn'}\`: ${issue?.message ?? 'it does not fit'}`;
  } catch (error) {
    return `it cannot be read or written as JSON: ${messageOf(error)}`;
  }
}

/** The first field of an event that the standard event stream does not know, and that a record would lose. */
export function lostFieldOf(events: readonly unknown[]): string | undefined {
  for (const [index, event] of events.entries()) {
    const read = streamEventSchema.safeParse(event);
    if (!read.success) continue;
    const lost = differenceOf(read.data, event, `events.${index}`);
    if (lost !== undefined) return lost;
  }
  return undefined;
}
