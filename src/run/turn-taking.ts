import { Semaphore } from '../lifetime/semaphore.js';

/**
 * Lets one thing at a time touch the sandbox: a send of the agent, or something the eval does. What happens during a
 * send would otherwise be taken for the agent's.
 */
export function createTurnTaking(signal: AbortSignal): <T>(work: () => Promise<T>) => Promise<T> {
  const one = new Semaphore(1);
  return async (work) => {
    const leave = await one.acquire(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
