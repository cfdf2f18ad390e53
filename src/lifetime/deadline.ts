import { NiceEvalError } from './error.js';

/** A budget of time ran out. `budget` names whose. */
export class DeadlineError extends NiceEvalError {
  readonly code = 'deadline-exceeded';
  constructor(readonly budget: string, readonly limitMs: number) {
    super(`The ${budget} of ${limitMs} ms ran out.`);
  }
}

/** One end of time that several steps share. */
export interface Deadline {
  /** Aborted with a {@link DeadlineError} at the end, or with the parent's reason before it. */
  readonly signal: AbortSignal;
  /** Milliseconds until the end; never negative; `Infinity` without a limit. */
  remainingMs(): number;
  /** Ends it now, for a reason of its own. */
  end(reason: Error): void;
  /** Lets the timer go. The signal stays as it is. */
  close(): void;
}

// Node fires a timer at once that is set for longer than 32 bits can say.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Starts a clock.
 *
 * @param limitMs Milliseconds from now. `undefined`: no limit of its own.
 * @param options.budget Whose time it is, for the error, for instance `attempt timeout (--timeout)`.
 * @param options.parent Aborting it aborts this deadline too.
 */
export function startDeadline(
  limitMs: number | undefined,
  options: { readonly budget: string; readonly parent?: AbortSignal },
): Deadline {
  const controller = new AbortController();
  const endsAt = limitMs === undefined ? Infinity : performance.now() + limitMs;
  const onParent = (): void => controller.abort(options.parent?.reason);
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const leftMs = endsAt - performance.now();
    timer = leftMs > LONGEST_TIMER_MS
      ? setTimeout(wait, LONGEST_TIMER_MS)
      : setTimeout(() => controller.abort(new DeadlineError(options.budget, limitMs ?? Infinity)), leftMs);
  };
  if (limitMs !== undefined) wait();
  if (options.parent?.aborted === true) onParent();
  else options.parent?.addEventListener('abort', onParent, { once: true });
  return {
    signal: controller.signal,
    remainingMs: () => Math.max(0, endsAt - performance.now()),
    end: (reason) => controller.abort(reason),
    close: () => {
      clearTimeout(timer);
      options.parent?.removeEventListener('abort', onParent);
    },
  };
}
