import type { FailureKind } from '../evidence/failure-kind.js';
import { isFailureClass, type AttemptFailureClassifier, type AttemptFailureInfo, type FailureClass, type FailureScope } from '../define/failure-class.js';
import { messageOf } from '../lifetime/error.js';
import { wasFaulted } from './gateway-count.js';
import type { AttemptResult } from './result.js';

/** Failures of the infrastructure that may be gone the next time. The others would come again, or have cost the whole time already. */
const RETRYABLE: ReadonlySet<FailureKind> = new Set(['engine', 'network', 'rate-limit', 'model-service']);
/** How often an Attempt is begun again where nobody says. */
export const DEFAULT_RETRIES = 2;
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;

/** What follows from how an Attempt ended. */
export type AfterAttempt =
  | { readonly then: 'again'; readonly afterMs: number; readonly reason: string }
  /** With a scope beyond the Attempt nothing more of it is to be begun. */
  | { readonly then: 'end'; readonly scope: FailureScope; readonly reason?: string };

/** How often and when an Attempt is begun again. */
export interface RetryPolicy {
  /** How many tries besides the first. */
  readonly limit: number;
  readonly classify?: AttemptFailureClassifier;
  /** 0 to 1. */
  readonly random: () => number;
  /** Told of a classifier that broke. */
  readonly warn: (message: string) => void;
}

/**
 * Decides what follows. A wrong answer is never tried again, and neither is one that was interrupted or whose budget is spent. Faults that were
 * asked for would come again.
 * The wait doubles with each try (exponential back-off with jitter of half of it).
 *
 * @param tries How many there were, this one included.
 */
export function afterAttempt(result: AttemptResult, tries: number, policy: RetryPolicy): AfterAttempt {
  const { verdict, failure, error } = result;
  if (verdict !== 'errored' || failure === undefined || failure.kind === 'interrupted' || failure.kind === 'budget') return { then: 'end', scope: 'attempt' };
  const fatal = FATAL[error?.code ?? ''];
  if (fatal !== undefined) return { then: 'end', scope: fatal, reason: error?.message ?? '' };
  const decided: FailureClass = classified(result, tries, policy) ?? { retryable: RETRYABLE.has(failure.kind) && !wasFaulted(result.gateway), reason: failure.kind };
  if (!decided.retryable) return { then: 'end', scope: decided.scope ?? 'attempt', ...(decided.reason === undefined ? {} : { reason: decided.reason }) };
  if (tries > policy.limit) return { then: 'end', scope: 'attempt' };
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  return { then: 'again', afterMs: Math.round(wait * (0.5 + policy.random() / 2)), reason: decided.reason };
}

const FATAL: { readonly [code: string]: FailureScope } = { 'experiment-fatal': 'experiment', 'eval-fatal': 'eval' };

/** A classifier that throws, or says what it may not say, does not know. */
function classified(result: AttemptResult, tries: number, { classify, warn }: RetryPolicy): FailureClass | undefined {
  if (classify === undefined) return undefined;
  let decided: unknown;
  try {
    decided = classify(infoOf(result, tries));
  } catch (error) {
    warn(`classifyFailure of ${result.experimentId} threw: ${messageOf(error)}`);
    return undefined;
  }
  if (decided === undefined || isFailureClass(decided)) return decided;
  warn(`classifyFailure of ${result.experimentId} returned what is no failure class; give { retryable, reason, scope? } or undefined.`);
  return undefined;
}

function infoOf({ evalId, experimentId, index, failure, error, reasons }: AttemptResult, tries: number): AttemptFailureInfo {
  const { send } = error ?? {};
  return {
    evalId, experimentId, index, try: tries, kind: failure?.kind ?? 'harness',
    ...(error === undefined ? {} : { phase: error.phase, code: error.code }),
    message: error?.message ?? reasons[0] ?? '',
    ...(send?.httpStatus === undefined ? {} : { httpStatus: send.httpStatus }),
  };
}
