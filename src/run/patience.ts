/**
 * Settles when the work settled, or after the limit; never rejects.
 *
 * @param hasten Aborted when somebody has no patience left: what can be left behind is. Absent: nobody says so.
 */
export async function withinPatience(work: Promise<unknown>, limitMs: number, hasten?: AbortSignal): Promise<void> {
  let end: () => void = () => undefined;
  const limit = new Promise<void>((resolve) => { end = resolve; });
  const timer = setTimeout(end, limitMs);
  if (hasten?.aborted === true) end();
  hasten?.addEventListener('abort', end, { once: true });
  await Promise.race([work.then(() => undefined, () => undefined), limit]);
  clearTimeout(timer);
  hasten?.removeEventListener('abort', end);
}

/**
 * Settles when the signal is aborted.
 *
 * @param work When it has settled, nobody waits any more: a signal that outlives many pieces of work keeps a listener of none. Default: for ever.
 */
export function abortionOf(signal: AbortSignal, work?: Promise<unknown>): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const onAbort = (): void => resolve();
    const leave = (): void => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    work?.then(leave, leave);
  });
}
