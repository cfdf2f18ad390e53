/** Told when a promise that belongs to an Attempt was rejected and nobody looked at it. */
type Tell = (reason: unknown) => void;

/**
 * Rejections that nobody awaited, while a run is under way. A forgotten `await` must not let an Attempt pass, and must
 * not end the process with containers still there.
 */
export class StrayRejections implements Disposable {
  readonly #owners = new WeakMap<object, Tell>();
  readonly #running = new Set<Tell>();
  readonly #listener = (reason: unknown): void => {
    const owner = typeof reason === 'object' && reason !== null ? this.#owners.get(reason) : undefined;
    // A promise of the author's own cannot be told apart: it may belong to any Attempt under way.
    for (const tell of owner === undefined ? this.#running : [owner]) tell(reason);
  };

  constructor() {
    process.on('unhandledRejection', this.#listener);
  }

  /** An Attempt is under way. Call the returned function when its test has ended. */
  watch(tell: Tell): () => void {
    this.#running.add(tell);
    return () => { this.#running.delete(tell); };
  }

  /** Says whose an error is that an operation of `t` is about to throw. */
  own(error: unknown, tell: Tell): void {
    if (typeof error === 'object' && error !== null) this.#owners.set(error, tell);
  }

  [Symbol.dispose](): void {
    process.off('unhandledRejection', this.#listener);
  }
}
