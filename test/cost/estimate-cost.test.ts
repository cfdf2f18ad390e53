import { describe, expect, it } from 'vitest';
import { defineConfig, type ConfigInput } from '../../src/define/config.js';
import type { CostEstimate, Pricing } from '../../src/evidence/cost.js';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import type { Usage } from '../../src/evidence/usage.js';
import { attemptCostOf } from '../../src/run/attempt-cost.js';
import { estimateCost } from '../../src/run/estimate-cost.js';
import { priceOf } from '../../src/run/price-of.js';
import { attemptResult } from '../run/results.js';

const at = new Date('2026-11-30T00:00:00Z');
const FIVE_MINUTES = (model: string): string => `${model}: cache writes are priced as those of five minutes; those of an hour cost more`;

function usd(estimate: CostEstimate): number {
  if (estimate.state !== 'estimated') throw new Error(estimate.reason);
  return estimate.usd;
}

describe('an estimate', () => {
  it('is what Claude Code itself worked out for the same tokens', () => {
    // fixtures/agents/claude-code/2.1.197/tools-basic: total_cost_usd 0.0103925.
    const usage: Usage = { inputTokens: 126, outputTokens: 147, cacheReadTokens: 2550, cacheCreationTokens: 770 };
    const estimate = estimateCost(usage, 'claude-opus-4-8', { at });
    expect(usd(estimate)).toBeCloseTo(0.0103925, 12);
    expect(estimate).toMatchObject({ notes: [FIVE_MINUTES('claude-opus-4-8')] });
  });

  it('follows the published prices of GPT-5', () => {
    // platform.openai.com/docs/pricing: gpt-5 $1.25 input, $0.125 cached input, $10 output per million.
    // 2180 x 1.25 + 1920 x 0.125 + 55 x 10 = 2725 + 240 + 550 = 3515 millionths.
    expect(usd(estimateCost({ inputTokens: 2180, cacheReadTokens: 1920, cacheCreationTokens: 0, outputTokens: 55, reasoningTokens: 10 }, 'gpt-5', { at }))).toBeCloseTo(0.003515, 12);
  });

  it('prices each model of a split by its own price, helper models and subagents too', () => {
    // anthropic.com/pricing: Opus 4.1 $75, Haiku 4.5 $5 per million output tokens. 100 x 75 + 40 x 5 = 7700 millionths.
    const usage: Usage = { inputTokens: 0, outputTokens: 140, models: { 'claude-opus-4-1': { inputTokens: 0, outputTokens: 100 }, 'claude-haiku-4-5': { inputTokens: 0, outputTokens: 40 } } };
    expect(usd(estimateCost(usage, 'claude-opus-4-1', { at }))).toBeCloseTo(0.0077, 12);
    // Totals that leave the helper out lose to the split.
    expect(usd(estimateCost({ ...usage, outputTokens: 100 }, 'claude-opus-4-1', { at }))).toBeCloseTo(0.0077, 12);
  });

  it('prices what a split leaves over by the model of the run', () => {
    const usage: Usage = { inputTokens: 1_000_000, outputTokens: 30, models: { b: { inputTokens: 0, outputTokens: 10 } } };
    const pricing: Pricing = { a: { inputPerMTok: 1, outputPerMTok: 1_000_000 }, b: { inputPerMTok: 0, outputPerMTok: 2_000_000 } };
    expect(usd(estimateCost(usage, 'a', { pricing }))).toBe(1 + 20 + 20);
    expect(estimateCost(usage, undefined, { pricing })).toEqual({ state: 'unknown', leastUSD: 20, code: 'model-unknown', models: [], reason: 'the model of some of the tokens is not known' });
  });

  it('is unknown, never zero, for a model without a price, and names it', () => {
    expect(estimateCost({ inputTokens: 1, outputTokens: 1 }, 'claude-next-9', { at })).toEqual({ state: 'unknown', leastUSD: 0, code: 'model-unpriced', models: ['claude-next-9'], reason: 'unpriced: claude-next-9. Add a price to `pricing` of defineConfig' });
    const split: Usage = { inputTokens: 2, outputTokens: 2, models: { 'gpt-5': { inputTokens: 1, outputTokens: 1 }, x: { inputTokens: 1, outputTokens: 1 }, '<synthetic>': { inputTokens: 0, outputTokens: 0 } } };
    expect(estimateCost(split, 'gpt-5', { at })).toMatchObject({ state: 'unknown', leastUSD: 0.00001125, models: ['x'] });
  });

  it.each<[string, Usage, number, string]>([
    ['nothing', {}, 0, 'not reported: inputTokens, outputTokens'],
    ['no output', { inputTokens: 1_000_000 }, 1.25, 'not reported: outputTokens'],
    ['only an observed cost', { costUSD: 3 }, 0, 'not reported: inputTokens, outputTokens'],
  ])('is unknown when %s was reported', (_what, usage, leastUSD, reason) => {
    expect(estimateCost(usage, 'gpt-5', { at })).toEqual({ state: 'unknown', leastUSD, code: 'usage-bucket-missing', models: [], reason });
  });

  it('does not look at an observed cost, be it zero or not', () => {
    const tokens: Usage = { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
    for (const usage of [tokens, { ...tokens, costUSD: 0 }, { ...tokens, costUSD: 5.1 }]) expect(estimateCost(usage, 'gpt-5', { at })).toEqual({ state: 'estimated', usd: 1.25, leastUSD: 1.25, mostUSD: 1.25, notes: [] });
  });

  it('prices a cache bucket without a price of its own as input, and says so', () => {
    const pricing: Pricing = { m: { inputPerMTok: 2, outputPerMTok: 8 } };
    expect(estimateCost({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 500_000, cacheCreationTokens: 250_000 }, 'm', { pricing })).toEqual({
      state: 'estimated', usd: 1.5, leastUSD: 0, mostUSD: 1.5, notes: ['m: cache reads have no price of their own and are priced as input, an upper bound', 'm: cache writes have no price of their own and are priced as input'],
    });
  });

  it('tells no most where something that is charged for was not told, and the dearest rate where it may apply', () => {
    const pricing: Pricing = { own: { inputPerMTok: 1, outputPerMTok: 1, cacheReadPerMTok: 0.1 }, plain: { inputPerMTok: 1, outputPerMTok: 1 } };
    const most = (usage: Usage, model: string) => { const estimate = estimateCost(usage, model, { pricing, at }); return estimate.state === 'estimated' ? estimate.mostUSD : estimate.reason; };
    expect(most({ inputTokens: 1_000_000, outputTokens: 0 }, 'own')).toBe(undefined);
    expect(most({ inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0 }, 'own')).toBe(1);
    expect(most({ inputTokens: 1_000_000, outputTokens: 0 }, 'plain')).toBe(1);
    // anthropic.com/pricing: Sonnet 4.5 writes the cache for $3.75 (five minutes) or $6 (an hour).
    expect(most({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 100_000 }, 'claude-sonnet-4-5')).toBeCloseTo(0.6, 12);
  });

  it('says what was not reported, and where a long context costs more', () => {
    expect(estimateCost({ inputTokens: 1, outputTokens: 0 }, 'gpt-5', { at })).toMatchObject({ notes: ['cacheReadTokens were not reported and are not priced', 'cacheCreationTokens were not reported and are not priced'] });
    // anthropic.com/pricing: Sonnet 4.5 costs more in requests of more than 200,000 tokens; $3 below.
    expect(estimateCost({ inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 }, 'claude-sonnet-4-5', { at })).toEqual({
      // ... and $6 above.
      state: 'estimated', usd: 3, leastUSD: 3, mostUSD: 6, notes: ['claude-sonnet-4-5: requests of more than 200000 input tokens cost more, and how many there were is not known'],
    });
  });
});

describe('a price is looked up', () => {
  const flat = (price: number): Pricing[string] => ({ inputPerMTok: price, outputPerMTok: price });
  it.each<[string, string, Pricing, number | undefined]>([
    ['by the exact id first', 'openai/gpt-5', { 'openai/gpt-5': flat(1), 'openai/*': flat(2), 'gpt-5': flat(3) }, 1],
    ['then by provider', 'openai/gpt-5', { 'openai/*': flat(2), 'gpt-5': flat(3) }, 2],
    ['by the provider that owns a bare name', 'claude-next-9', { 'anthropic/*': flat(2), 'openai/*': flat(3) }, 2],
    ['then in the built-in list', 'gpt-5', { other: flat(9) }, 1.25],
    ['then by the bare name', 'openai/gpt-5', { 'gpt-5': flat(3) }, 3],
    ['in the built-in list by the bare name', 'any/where/gpt-5', {}, 1.25],
    ['then without YYYYMMDD', 'my-model-20260101', { 'my-model': flat(4) }, 4],
    ['then without YYYY-MM-DD', 'x/my-model-2026-01-01', { 'my-model': flat(4) }, 4],
    ['in the built-in list without its date', 'anthropic/claude-opus-4-1-20250805', {}, 15],
    ['but not by resemblance', 'claude-opus-4-1-turbo', {}, undefined],
    ['nor by what every object has', 'constructor', {}, undefined],
    ['nor where nobody knows it', 'gpt-6.2-sol', {}, undefined],
  ])('%s', (_what, model, pricing, input) => {
    expect(priceOf(model, pricing, at)?.price.inputPerMTok).toBe(input);
  });
});

describe('the result of an Attempt', () => {
  const { turns, usage } = attemptResult();
  const pricing: Pricing = { m: { inputPerMTok: 10_000, outputPerMTok: 50_000, cacheReadPerMTok: 1 } };
  const none = ['cacheReadTokens were not reported and are not priced', 'cacheCreationTokens were not reported and are not priced'];

  it('holds the estimate, or why there is none', () => {
    expect(attemptCostOf({ turns, usage, model: 'm', pricing })).toEqual({ estimatedCostUSD: 2, estimateNotes: none });
    expect(attemptCostOf({ turns, usage, model: 'claude-next-9' })).toEqual({ unpriced: { models: ['claude-next-9'], reason: 'unpriced: claude-next-9. Add a price to `pricing` of defineConfig' } });
  });

  it('is a lower bound when the usage of a turn is incomplete, and unknown when there is none', () => {
    const [turn] = turns;
    if (turn === undefined) throw new Error('no turn');
    const cut = { ...turn, coverage: { ...completeEvidenceCoverage, usage: { status: 'partial', reason: 'killed' } as const } };
    expect(attemptCostOf({ turns: [cut], usage, model: 'm', pricing }).estimateNotes).toEqual([...none, 'turn1: usage is incomplete, so this is a lower bound: killed']);
    const { usage: _usage, ...silent } = { ...cut, label: 'turn2' };
    expect(attemptCostOf({ turns: [turn, silent], usage, model: 'm', pricing })).toEqual({ unpriced: { models: [], reason: 'turn2: no usage is known: killed' } });
  });
});

describe('defineConfig', () => {
  it('keeps prices', () => {
    const pricing: Pricing = { 'openai/*': { inputPerMTok: 0, outputPerMTok: 1.5, cacheReadPerMTok: 0.1, cacheWritePerMTok: 2 } };
    expect(defineConfig({ pricing })).toEqual({ pricing });
  });

  it.each<[string, unknown]>([
    ['a negative price', { m: { inputPerMTok: -1, outputPerMTok: 1 } }],
    ['a price that is no number', { m: { inputPerMTok: '1', outputPerMTok: 1 } }],
    ['an endless price', { m: { inputPerMTok: Infinity, outputPerMTok: 1 } }],
    ['a price without output', { m: { inputPerMTok: 1 } }],
    ['a field that it does not know', { m: { inputPerMTok: 1, outputPerMTok: 1, input: 2 } }],
  ])('refuses %s', (_what, pricing) => {
    expect(() => defineConfig({ pricing } as ConfigInput)).toThrow('defineConfig: `pricing` must be an object of prices: { inputPerMTok, outputPerMTok, cacheReadPerMTok?, cacheWritePerMTok? }, numbers of at least 0; look at "m".');
  });
});
