import { CommandTimeoutError } from './errors.js';
import type { ExecOptions } from './sandbox.js';

/** The two reasons to end a command from outside: its time is up, or its signal was aborted. Close it when the command has ended. */
export interface StopSignal {
  /** Never settles when the command ends by itself. */
  readonly stopped: Promise<'stopped'>;
  /** What the call rejects with: a CommandTimeoutError, or the reason of the signal. Whatever came first. */
  readonly reason: () => unknown;
  readonly close: () => void;
}

/** @param argv The command as people know it, for the message. */
export function openStopSignal(argv: readonly string[], options: Pick<ExecOptions, 'timeoutMs' | 'signal'>): StopSignal {
  let reason: unknown;
  let stop: () => void = () => undefined;
  const stopped = new Promise<'stopped'>((resolve) => { stop = () => resolve('stopped'); });
  const onAbort = (): void => { reason ??= options.signal?.reason; stop(); };
  const timer = options.timeoutMs === undefined || options.timeoutMs === Infinity ? undefined : setTimeout(() => {
    reason ??= new CommandTimeoutError(argv, options.timeoutMs ?? 0);
    stop();
  }, options.timeoutMs);
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted === true) onAbort();
  return {
    stopped,
    reason: () => reason,
    close: () => { clearTimeout(timer); options.signal?.removeEventListener('abort', onAbort); },
  };
}
