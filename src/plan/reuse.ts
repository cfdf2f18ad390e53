/** How an Attempt of an earlier run came out, as its record tells it. */
export interface PriorOutcome {
  readonly runId: string;
  readonly attemptId: string;
  readonly evalId: string;
  readonly experimentId: string;
  /** From 1. */
  readonly index: number;
  /** Absent: the record has none, or it could not be told. */
  readonly identity?: string;
  readonly verdict: 'passed' | 'failed' | 'errored' | 'skipped';
  readonly durationMs: number;
  /** True for an Attempt whose run ended before it did. */
  readonly interrupted: boolean;
  /** Where the outcome was made, when this run used it again itself. Absent: here. */
  readonly reusedFrom?: AttemptPlace;
}

/** Earlier outcomes of a project. */
export interface PriorOutcomes {
  /** All that is known of one eval by one experiment, newest run first. */
  of(experimentId: string, evalId: string): readonly PriorOutcome[];
}

/** An Attempt of some run. */
export interface AttemptPlace {
  readonly runId: string;
  readonly attemptId: string;
}

/**
 * What runs again although its outcome is final: nothing more (`none`, and `errored`, since what errored is never final), what
 * failed, or everything.
 */
export interface ReuseOptions { readonly rerun: 'none' | 'failed' | 'errored' | 'all' }

/** Why an Attempt runs. */
export type RunReason =
  | 'asked-for' | 'rerun-all' | 'rerun-failed' | 'sandbox-kept'
  | 'no-record' | 'interrupted' | 'errored' | 'skipped' | 'identity-mismatch' | 'timeout-exceeded';

/** Whether an Attempt runs, or an earlier outcome stands for it. */
export type Decision =
  | { readonly action: 'run'; readonly why: RunReason }
  | { readonly action: 'reuse'; readonly from: AttemptPlace; readonly why: 'passed-before' | 'failed-before' };

/** What is to be decided about. */
export interface Undecided {
  readonly index: number;
  readonly identity: string | undefined;
  /** Milliseconds that the Attempt may take today. `undefined`: no limit. */
  readonly limitMs: number | undefined;
  readonly rerun: ReuseOptions['rerun'];
  /** Sandboxes that are to stay alive, which only those of Attempts that run can do. */
  readonly keepSandbox: 'all' | 'failed' | undefined;
}

/**
 * Decides about one Attempt. Only the newest run that has the eval by the experiment counts: what it changed its mind about is not
 * looked up in older ones.
 *
 * @param outcomes Of this eval by this experiment, newest run first.
 */
export function decide(outcomes: readonly PriorOutcome[], attempt: Undecided): Decision {
  const run = (why: RunReason): Decision => ({ action: 'run', why });
  if (attempt.rerun === 'all') return run('rerun-all');
  if (attempt.keepSandbox === 'all') return run('sandbox-kept');
  const newest = outcomes[0]?.runId;
  const outcome = outcomes.find(({ runId, index }) => runId === newest && index === attempt.index);
  if (outcome === undefined) return run('no-record');
  if (outcome.interrupted) return run('interrupted');
  const { verdict } = outcome;
  if (verdict === 'errored' || verdict === 'skipped') return run(verdict);
  if (outcome.identity === undefined || outcome.identity !== attempt.identity) return run('identity-mismatch');
  if (verdict === 'failed' && attempt.rerun === 'failed') return run('rerun-failed');
  if (verdict === 'failed' && attempt.keepSandbox === 'failed') return run('sandbox-kept');
  if (attempt.limitMs !== undefined && outcome.durationMs > attempt.limitMs) return run('timeout-exceeded');
  const { runId, attemptId } = outcome.reusedFrom ?? outcome;
  return { action: 'reuse', from: { runId, attemptId }, why: verdict === 'passed' ? 'passed-before' : 'failed-before' };
}
