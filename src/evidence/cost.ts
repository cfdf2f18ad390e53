import { z } from 'zod';

/** What a million tokens of each bucket cost, in US dollars. A cache bucket left out is priced as input. */
export interface ModelPrice {
  readonly inputPerMTok: number;
  readonly outputPerMTok: number;
  readonly cacheReadPerMTok?: number;
  readonly cacheWritePerMTok?: number;
}

/** Prices by the id of a model, or by `provider/*` for every model of a provider. */
export type Pricing = Readonly<Record<string, ModelPrice>>;

/** What usage comes to by a price table. An estimate: what was really billed is `costUSD` of usage, where it was observed. */
export type CostEstimate =
  | {
      readonly state: 'estimated';
      readonly usd: number;
      /** Without what is only known from above: a cache bucket without a price of its own is priced as input. */
      readonly leastUSD: number;
      /** At the dearest rate that may apply: of long contexts, of cache writes that live longer. Absent: a bucket that is charged for was not told. */
      readonly mostUSD?: number;
      /** What makes it more or less than the bill. */
      readonly notes: readonly string[];
    }
  | {
      readonly state: 'unknown';
      /** What has a price comes to this at least. */
      readonly leastUSD: number;
      readonly code: 'usage-bucket-missing' | 'model-unknown' | 'model-unpriced';
      /** Models without a price. */
      readonly models: readonly string[];
      readonly reason: string;
    };

const price = z.number().nonnegative();

export const modelPriceSchema = z.strictObject({
  inputPerMTok: price,
  outputPerMTok: price,
  cacheReadPerMTok: price.exactOptional(),
  cacheWritePerMTok: price.exactOptional(),
});
