import { bucketOf } from '../../evidence/usage.js';
import { durationSummary, type DurationSummary } from '../../statistics/durations.js';
import { flakeRate, type FlakeRate } from '../../statistics/flakes.js';
import { knownMedian, type KnownValues } from '../../statistics/known-values.js';
import type { EvalNumber } from '../../statistics/compare.js';
import type { PassRates } from '../../statistics/pass-rates.js';
import type { AttemptSummary } from '../../run/run-result.js';
import { projectCost } from '../pricing/project-cost.js';
import type { PricingProfile } from '../pricing/profile.js';
import { ratesOf, talliesOf } from '../rates.js';

/** Attempts that stand against others. */
export interface ComparedSide {
  /** The run, and behind a colon its experiment where only one was picked. */
  readonly name: string;
  readonly sandbox?: string;
  readonly attempts: readonly AttemptSummary[];
  /** What makes the run less than whole, one sentence each. */
  readonly remarks: readonly string[];
}

/** What can be said of one side alone. */
export interface SideFacts extends Omit<ComparedSide, 'attempts'> {
  readonly experiments: readonly string[];
  readonly agents: readonly string[];
  readonly models: readonly string[];
  readonly evals: number;
  readonly attempts: number;
  readonly skipped: number;
  readonly errored: number;
  /** How many Attempts each kind of failure of the infrastructure took. */
  readonly infrastructure: Readonly<Record<string, number>>;
  readonly rates: PassRates;
  readonly flakes: FlakeRate;
  /** Milliseconds; what a timeout cut off is censored. */
  readonly durationMs: DurationSummary;
  readonly inputTokens: KnownValues;
  readonly outputTokens: KnownValues;
  /** US dollars by the profile; only what it prices whole is known. */
  readonly costUSD: KnownValues;
}

/** Numbers of a completed Attempt that sides are compared by. `undefined`: not known. */
export const MEASURES = {
  inputTokens: (attempt) => (attempt.usageIncomplete === true ? undefined : bucketOf(attempt.usage, 'inputTokens')),
  outputTokens: (attempt) => (attempt.usageIncomplete === true ? undefined : bucketOf(attempt.usage, 'outputTokens')),
  costUSD: (attempt, pricing) => {
    const { state, usd } = projectCost(attempt, pricing);
    return state === 'known' && usd !== undefined ? Number(usd) : undefined;
  },
} as const satisfies Readonly<Record<string, (attempt: AttemptSummary, pricing: PricingProfile) => number | undefined>>;

export function sideFactsOf({ attempts, ...side }: ComparedSide, { level, pricing }: { readonly level: number; readonly pricing: PricingProfile }): SideFacts {
  const infrastructure: Record<string, number> = {};
  for (const { failure } of attempts) if (failure?.infrastructure === true) infrastructure[failure.kind] = (infrastructure[failure.kind] ?? 0) + 1;
  const completed = attempts.filter(isCompleted);
  const medianOf = (measure: keyof typeof MEASURES): KnownValues => knownMedian(completed.map((attempt) => MEASURES[measure](attempt, pricing)));
  const count = (verdict: AttemptSummary['verdict']): number => attempts.filter((attempt) => attempt.verdict === verdict).length;
  return {
    ...side,
    experiments: distinct(attempts.map(({ experimentId }) => experimentId)),
    agents: distinct(attempts.map(({ agent }) => agent)),
    models: distinct(attempts.flatMap(({ model }) => model ?? [])),
    evals: new Set(attempts.map(({ evalId }) => evalId)).size,
    attempts: attempts.length,
    skipped: count('skipped'),
    errored: count('errored'),
    infrastructure,
    rates: ratesOf(attempts, level),
    flakes: flakeRate(flakeTallies(attempts)),
    durationMs: durationSummary(attempts.filter((attempt) => isCompleted(attempt) || isCut(attempt)).map((attempt) => ({ value: attempt.durationMs, censored: isCut(attempt) }))),
    inputTokens: medianOf('inputTokens'),
    outputTokens: medianOf('outputTokens'),
    costUSD: medianOf('costUSD'),
  };
}

/** One number for each eval: the median of its completed Attempts, where all of them know it. */
export function evalNumbers(attempts: readonly AttemptSummary[], measure: keyof typeof MEASURES, pricing: PricingProfile): readonly EvalNumber[] {
  return byEval(attempts).map(([evalId, own]) => {
    const { median, known, total } = knownMedian(own.filter(isCompleted).map((attempt) => MEASURES[measure](attempt, pricing)));
    return { evalId, ...(median === undefined || known < total ? {} : { value: median }) };
  });
}

/** The median time of each eval; censored where it was not reached before Attempts were cut off. */
export function evalDurations(attempts: readonly AttemptSummary[]): readonly EvalNumber[] {
  return byEval(attempts).map(([evalId, own]) => {
    const { median, total } = durationSummary(own.filter((attempt) => isCompleted(attempt) || isCut(attempt)).map((attempt) => ({ value: attempt.durationMs, censored: isCut(attempt) })));
    return { evalId, ...(median === undefined ? { censored: total > 0 } : { value: median }) };
  });
}

/** Of several experiments, an eval is flaky where it is so by one of them: they may differ for good. */
function flakeTallies(attempts: readonly AttemptSummary[]): ReturnType<typeof talliesOf> {
  return talliesOf(attempts.map(({ evalId, experimentId, verdict }) => ({ evalId: JSON.stringify([evalId, experimentId]), verdict })))
    .map(({ evalId, ...tally }) => ({ evalId: (JSON.parse(evalId) as [string])[0], ...tally }));
}

export function isCompleted({ verdict }: AttemptSummary): boolean {
  return verdict === 'passed' || verdict === 'failed';
}

function isCut({ timedOut, failure }: AttemptSummary): boolean {
  return timedOut || failure?.kind === 'interrupted';
}

function byEval(attempts: readonly AttemptSummary[]): readonly (readonly [string, readonly AttemptSummary[]])[] {
  return distinct(attempts.map(({ evalId }) => evalId)).map((evalId) => [evalId, attempts.filter((attempt) => attempt.evalId === evalId)]);
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
