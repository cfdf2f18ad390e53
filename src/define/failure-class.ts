import type { FailureKind } from '../evidence/failure-kind.js';
import { NiceEvalError } from '../lifetime/error.js';

/** How far a failure reaches: to this Attempt, to all of its eval, or to all of its experiment. */
export type FailureScope = 'attempt' | 'eval' | 'experiment';

/** What is to be done about a failure. A scope beyond the Attempt means that nothing more of it is begun. */
export type FailureClass =
  | { readonly retryable: true; readonly reason: string; readonly scope?: 'attempt' }
  | { readonly retryable: false; readonly reason?: string; readonly scope?: FailureScope };

/** An errored Attempt, for whoever decides what to do about it. */
export interface AttemptFailureInfo {
  readonly evalId: string;
  readonly experimentId: string;
  /** From 1. */
  readonly index: number;
  /** Which try it was, from 1. */
  readonly try: number;
  readonly kind: FailureKind;
  /** The part of the Attempt that broke. Absent: a claim could not be told. */
  readonly phase?: string;
  /** The stable code of the error. */
  readonly code?: string;
  readonly message: string;
  /** What the model service answered with. Absent: not known. */
  readonly httpStatus?: number;
}

/** `undefined`: it does not know either, and the harness decides. */
export type AttemptFailureClassifier = (failure: AttemptFailureInfo) => FailureClass | undefined;

/** Thrown by a test or a hook: nothing more of this experiment can work. */
export class ExperimentFatalError extends NiceEvalError {
  readonly code = 'experiment-fatal';
}

/** Thrown by a test: nothing more of this eval can work, by this experiment. */
export class EvalFatalError extends NiceEvalError {
  readonly code = 'eval-fatal';
}

const SCOPES: readonly unknown[] = ['attempt', 'eval', 'experiment', undefined];

/** Whether what a classifier of an author's returned can be acted on. */
export function isFailureClass(value: unknown): value is FailureClass {
  const { retryable, reason, scope } = (value ?? {}) as { readonly retryable?: unknown; readonly reason?: unknown; readonly scope?: unknown };
  if (retryable === true) return typeof reason === 'string' && (scope === undefined || scope === 'attempt');
  return retryable === false && (reason === undefined || typeof reason === 'string') && SCOPES.includes(scope);
}
