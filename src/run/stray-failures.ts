/** What went wrong where no test could see it. */
export interface StrayFailure {
  readonly kind: 'rejection' | 'exception';
  readonly reason: unknown;
}

/** Told of a stray failure that belongs, or may belong, to an Attempt. */
type Tell = (failure: StrayFailure) => void;

/**
 * Rejections that nobody awaited and exceptions of timers and callbacks, while a run is under way. They must not let
 * an Attempt pass, and must not end the process with containers still there.
 */
export class StrayFailures implements Disposable {
  readonly #owners = new WeakMap<object, Tell>();
  readonly #running = new Set<Tell>();
  readonly #onRejection = (reason: unknown): void => this.#hand({ kind: 'rejection', reason });
  readonly #onException = (reason: unknown): void => this.#hand({ kind: 'exception', reason });
  readonly #unclaimed: Tell;

  /** @param unclaimed Told of a failure while no Attempt is under way. */
  constructor(unclaimed: Tell) {
    this.#unclaimed = unclaimed;
    process.on('unhandledRejection', this.#onRejection);
    process.on('uncaughtException', this.#onException);
  }

  /** An Attempt is under way. Call the returned function when it has ended. */
  watch(tell: Tell): () => void {
    this.#running.add(tell);
    return () => { this.#running.delete(tell); };
  }

  /** Says whose an error is that an operation of `t` is about to throw. */
  own(error: unknown, tell: Tell): void {
    if (typeof error === 'object' && error !== null) this.#owners.set(error, tell);
  }

  [Symbol.dispose](): void {
    process.off('unhandledRejection', this.#onRejection);
    process.off('uncaughtException', this.#onException);
  }

  #hand(failure: StrayFailure): void {
    const { reason } = failure;
    const owner = typeof reason === 'object' && reason !== null ? this.#owners.get(reason) : undefined;
    // What is the author's own cannot be told apart: it may belong to any Attempt under way.
    const told = owner === undefined ? [...this.#running] : [owner];
    if (told.length === 0) this.#unclaimed(failure);
    for (const tell of told) tell(failure);
  }
}
