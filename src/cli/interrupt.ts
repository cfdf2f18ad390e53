/**
 * Gives work a signal that Ctrl-C and SIGTERM abort, and one that a second of them aborts: then nothing is waited for any more
 * that can be left behind. Cleanup always runs to its end.
 */
export async function interruptible<T>(work: (signal: AbortSignal, hasten: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const impatience = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) impatience.abort(new Error(`interrupted again by ${name}`));
    process.stderr.write(controller.signal.aborted
      ? 'niceeval: waiting for nothing more; its sandboxes are being removed, nothing may be left behind\n'
      : `niceeval: ${name}: ending what is under way and removing its sandboxes\n`);
    controller.abort(new Error(`interrupted by ${name}`));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return await work(controller.signal, impatience.signal);
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
