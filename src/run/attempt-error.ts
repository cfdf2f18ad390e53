import { basename } from 'node:path';
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
  readonly attempt: Pick<PlannedAttempt, 'timeout' | 'evalFile'>;
}

/** Tells a failure of one part of an Attempt. An interruption and a timeout explain whatever was thrown after them. */
export function attemptErrorOf(phase: AttemptPhase, thrown: unknown, { interrupted, signal, attempt }: FailureCircumstances): AttemptError {
  if (interrupted) return { phase, code: 'interrupted', message: 'the run was interrupted' };
  if (signal.aborted && signal.reason instanceof DeadlineError && attempt.timeout !== undefined) {
    const { limitMs, source } = attempt.timeout;
    return { phase, code: signal.reason.code, message: `timed out: the limit of ${limitMs} ms (set by ${source}) ran out`, timeout: { limitMs, source } };
  }
  const code = codeOf(thrown);
  const isSend = isAgentSendError(thrown) || thrown instanceof AgentThrewError;
  return {
    phase: isSend ? 'send' : phase, code, message: code === 'test-threw' || code === 'claim-authoring' ? testMessage(thrown, attempt.evalFile) : messageOf(thrown),
    ...(isAgentSendError(thrown) ? { send: { kind: thrown.facts.kind, ...(thrown.facts.httpStatus === undefined ? {} : { httpStatus: thrown.facts.httpStatus }) } } : {}),
  };
}

function codeOf(thrown: unknown): string {
  if (thrown instanceof NiceEvalError) return thrown.code;
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : 'test-threw';
}

/** What an author's own code threw, with the line of the eval that it came through. */
function testMessage(thrown: unknown, evalFile: string): string {
  if (!(thrown instanceof Error)) return `the test threw ${messageOf(thrown)}`;
  const frame = thrown.stack?.split('\n').find((line) => line.includes(`${evalFile}:`));
  const line = frame === undefined ? undefined : /:(\d+):\d+\)?$/.exec(frame.trim())?.[1];
  return `${thrown.message || thrown.name}${line === undefined ? '' : ` (${basename(evalFile)}:${line})`}`;
}

/** The test ended, or went on, without waiting for something that it had started. */
export class NotAwaitedError extends NiceEvalError {
  readonly code = 'not-awaited';
}

/** Something was thrown where the test could not see it. */
export class StrayExceptionError extends NiceEvalError {
  readonly code = 'stray-exception';
}

/** An adapter threw something of its own. */
export class AgentThrewError extends NiceEvalError {
  readonly code = 'agent-threw';
  constructor(readonly agent: string, thrown: unknown) {
    super(`the agent "${agent}" threw: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** An adapter went on after the end of the Attempt's time. */
export class AgentIgnoredEndError extends NiceEvalError {
  readonly code = 'agent-ignored-end';
  constructor(readonly agent: string, limitMs: number) {
    super(`The agent "${agent}" was still at work ${limitMs} ms after its time was up. Let its \`send\` watch ctx.signal.`);
  }
}
