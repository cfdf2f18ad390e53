/**
 * Gives work a signal that Ctrl-C and SIGTERM abort. Cleanup always runs to its end; a second Ctrl-C only says so.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    process.stderr.write(controller.signal.aborted
      ? 'niceeval: still ending what is under way and removing its sandboxes; nothing may be left behind\n'
      : `niceeval: ${name}: ending what is under way and removing its sandboxes\n`);
    controller.abort(new Error(`interrupted by ${name}`));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
