import { once } from 'node:events';

/** Waits for as long as somebody reads. @throws the reason of the signal. */
export async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}
