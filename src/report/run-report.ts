import type { Usage } from '../evidence/usage.js';
import type { AttemptName, AttemptResult } from '../run/result.js';
import { isUsageIncomplete, type AttemptSummary, type NotRun } from '../run/run-result.js';
import type { Score, Verdict } from '../verdict/verdict.js';

/** One Attempt, as the reporters of a whole run need it. */
export interface AttemptOutcome extends AttemptName {
  readonly verdict: Verdict;
  /** One line per cause; empty for `passed`. */
  readonly reasons: readonly string[];
  /** What kind of thing broke around the agent. Absent: nothing did. */
  readonly infrastructure?: string;
  readonly durationMs: number;
  /** True: time ran out or the run was interrupted, so that it would have taken longer than `durationMs`. Default: false. */
  readonly cutOff?: boolean;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly usage: Usage;
  /** True: some turn told nothing of its usage, or not all. Default: false. */
  readonly usageIncomplete?: boolean;
  /** Where the eval is defined, relative to the repository. */
  readonly evalFile?: string;
  /** Only of an eval that gives points. */
  readonly score?: Score;
  /** True: it made no claim, so that passing means little. */
  readonly noClaims: boolean;
}

/** A run, as reporters of whole runs need it. */
export interface RunReport {
  readonly runId: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly interrupted: boolean;
  /** Planned Attempts that were never started. */
  readonly notRun: readonly Pick<NotRun, 'experimentId' | 'reason'>[];
  readonly attempts: readonly AttemptOutcome[];
}

/** The same of an Attempt of another run whose outcome is taken over; its reasons stand in the record of that run. */
export function reusedOutcomeOf(summary: AttemptSummary, { evalFile }: Pick<AttemptOutcome, 'evalFile'> = {}): AttemptOutcome {
  const { id, evalId, experimentId, index, agent, model, verdict, failure, durationMs, timedOut, startedAt, usage, usageIncomplete, score, claims, reusedFrom } = summary;
  return {
    id, evalId, experimentId, index, agent,
    ...(model === undefined ? {} : { model }),
    verdict,
    reasons: verdict === 'passed' ? [] : [`it ${verdict} in the run ${reusedFrom?.runId ?? ''}, whose outcome is taken over`],
    ...(failure?.infrastructure === true ? { infrastructure: failure.kind } : {}),
    durationMs, cutOff: timedOut, startedAt, usage,
    usageIncomplete: usageIncomplete === true,
    ...(evalFile === undefined ? {} : { evalFile }),
    ...(score === undefined ? {} : { score }),
    noClaims: claims.total === 0,
  };
}

/** The Attempts of each experiment, in the order in which the experiments appear. */
export function byExperiment<A extends { readonly experimentId: string }>(attempts: readonly A[]): ReadonlyMap<string, readonly A[]> {
  const groups = new Map<string, A[]>();
  for (const attempt of attempts) {
    const group = groups.get(attempt.experimentId);
    if (group === undefined) groups.set(attempt.experimentId, [attempt]);
    else group.push(attempt);
  }
  return groups;
}

/** How many Attempts came to one verdict. */
export function countOf(attempts: readonly AttemptOutcome[], verdict: Verdict): number {
  return attempts.filter((attempt) => attempt.verdict === verdict).length;
}

/** Why a run is not whole, in words. `undefined`: it is. */
export function incompleteness({ interrupted, notRun }: RunReport): string | undefined {
  // What early exit left out was not wanted any more.
  const lost = notRun.filter(({ reason }) => reason !== 'early-exit' && reason !== 'enough');
  const why = lost.length > 0 && lost.every(({ reason }) => reason === 'budget') ? ' since a budget was spent' : '';
  const missing = `${lost.length} planned ${lost.length === 1 ? 'Attempt was' : 'Attempts were'} not run${why}`;
  if (interrupted) return lost.length === 0 ? 'the run was interrupted' : `the run was interrupted; ${missing}`;
  return lost.length === 0 ? undefined : missing;
}

/** What reporters of whole runs need of a result, and no more, so that the rest can go. */
export function attemptOutcomeOf(result: AttemptResult, { evalFile }: Pick<AttemptOutcome, 'evalFile'> = {}): AttemptOutcome {
  const { id, evalId, experimentId, index, agent, model, verdict, reasons, failure, timings, error, interrupted, startedAt, usage, turns, score, claims } = result;
  return {
    id, evalId, experimentId, index, agent,
    ...(model === undefined ? {} : { model }),
    verdict, reasons,
    ...(failure?.infrastructure === true ? { infrastructure: failure.kind } : {}),
    durationMs: timings.totalMs,
    cutOff: error?.timeout !== undefined || interrupted,
    startedAt, usage,
    usageIncomplete: isUsageIncomplete(turns),
    ...(evalFile === undefined ? {} : { evalFile }),
    ...(score === undefined ? {} : { score }),
    noClaims: claims.length === 0,
  };
}
