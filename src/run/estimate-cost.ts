import type { CostEstimate, ModelPrice, Pricing } from '../evidence/cost.js';
import type { Usage } from '../evidence/usage.js';
import { priceOf, type FoundPrice } from './price-of.js';

/** By what prices an estimate is made. */
export interface EstimateOptions {
  /** Wins over the built-in list. Default: nothing. */
  readonly pricing?: Pricing;
  /** The day whose list prices count. Default: today. */
  readonly at?: Date;
}

type Buckets = Omit<Usage, 'models'>;

const PRICED = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'] as const;
const MTOK = 1_000_000;

/**
 * Estimates what usage costs, from its tokens alone: an observed `costUSD` plays no part. Where usage is split by model,
 * each part is priced by its own model; what the split leaves over is priced by `model`. Never zero for want of a price.
 *
 * @param model The model for everything that is not split. `undefined`: nobody knows.
 */
export function estimateCost(usage: Usage, model: string | undefined, options: EstimateOptions = {}): CostEstimate {
  const parts = partsOf(usage, model);
  const at = options.at ?? new Date();
  const unpriced = new Set<string>();
  const notes = new Set<string>();
  let usd = 0;
  let leastUSD = 0;
  let nameless = false;
  let mostUSD = 0;
  const prices: FoundPrice[] = [];
  for (const { name, buckets } of parts) {
    if (PRICED.every((bucket) => (buckets[bucket] ?? 0) === 0)) continue; // Free at any price: Claude Code lists "<synthetic>" so.
    const found = name === undefined ? undefined : priceOf(name, options.pricing ?? {}, at);
    if (name === undefined) nameless = true;
    else if (found === undefined) unpriced.add(name);
    else {
      const cost = priced(name, buckets, { found, notes });
      usd += cost.usd;
      leastUSD += cost.leastUSD;
      mostUSD += cost.mostUSD;
      prices.push(found);
    }
  }
  const missing = (['inputTokens', 'outputTokens'] as const).filter((bucket) => usage[bucket] === undefined && !allReport(usage, bucket));
  if (missing.length > 0) return { state: 'unknown', leastUSD, code: 'usage-bucket-missing', models: [], reason: `not reported: ${missing.join(', ')}` };
  if (nameless) return { state: 'unknown', leastUSD, code: 'model-unknown', models: [], reason: 'the model of some of the tokens is not known' };
  if (unpriced.size > 0) return { state: 'unknown', leastUSD, code: 'model-unpriced', models: [...unpriced], reason: `unpriced: ${[...unpriced].join(', ')}. Add a price to \`pricing\` of defineConfig` };
  let isWhole = true;
  for (const [bucket, own] of [['cacheReadTokens', 'cacheReadPerMTok'], ['cacheCreationTokens', 'cacheWritePerMTok']] as const) {
    if (usage[bucket] === undefined && !parts.some(({ buckets }) => buckets[bucket] !== undefined)) {
      notes.add(`${bucket} were not reported and are not priced`);
      // Where a vendor charges nothing for it, there is nothing to be told.
      isWhole &&= !prices.some(({ price }) => price[own] !== undefined);
    }
  }
  return { state: 'estimated', usd, leastUSD, ...(isWhole ? { mostUSD } : {}), notes: [...notes] };
}

interface Part { readonly name: string | undefined; readonly buckets: Buckets }

function partsOf(usage: Usage, model: string | undefined): readonly Part[] {
  const split = Object.entries(usage.models ?? {}).map(([name, buckets]) => ({ name, buckets }));
  const rest = Object.fromEntries(PRICED.flatMap((bucket) => {
    const total = usage[bucket];
    if (total === undefined) return [];
    return [[bucket, Math.max(0, total - split.reduce((sum, { buckets }) => sum + (buckets[bucket] ?? 0), 0))]];
  })) as Buckets;
  return [...split, { name: model, buckets: rest }];
}

/** A total is not needed where every model of the split has its own count. */
function allReport(usage: Usage, bucket: (typeof PRICED)[number]): boolean {
  const split = Object.values(usage.models ?? {});
  return split.length > 0 && split.every((buckets) => buckets[bucket] !== undefined);
}

function priced(name: string, buckets: Buckets, { found, notes }: { readonly found: FoundPrice; readonly notes: Set<string> }): { readonly usd: number; readonly leastUSD: number; readonly mostUSD: number } {
  const { price } = found;
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheCreationTokens = 0 } = buckets;
  if (price.cacheReadPerMTok === undefined && cacheReadTokens > 0) notes.add(`${name}: cache reads have no price of their own and are priced as input, an upper bound`);
  if (price.cacheWritePerMTok === undefined && cacheCreationTokens > 0) notes.add(`${name}: cache writes have no price of their own and are priced as input`);
  const longWrites = found.longCacheWritePerMTok !== undefined && cacheCreationTokens > 0;
  if (longWrites) notes.add(`${name}: cache writes are priced as those of five minutes; those of an hour cost more`);
  const dearerTier = found.tierFrom !== undefined && inputTokens + cacheReadTokens + cacheCreationTokens > found.tierFrom;
  if (dearerTier) {
    notes.add(`${name}: requests of more than ${found.tierFrom} input tokens cost more, and how many there were is not known`);
  }
  const cost = (rate: ModelPrice, unpriced: number): number => (inputTokens * rate.inputPerMTok + outputTokens * rate.outputPerMTok
    + cacheReadTokens * (rate.cacheReadPerMTok ?? unpriced) + cacheCreationTokens * (rate.cacheWritePerMTok ?? unpriced)) / MTOK;
  const longest = found.longCacheWritePerMTok === undefined ? price : { ...price, cacheWritePerMTok: Math.max(price.cacheWritePerMTok ?? 0, found.longCacheWritePerMTok) };
  const dearest = dearerTier ? found.dearest : longest;
  return { usd: cost(price, price.inputPerMTok), leastUSD: cost(price, 0), mostUSD: cost(dearest, dearest.inputPerMTok) };
}
