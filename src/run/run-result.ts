import type { Usage } from '../evidence/usage.js';
import type { ResourceUse } from '../sandbox/sandbox.js';
import type { Score, Verdict } from '../verdict/verdict.js';
import type { AttemptFailure } from './failure.js';
import type { AttemptName, AttemptResult } from './result.js';

/** How many Attempts came to what. */
export interface RunCounts {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly errored: number;
  readonly skipped: number;
  /** Of those errored: where the world broke and nothing was learnt about the agent. */
  readonly infrastructure: number;
}

/** The little of a finished Attempt that is kept until the run ends, and told in its record. */
export interface AttemptSummary extends AttemptName {
  /** Equal for Attempts that cannot come out otherwise but by chance. Absent: it could not be told. */
  readonly identity?: string;
  readonly verdict: Verdict;
  readonly failure?: AttemptFailure;
  readonly score?: Score;
  readonly claims: { readonly total: number; readonly decided: number; readonly matched: number };
  readonly usage: Usage;
  /** True: some turn told nothing of its usage, or not all, so that `usage` is at least so much. */
  readonly usageIncomplete?: true;
  readonly estimatedCostUSD?: number;
  /** Absent: the changes are not known. */
  readonly changedPaths?: number;
  readonly resources?: Pick<ResourceUse, 'cpuSeconds' | 'peakMemoryBytes'>;
  readonly startedAt: string;
  readonly durationMs: number;
  /** Its time ran out: `durationMs` says only how long it took at least. */
  readonly timedOut: boolean;
  /** Until when its sandbox lives on, ISO 8601. Absent: it is gone. */
  readonly keptUntil?: string;
  /** Ids of its earlier tries, which the infrastructure broke. Absent: it is the first. */
  readonly retries?: readonly string[];
  /** What those tries cost by the price list, as far as that is known; not part of its own cost. Absent: nothing is known, or there were none. */
  readonly retriesCostUSD?: number;
  /** It was carried out by another run, and its outcome is taken from there. Absent: it was carried out by this one. */
  readonly reusedFrom?: { readonly runId: string; readonly attemptId: string };
  /** Its evidence is that of another run, and its verdict by the definitions of this one. Absent: it is not. */
  readonly regradedFrom?: { readonly runId: string; readonly attemptId: string };
}

/** A planned Attempt that was not carried out. */
export interface NotRun {
  readonly id: string;
  readonly evalId: string;
  readonly experimentId: string;
  readonly index: number;
  readonly reason: NotRunReason;
  /** For people. */
  readonly detail: string;
}

/** `early-exit`: another Attempt of its eval had passed. `enough`: those before it say enough. `halted`: a failure that reaches farther than its own Attempt, or too many of them. */
export type NotRunReason = 'early-exit' | 'enough' | 'budget' | 'halted' | 'interrupted';

/** What a run came to. */
export interface RunResult {
  readonly runId: string;
  /** The backend, for instance `docker`. */
  readonly sandbox: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly interrupted: boolean;
  readonly counts: RunCounts;
  readonly attempts: readonly AttemptSummary[];
  readonly notRun: readonly NotRun[];
  /** The run whose evidence was judged again. Absent: its Attempts were carried out. */
  readonly regradedFrom?: string;
}

/** Counts verdicts. Planned Attempts that never started are not in `attempts`. */
export function countsOf(attempts: readonly Pick<AttemptSummary, 'verdict' | 'failure'>[]): RunCounts {
  const count = (verdict: Verdict): number => attempts.filter((attempt) => attempt.verdict === verdict).length;
  return {
    total: attempts.length, passed: count('passed'), failed: count('failed'), errored: count('errored'), skipped: count('skipped'),
    infrastructure: attempts.filter(({ failure }) => failure?.infrastructure === true).length,
  };
}

/** The little that is kept of a result. */
export function attemptSummaryOf(result: AttemptResult): AttemptSummary {
  const { id, evalId, experimentId, index, agent, model, identity, verdict, failure, score, usage, estimatedCostUSD, changes, resources, startedAt, timings, error, kept, turns } = result;
  const decided = result.claims.filter((claim) => claim.state !== 'measured');
  return {
    id, evalId, experimentId, index, agent,
    ...(model === undefined ? {} : { model }),
    ...(identity === undefined ? {} : { identity }),
    verdict,
    ...(failure === undefined ? {} : { failure }),
    ...(score === undefined ? {} : { score }),
    claims: { total: result.claims.length, decided: decided.length, matched: decided.filter((claim) => claim.state === 'matched').length },
    usage,
    ...(isUsageIncomplete(turns) ? { usageIncomplete: true } : {}),
    ...(estimatedCostUSD === undefined ? {} : { estimatedCostUSD }),
    ...(changes.state === 'available' ? { changedPaths: changes.net.length } : {}),
    ...(resources === undefined ? {} : { resources: usedOf(resources) }),
    startedAt,
    durationMs: timings.totalMs,
    timedOut: error?.timeout !== undefined,
    ...(kept === undefined ? {} : { keptUntil: kept.until }),
    ...retriedOf(result),
  };
}

function retriedOf({ retries }: AttemptResult): Pick<AttemptSummary, 'retries' | 'retriesCostUSD'> {
  if (retries === undefined) return {};
  const known = retries.flatMap(({ estimatedCostUSD }) => estimatedCostUSD ?? []);
  return { retries: retries.map(({ id }) => id), ...(known.length === 0 ? {} : { retriesCostUSD: known.reduce((sum, usd) => sum + usd, 0) }) };
}

function usedOf({ cpuSeconds, peakMemoryBytes }: ResourceUse): NonNullable<AttemptSummary['resources']> {
  return { ...(cpuSeconds === undefined ? {} : { cpuSeconds }), ...(peakMemoryBytes === undefined ? {} : { peakMemoryBytes }) };
}

/** True: some turn told nothing of its usage, or not all. */
export function isUsageIncomplete(turns: AttemptResult['turns']): boolean {
  return turns.some(({ usage, coverage }) => usage === undefined || coverage.usage.status !== 'complete');
}
