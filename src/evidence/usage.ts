import { z } from 'zod';

/**
 * What a turn consumed. The buckets exclude each other (except `reasoningTokens`, which is a part of
 * `outputTokens`). A bucket that was not reported is left out, never zero.
 */
export interface Usage {
  /** Input tokens that missed the cache and are charged in full. */
  readonly inputTokens?: number;
  /** Output (completion) tokens, reasoning included. */
  readonly outputTokens?: number;
  /** Input tokens read from the prompt cache. Not part of `inputTokens`. */
  readonly cacheReadTokens?: number;
  /** Input tokens written to the prompt cache. Not part of `inputTokens`. */
  readonly cacheCreationTokens?: number;
  /** The part of `outputTokens` spent on reasoning, when the protocol says so. */
  readonly reasoningTokens?: number;
  /** Model requests really made, when a source counts them. */
  readonly requests?: number;
  /** Cost in US dollars that a provider or gateway observed. Never derived from tokens. */
  readonly costUSD?: number;
  /** The same buckets per model, when the source splits them. Keys are the model ids as reported. */
  readonly models?: { readonly [model: string]: Omit<Usage, 'models'> };
}

const count = z.number().int().nonnegative().exactOptional();
const buckets = {
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheCreationTokens: count,
  reasoningTokens: count,
  requests: count,
  costUSD: z.number().nonnegative().exactOptional(),
};

export const usageSchema: z.ZodType<Usage> = z.object({
  ...buckets,
  models: z.record(z.string(), z.object(buckets)).exactOptional(),
});

const NUMERIC = [
  'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'reasoningTokens', 'requests', 'costUSD',
] as const;

/**
 * One bucket over all models: the total, or what the split comes to where that is more or there is no total. `undefined`: not
 * reported, or not for every model of the split.
 */
export function bucketOf(usage: Usage, bucket: keyof Omit<Usage, 'models'>): number | undefined {
  const split = Object.values(usage.models ?? {}).map((model) => model[bucket]);
  const told = split.flatMap((number) => (number === undefined ? [] : [number]));
  const sum = told.reduce((total, number) => total + number, 0);
  const total = usage[bucket];
  if (total !== undefined) return Math.max(total, sum);
  return split.length > 0 && told.length === split.length ? sum : undefined;
}

/** Adds usages bucket by bucket. A bucket that no part reports stays absent. */
export function addUsage(parts: readonly Usage[]): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {};
  const models = new Map<string, Usage[]>();
  for (const part of parts) {
    for (const key of NUMERIC) {
      const value = part[key];
      if (value !== undefined) sum[key] = (sum[key] ?? 0) + value;
    }
    for (const [model, usage] of Object.entries(part.models ?? {})) {
      models.set(model, [...(models.get(model) ?? []), usage]);
    }
  }
  if (models.size > 0) {
    sum.models = Object.fromEntries([...models].map(([model, usages]) => [model, addUsage(usages)]));
  }
  return sum;
}

/** What was used between two totals. A bucket that fell, which no total does, counts as nothing. */
export function usageSince(before: Usage | undefined, after: Usage): Usage {
  if (before === undefined) return after;
  const since: { -readonly [K in keyof Usage]: Usage[K] } = {};
  for (const key of NUMERIC) {
    const value = after[key];
    if (value !== undefined) since[key] = Math.max(0, value - (before[key] ?? 0));
  }
  if (after.models !== undefined) {
    since.models = Object.fromEntries(Object.entries(after.models).map(([model, usage]) => [model, usageSince(before.models?.[model], usage)]));
  }
  return since;
}
