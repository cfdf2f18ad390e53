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

/** Settles when the signal is aborted. */
export function abortionOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => { signal.addEventListener('abort', () => resolve(), { once: true }); });
}
