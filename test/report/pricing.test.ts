import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ReportInputError } from '../../src/report/errors.js';
import { builtInPricingProfile } from '../../src/report/pricing/built-in.js';
import { decimalOf, plus, priceFor, textOf, ZERO } from '../../src/report/pricing/decimal.js';
import { costSumText, costText } from '../../src/report/pricing/cost-text.js';
import { definePricingProfile } from '../../src/report/pricing/profile.js';
import { projectCost, sumCosts } from '../../src/report/pricing/project-cost.js';

const startedAt = '2026-01-15T10:00:00.000Z';
const profile = definePricingProfile({ name: 'mine', prices: { 'm-1': { inputPerMTok: 0.1, outputPerMTok: '0.2', cacheReadPerMTok: 0.01 }, 'm-2': { inputPerMTok: 3, outputPerMTok: 15 } } });

describe('decimals', () => {
  test.each([[0.1, '0.1'], ['0.10', '0.1'], [3, '3'], ['3e-7', '0.0000003'], [1e21, '1000000000000000000000'], ['0', '0'], ['000.5', '0.5']])('%j is written %s', (value, text) => {
    expect(textOf(decimalOf(value) ?? ZERO)).toBe(text);
  });

  test.each([[-1], [NaN], [Infinity], ['1,5'], ['.5'], [''], ['0x10'], ['1e9999']])('%j is none', (value) => {
    expect(decimalOf(value)).toBeUndefined();
  });

  test('add up without the noise of binary fractions', () => {
    expect(0.1 + 0.2).not.toBe(0.3);
    expect(textOf(plus(decimalOf(0.1) ?? ZERO, decimalOf(0.2) ?? ZERO))).toBe('0.3');
    expect(textOf(priceFor(1, decimalOf('0.0375') ?? ZERO))).toBe('0.0000000375');
  });

  test('add up as whole numbers of their last place do', () => {
    fc.assert(fc.property(fc.bigInt(0n, 10n ** 20n), fc.bigInt(0n, 10n ** 20n), fc.nat(12), (a, b, scale) => {
      expect(textOf(plus({ units: a, scale }, { units: b, scale }))).toBe(textOf({ units: a + b, scale }));
    }));
  });
});

describe('the cost of usage by a profile', () => {
  test('is exact, whatever was observed or estimated', () => {
    // 1,000,003 x 0.1 + 7 x 0.2 + 10 x 0.01 per million
    expect(projectCost({ usage: { inputTokens: 1_000_003, outputTokens: 7, cacheReadTokens: 10, costUSD: 99 }, model: 'm-1', startedAt }, profile))
      .toEqual({ state: 'known', usd: '0.1000018', unpricedModels: [], reasons: [], notes: [] });
  });

  test('goes by the model of each part, and by the Attempt\'s own for what is left over', () => {
    expect(projectCost({ usage: { inputTokens: 1_500_000, outputTokens: 100_000, models: { 'm-2': { inputTokens: 1_000_000, outputTokens: 100_000 } } }, model: 'm-1', startedAt }, profile))
      .toMatchObject({ state: 'known', usd: '4.55' });
  });

  test.each([
    ['a model without a price', { usage: { inputTokens: 10, outputTokens: 10, models: { 'm-1': { inputTokens: 10, outputTokens: 5 }, other: { outputTokens: 5 } } }, startedAt }, { state: 'partial', usd: '0.000002', unpricedModels: ['other'], reasons: ['other: no price'] }],
    ['a bucket without a price', { usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 5 }, model: 'm-2', startedAt }, { state: 'partial', usd: '0.000018', reasons: ['m-2: cache reads have no price'] }],
    ['a bucket that was not reported', { usage: { outputTokens: 1 }, model: 'm-2', startedAt }, { state: 'partial', usd: '0.000015', reasons: ['input tokens were not reported'] }],
    ['a turn that told nothing', { usage: { inputTokens: 1, outputTokens: 1 }, model: 'm-2', usageIncomplete: true, startedAt }, { state: 'partial', usd: '0.000018', reasons: ['a turn did not report all of its usage'] }],
    ['nothing but an unknown model', { usage: { inputTokens: 1, outputTokens: 1 }, model: 'x', startedAt }, { state: 'unknown', unpricedModels: ['x'], reasons: ['x: no price'] }],
    ['no model at all', { usage: { inputTokens: 1, outputTokens: 1 }, startedAt }, { state: 'unknown', unpricedModels: [], reasons: ['the model of some tokens is not known'] }],
    ['no usage', { usage: {}, model: 'm-1', startedAt }, { state: 'unknown', reasons: ['input tokens were not reported', 'output tokens were not reported'] }],
    ['a model of a similar name', { usage: { inputTokens: 1, outputTokens: 1 }, model: 'm-1-20260101', startedAt }, { state: 'unknown', unpricedModels: ['m-1-20260101'] }],
    ['a model called as what every object has', { usage: { inputTokens: 1, outputTokens: 1 }, model: 'constructor', startedAt }, { state: 'unknown', unpricedModels: ['constructor'] }],
  ])('is not known whole with %s', (_what, sealed, expected) => {
    expect(projectCost(sealed, profile)).toMatchObject(expected);
    expect('usd' in projectCost(sealed, profile)).toBe('usd' in expected);
  });

  test('no tokens cost nothing, at any price', () => {
    expect(projectCost({ usage: { inputTokens: 0, outputTokens: 0 }, model: 'x', startedAt }, profile)).toMatchObject({ state: 'known', usd: '0' });
  });

  test('adds up, and says of how many it is not known', () => {
    const costs = [0, 1, 2].map((tokens) => projectCost({ usage: { inputTokens: tokens * 1_000_000, outputTokens: 0 }, model: tokens === 2 ? 'x' : 'm-1', startedAt }, profile));
    const sum = sumCosts(costs);
    expect([sum, costSumText(sum), costs.map(costText)]).toEqual([{ usd: '0.1', known: 2, partial: 0, unknown: 1, unpricedModels: ['x'] }, '>=$0.10', ['$0.00', '$0.10', '-']]);
    expect(sumCosts([])).toEqual({ known: 0, partial: 0, unknown: 0, unpricedModels: [] });
  });
});

describe('the built-in profile', () => {
  const millions = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

  // https://openai.com/api/pricing: gpt-4o at $2.50 and $10 per million tokens.
  test('has list prices of models that it lists by this very name', () => {
    expect(projectCost({ usage: millions, model: 'gpt-4o', startedAt }, builtInPricingProfile)).toMatchObject({ state: 'known', usd: '12.5' });
  });

  test.each(['gpt-4o-some-day', 'openai/gpt-4o', 'gpt-4o '])('has none for "%s"', (model) => {
    expect(projectCost({ usage: millions, model, startedAt }, builtInPricingProfile)).toMatchObject({ state: 'unknown', unpricedModels: [model] });
  });
});

test.each([
  ['no name', { prices: {} }, /name/],
  ['a negative price', { name: 'x', prices: { m: { inputPerMTok: -1, outputPerMTok: 1 } } }, /prices\.m\.inputPerMTok: must be a decimal number of at least 0/],
  ['a misspelt bucket', { name: 'x', prices: { m: { inputPerMTok: 1, outputPerMTok: 1, cachePerMTok: 1 } } }, /cachePerMTok/],
  ['a list', [], /This is no pricing profile/],
])('a profile with %s is refused with what is wrong', (_what, input, message) => {
  expect(() => definePricingProfile(input as never)).toThrow(ReportInputError);
  expect(() => definePricingProfile(input as never)).toThrow(message);
});
