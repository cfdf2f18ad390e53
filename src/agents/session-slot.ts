/** A place for state of one kind in an agent's session. Two slots never share a value, whatever they are called. */
export interface SessionSlot<T> {
  /** For messages. */
  readonly name: string;
  /** Only in the type: what the slot holds. */
  readonly holds?: T;
}

/**
 * Creates a slot for state that an adapter keeps from send to send of one session.
 *
 * @param name For messages. Not empty.
 * @throws TypeError for an empty name.
 */
export function createSessionSlot<T>(name: string): SessionSlot<T> {
  if (typeof name !== 'string' || name.trim() === '') throw new TypeError('createSessionSlot() needs a name that is not empty.');
  return Object.freeze({ name });
}
