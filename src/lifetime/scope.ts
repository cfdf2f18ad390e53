import { messageOf } from './error.js';

/** A cleanup that did not succeed. It never replaces the failure that came first. */
export interface CleanupFailure {
  readonly what: string;
  readonly message: string;
}

/**
 * A stack of things to close. Closing runs every cleanup once, in reverse order, each under a limit of time, and
 * goes on when one fails.
 */
export class Scope implements AsyncDisposable {
  readonly #cleanups: { what: string; run: () => Promise<void> | void }[] = [];
  readonly #limitMs: number;
  #closing: Promise<readonly CleanupFailure[]> | undefined;

  /** @param options.cleanupLimitMs How long one cleanup may take, in milliseconds. Default: 30,000. */
  constructor(options: { readonly cleanupLimitMs?: number } = {}) {
    this.#limitMs = options.cleanupLimitMs ?? 30_000;
  }

  /** Adds a cleanup. `what` names it in a failure. */
  defer(what: string, run: () => Promise<void> | void): void {
    if (this.#closing !== undefined) throw new Error(`"${what}" was opened in a scope that is closing already.`);
    this.#cleanups.push({ what, run });
  }

  /** Adds a thing to close and hands it back. */
  use<T extends AsyncDisposable>(what: string, thing: T): T {
    this.defer(what, () => thing[Symbol.asyncDispose]() as Promise<void>);
    return thing;
  }

  /** Closes everything. A second call waits for the first and gets its answer. */
  close(): Promise<readonly CleanupFailure[]> {
    this.#closing ??= this.#run();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(): Promise<readonly CleanupFailure[]> {
    const failures: CleanupFailure[] = [];
    for (const { what, run } of this.#cleanups.reverse()) {
      try {
        await within(this.#limitMs, run());
      } catch (error) {
        failures.push({ what, message: messageOf(error) });
      }
    }
    return failures;
  }
}

async function within(limitMs: number, work: Promise<void> | void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`was not done after ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
