import { bucketOf, type Usage } from '../../evidence/usage.js';
import { decimalOf, plus, priceFor, textOf, ZERO, type Decimal } from './decimal.js';
import type { PricingProfile } from './profile.js';

/** What usage comes to by a profile. */
export interface ProjectedCost {
  /** `known`: all tokens have a price. `partial`: some have none or were not told, so that it is at least `usd`. `unknown`: none has. */
  readonly state: 'known' | 'partial' | 'unknown';
  /** US dollars, exact, in writing. Absent where unknown. */
  readonly usd?: string;
  /** Models without a price. */
  readonly unpricedModels: readonly string[];
  /** Why it is not known whole, one sentence each. */
  readonly reasons: readonly string[];
  /** What the bill may have besides. */
  readonly notes: readonly string[];
}

/** Usage as it was sealed, and what is known of it. */
export interface SealedUsage {
  readonly usage: Usage;
  /** Of the tokens that `usage.models` does not split. Absent: nobody knows. */
  readonly model?: string;
  /** True: some turn told nothing, or not all. Default: false. */
  readonly usageIncomplete?: boolean;
  /** ISO 8601: the day of use. */
  readonly startedAt: string;
}

const BUCKETS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'] as const;
const BUCKET_WORDS = { inputTokens: 'input', outputTokens: 'output', cacheReadTokens: 'cache reads', cacheCreationTokens: 'cache writes' } as const;

/** Works out what usage costs by a profile: nothing else is looked at, no estimate and no observed cost. */
export function projectCost({ usage, model, usageIncomplete = false, startedAt }: SealedUsage, profile: PricingProfile): ProjectedCost {
  const time = Date.parse(startedAt);
  const at = Number.isNaN(time) ? new Date() : new Date(time);
  let sum = ZERO;
  let priced = false;
  const unpriced = new Set<string>();
  const reasons = new Set<string>();
  const notes = new Set<string>();
  const tell = (part: Decimal): void => {
    sum = plus(sum, part);
    priced = true;
  };
  for (const { name, buckets } of partsOf(usage, model)) {
    const used = BUCKETS.filter((bucket) => (buckets[bucket] ?? 0) > 0);
    if (used.length === 0) continue;
    const rates = name === undefined ? undefined : profile.ratesOf(name, at);
    if (name === undefined) reasons.add('the model of some tokens is not known');
    else if (rates === undefined) unpriced.add(name);
    else {
      for (const bucket of used) {
        const rate = rates[bucket];
        if (rate === undefined) reasons.add(`${name}: ${BUCKET_WORDS[bucket]} have no price`);
        else tell(priceFor(buckets[bucket] ?? 0, rate));
      }
      for (const note of rates.notes) notes.add(note);
    }
  }
  for (const name of unpriced) reasons.add(`${name}: no price`);
  for (const bucket of ['inputTokens', 'outputTokens'] as const) if (bucketOf(usage, bucket) === undefined) reasons.add(`${BUCKET_WORDS[bucket]} tokens were not reported`);
  if (usageIncomplete) reasons.add('a turn did not report all of its usage');
  const told = { unpricedModels: [...unpriced], reasons: [...reasons], notes: [...notes] };
  if (reasons.size === 0) return { state: 'known', usd: textOf(sum), ...told };
  return priced ? { state: 'partial', usd: textOf(sum), ...told } : { state: 'unknown', ...told };
}

/** Costs added up exactly. `unknown` of how many, `partial` of how many make it a sum of at least so much. */
export interface CostSum {
  /** Absent: not one is known, not even in part. */
  readonly usd?: string;
  readonly known: number;
  readonly partial: number;
  readonly unknown: number;
  readonly unpricedModels: readonly string[];
}

export function sumCosts(costs: readonly ProjectedCost[]): CostSum {
  const told = costs.flatMap(({ usd }) => (usd === undefined ? [] : [decimalOf(usd) ?? ZERO]));
  const count = (state: ProjectedCost['state']): number => costs.filter((cost) => cost.state === state).length;
  return {
    ...(told.length === 0 ? {} : { usd: textOf(told.reduce(plus, ZERO)) }),
    known: count('known'), partial: count('partial'), unknown: count('unknown'),
    unpricedModels: [...new Set(costs.flatMap(({ unpricedModels }) => unpricedModels))].sort(),
  };
}

interface Part { readonly name: string | undefined; readonly buckets: Omit<Usage, 'models'> }

/** What the split by model leaves over is of `model`. */
function partsOf(usage: Usage, model: string | undefined): readonly Part[] {
  const split = Object.entries(usage.models ?? {}).map(([name, buckets]) => ({ name, buckets }));
  const rest = Object.fromEntries(BUCKETS.map((bucket) => [bucket, Math.max(0, (usage[bucket] ?? 0) - split.reduce((sum, { buckets }) => sum + (buckets[bucket] ?? 0), 0))]));
  return [...split, { name: model, buckets: rest }];
}
