/** Settles when the work settled, or after the limit; never rejects. */
export async function withinPatience(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => { timer = setTimeout(resolve, limitMs); });
  await Promise.race([work.then(() => undefined, () => undefined), limit]);
  clearTimeout(timer);
}

/** Settles when the signal is aborted. */
export function abortionOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => { signal.addEventListener('abort', () => resolve(), { once: true }); });
}
