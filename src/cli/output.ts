/** Writes to standard output and waits until it is taken, so that a slow reader holds little in memory. A reader that went away is no trouble. */
export function say(text: string): Promise<void> {
  return new Promise((resolve) => { process.stdout.write(text, () => resolve()); });
}

/** Tells what went wrong beside the output, and goes on. */
export function remark(text: string): void {
  process.stderr.write(`niceeval: ${text}\n`);
}
