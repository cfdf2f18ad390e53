import type { RunRecord } from '../record/read-run.js';
import type { AttemptSummary } from '../run/run-result.js';
import { bucketOf } from '../evidence/usage.js';
import { inColumns } from './columns.js';
import { costSumText } from './pricing/cost-text.js';
import type { PricingProfile } from './pricing/profile.js';
import { projectCost, sumCosts, type CostSum } from './pricing/project-cost.js';
import { seconds } from './words.js';

/** A sum over Attempts of which some may not say. */
interface Sum {
  /** Absent: nobody says. */
  readonly sum?: number;
  /** How many say nothing: the sum is at least so much. */
  readonly unknown: number;
}

/** One eval, by one experiment, in one run. */
export interface HistoryEntry {
  readonly runId: string;
  readonly startedAt?: string;
  readonly experimentId: string;
  readonly attempts: number;
  readonly passed: number;
  readonly failed: number;
  readonly errored: number;
  readonly skipped: number;
  readonly medianDurationMs: number;
  readonly inputTokens: Sum;
  readonly outputTokens: Sum;
  /** By the profile that was asked for, which it names. */
  readonly cost: CostSum & { readonly profile: string };
}

/** What an eval came to in each run by each experiment, in the order of the runs. Errored Attempts count among all. */
export function historyOf(runs: readonly RunRecord[], wanted: { readonly evalId: string; readonly experimentId?: string; readonly pricing: PricingProfile }): readonly HistoryEntry[] {
  // What was judged again was carried out, and paid for, in another run.
  return runs.filter(({ regradedFrom }) => regradedFrom === undefined).flatMap((run) => {
    const own = run.attempts.filter(({ evalId, experimentId }) => evalId === wanted.evalId && (wanted.experimentId ?? experimentId) === experimentId);
    return [...new Set(own.map(({ experimentId }) => experimentId))].sort().map((experimentId) => entryOf(run, experimentId, own.filter((attempt) => attempt.experimentId === experimentId), wanted.pricing));
  });
}

function entryOf(run: RunRecord, experimentId: string, attempts: readonly AttemptSummary[], pricing: PricingProfile): HistoryEntry {
  const count = (verdict: AttemptSummary['verdict']): number => attempts.filter((attempt) => attempt.verdict === verdict).length;
  return {
    runId: run.id,
    ...(run.startedAt === undefined ? {} : { startedAt: run.startedAt }),
    experimentId,
    attempts: attempts.length,
    passed: count('passed'), failed: count('failed'), errored: count('errored'), skipped: count('skipped'),
    medianDurationMs: medianOf(attempts.map(({ durationMs }) => durationMs)),
    inputTokens: sumOf(attempts.map(({ usage }) => bucketOf(usage, 'inputTokens'))),
    outputTokens: sumOf(attempts.map(({ usage }) => bucketOf(usage, 'outputTokens'))),
    cost: { profile: pricing.name, ...sumCosts(attempts.map((attempt) => projectCost(attempt, pricing))) },
  };
}

/** The middle one; of an even count, the mean of the two in the middle. */
function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

function sumOf(numbers: readonly (number | undefined)[]): Sum {
  const told = numbers.flatMap((number) => (number === undefined ? [] : [number]));
  return { ...(told.length === 0 ? {} : { sum: told.reduce((sum, number) => sum + number, 0) }), unknown: numbers.length - told.length };
}

/** A history in lines. `>=` stands before a sum of which some Attempts say nothing. */
export function historyListing(entries: readonly HistoryEntry[]): string {
  const show = ({ sum, unknown }: Sum): string => (sum === undefined ? '-' : `${unknown > 0 ? '>=' : ''}${sum}`);
  return inColumns([
    ['run', 'experiment', 'passed', 'failed', 'errored', 'skipped', 'median time', 'tokens in/out', 'cost'],
    ...entries.map((entry) => [
      entry.runId, entry.experimentId, `${entry.passed}/${entry.attempts}`, String(entry.failed), String(entry.errored), String(entry.skipped), seconds(entry.medianDurationMs),
      `${show(entry.inputTokens)}/${show(entry.outputTokens)}`, costSumText(entry.cost),
    ]),
  ]);
}
