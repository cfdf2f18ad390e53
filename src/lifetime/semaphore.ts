/** Lets at most `size` holders in; the others wait in the order in which they came. */
export class Semaphore {
  #free: number;
  readonly #waiting: { enter: () => void; signal: AbortSignal | undefined; onAbort: () => void }[] = [];

  constructor(size: number) {
    if (!Number.isInteger(size) || size < 1) throw new RangeError(`A semaphore needs a size of at least 1, not ${size}.`);
    this.#free = size;
  }

  /** Waits for a place. Call the returned function once to give it back. Rejects with the signal's reason. */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#queue(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#release();
    };
  }

  #queue(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        enter: resolve,
        signal,
        onAbort: () => {
          this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
          reject(signal?.reason as Error);
        },
      };
      signal?.addEventListener('abort', waiter.onAbort, { once: true });
      this.#waiting.push(waiter);
    });
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    next.signal?.removeEventListener('abort', next.onAbort);
    next.enter();
  }
}
