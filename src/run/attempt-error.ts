import { isAgentSendError } from '../agents/errors.js';
import { DeadlineError } from '../lifetime/deadline.js';
import { messageOf, NiceEvalError } from '../lifetime/error.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { AttemptError, AttemptPhase } from './result.js';

/** What stands behind a failure, besides what was thrown. */
export interface FailureCircumstances {
  /** The run was interrupted. */
  readonly interrupted: boolean;
  /** Of the Attempt's own time. */
  readonly signal: AbortSignal;
  readonly timeout: PlannedAttempt['timeout'];
}

/** Tells a failure of one part of an Attempt. An interruption and a timeout explain whatever was thrown after them. */
export function attemptErrorOf(phase: AttemptPhase, thrown: unknown, { interrupted, signal, timeout }: FailureCircumstances): AttemptError {
  if (interrupted) return { phase, code: 'interrupted', message: 'the run was interrupted' };
  if (signal.aborted && signal.reason instanceof DeadlineError && timeout !== undefined) {
    const { limitMs, source } = timeout;
    return { phase, code: signal.reason.code, message: `timed out: the limit of ${limitMs} ms (set by ${source}) ran out`, timeout: { limitMs, source } };
  }
  return { phase: isAgentSendError(thrown) ? 'send' : phase, code: codeOf(thrown), message: messageOf(thrown) };
}

function codeOf(thrown: unknown): string {
  if (thrown instanceof NiceEvalError) return thrown.code;
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'test-threw';
}

/** The test ended, or went on, without waiting for something that it had started. */
export class NotAwaitedError extends NiceEvalError {
  readonly code = 'not-awaited';
}
