import { describe, expect, test } from 'vitest';
import type { ClaimOutcome } from '../../src/assert/claim.js';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import { maxCost, maxDuration, maxRequests, maxTokens, maxTurns, type MaxTokensOptions } from '../../src/assert/limits.js';
import type { TurnConsumption } from '../../src/assert/scope.js';
import { maxToolCalls, noFailedActions, usedNoTools } from '../../src/assert/tool-claims.js';
import type { Pricing } from '../../src/evidence/cost.js';
import type { StreamEvent } from '../../src/evidence/events.js';
import type { Usage } from '../../src/evidence/usage.js';
import { estimateCost } from '../../src/run/estimate-cost.js';
import { outcomeOf } from './outcomes.js';
import { call, coverageWith, delegation, orphanEnd, scopeOf, turnOf, undecidable } from './scopes.js';

const MATCHED: ClaimOutcome = { status: 'matched' };
const CUT = 'turn1: usage coverage is partial: the stream was cut';
const cut = { gap: CUT };

describe('maxTokens', () => {
  const all: Usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 100, cacheCreationTokens: 20, reasoningTokens: 4 };
  const over = (expected: string, received: string): ClaimOutcome => ({ status: 'mismatched', expected, received });
  test.each<[string, readonly TurnConsumption[], number, MaxTokensOptions, ClaimOutcome]>([
    ['input and output', [turnOf(all)], 15, {}, MATCHED],
    ['one too many', [turnOf(all)], 14, {}, over('at most 14 tokens', '15')],
    ['with the cache', [turnOf(all)], 135, { cache: true }, MATCHED],
    ['with the cache, one too many', [turnOf(all)], 134, { cache: true }, over('at most 134 tokens with cache', '135')],
    ['without the cache, said so', [turnOf(all)], 15, { cache: false }, MATCHED],
    ['of all turns together', [turnOf(all), turnOf(all)], 29, {}, over('at most 29 tokens', '30')],
    ['zero of nothing', [], 0, {}, MATCHED],
    ['one', [turnOf({ inputTokens: 1, outputTokens: 1 })], 1, {}, over('at most 1 token', '2')],
    ['a bucket that was not reported', [turnOf({ inputTokens: 10 })], 15, {}, { status: 'unavailable', code: 'usage-bucket-missing', reason: 'turn1: not reported: outputTokens' }],
    ['a bucket that was not reported, and too many without it', [turnOf({ inputTokens: 16 })], 15, {}, over('at most 15 tokens', '16 or more')],
    ['a cache bucket that was not asked for', [turnOf({ inputTokens: 1, outputTokens: 1 })], 15, {}, MATCHED],
    ['a cache bucket that was not reported', [turnOf({ inputTokens: 1, outputTokens: 1 })], 15, { cache: true }, { status: 'unavailable', code: 'usage-bucket-missing', reason: 'turn1: not reported: cacheReadTokens, cacheCreationTokens' }],
    ['nothing reported at all', [turnOf(undefined)], 15, {}, { status: 'unavailable', code: 'usage-bucket-missing', reason: 'turn1: not reported: inputTokens, outputTokens' }],
    ['usage that was cut', [turnOf(all, cut)], 15, {}, { status: 'unavailable', code: 'usage-coverage-incomplete', reason: CUT }],
    ['usage that was cut, and too many already', [turnOf(all, cut)], 14, {}, over('at most 14 tokens', '15 or more')],
    ['one turn of two that was cut, and too many together', [turnOf(all), turnOf(all, cut)], 20, {}, over('at most 20 tokens', '30 or more')],
  ])('%s', async (_what, turns, most, options, outcome) => {
    expect(await outcomeOf(maxTokens(scopeOf({ turns }), most, options))).toEqual(outcome);
  });
});

describe('maxRequests', () => {
  test.each<[string, readonly TurnConsumption[], ClaimOutcome]>([
    ['as many as allowed', [turnOf({ requests: 1 }), turnOf({ requests: 1 })], MATCHED],
    ['more', [turnOf({ requests: 3 })], { status: 'mismatched', expected: 'at most 2 model requests', received: '3' }],
    ['that nobody counted', [turnOf({ inputTokens: 1, outputTokens: 1 })], { status: 'unavailable', code: 'usage-bucket-missing', reason: 'turn1: not reported: requests' }],
    ['of which some were not seen', [turnOf({ requests: 1 }, cut)], { status: 'unavailable', code: 'usage-coverage-incomplete', reason: CUT }],
  ])('%s', async (_what, turns, outcome) => {
    expect(await outcomeOf(maxRequests(scopeOf({ turns }), 2))).toEqual(outcome);
  });
});

describe('maxCost', () => {
  /** A dollar for a million of each; `cached` also has prices of its own for the cache. */
  const pricing: Pricing = {
    plain: { inputPerMTok: 1, outputPerMTok: 1 },
    cached: { inputPerMTok: 1, outputPerMTok: 1, cacheReadPerMTok: 0.1, cacheWritePerMTok: 2 },
  };
  const turn = (model: string | undefined, usage: Usage, more: Partial<TurnConsumption> = {}): TurnConsumption => turnOf(usage, { estimate: () => estimateCost(usage, model, { pricing }), ...more });
  const MILLION = { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
  const READ = { ...MILLION, cacheReadTokens: 1_000_000 };
  const over = (received: string): ClaimOutcome => ({ status: 'mismatched', expected: 'at most 1.5 USD by estimate', received });
  test.each<[string, readonly TurnConsumption[], ClaimOutcome]>([
    ['below the limit', [turn('cached', MILLION)], MATCHED],
    ['at the limit', [turn('cached', { ...MILLION, outputTokens: 500_000 })], MATCHED],
    ['above it', [turn('cached', { ...MILLION, outputTokens: 500_001 })], over('1.500001')],
    ['above it in two turns', [turn('cached', MILLION), turn('plain', MILLION)], over('2')],
    ['the cache by its own price', [turn('cached', READ)], MATCHED],
    ['what was observed plays no part: more', [turn('cached', { ...MILLION, costUSD: 99 })], MATCHED],
    ['what was observed plays no part: less', [turn('cached', { ...MILLION, outputTokens: 1_000_000, costUSD: 0 })], over('2')],
    [
      'a cache without a price of its own, which passes the limit only as input', [turn('plain', READ)],
      { status: 'unavailable', code: 'estimate-too-wide', reason: 'between 1 and 2: plain: cache reads have no price of their own and are priced as input, an upper bound' },
    ],
    [
      'such a cache that stays below the limit even as input', [turn('plain', { ...READ, cacheReadTokens: 500_000 })],
      { status: 'matched', note: '1.5: plain: cache reads have no price of their own and are priced as input, an upper bound' },
    ],
    ['such a cache where the rest is too much already', [turn('plain', { ...READ, outputTokens: 600_000 })], over('1.6')],
    [
      'a model without a price', [turn('claude-next-9', MILLION)],
      { status: 'unavailable', code: 'model-unpriced', reason: 'turn1: unpriced: claude-next-9. Add a price to `pricing` of defineConfig' },
    ],
    ['a model without a price beside one that is too much already', [turn('claude-next-9', MILLION), turn('cached', { ...MILLION, outputTokens: 1_000_000 })], over('2 or more')],
    [
      'a split of which one model has no price, and the other is too much already',
      [turn('cached', { inputTokens: 2_000_001, outputTokens: 0, models: { cached: { inputTokens: 2_000_000, outputTokens: 0 }, 'claude-next-9': { inputTokens: 1, outputTokens: 0 } } })], over('2 or more'),
    ],
    ['a model that nobody named', [turn(undefined, MILLION)], { status: 'unavailable', code: expect.any(String) as string, reason: 'turn1: the model of some of the tokens is not known' }],
    ['output that was not reported', [turn('cached', { inputTokens: 1 })], { status: 'unavailable', code: 'usage-bucket-missing', reason: 'turn1: not reported: outputTokens' }],
    ['output that was not reported, and too much without it', [turn('cached', { inputTokens: 2_000_000 })], over('2 or more')],
    ['only an observed cost', [turn('cached', { costUSD: 0.1 })], { status: 'unavailable', code: 'usage-bucket-missing', reason: 'turn1: not reported: inputTokens, outputTokens' }],
    ['usage that was cut', [turn('cached', MILLION, cut)], { status: 'unavailable', code: 'usage-coverage-incomplete', reason: CUT }],
    ['usage that was cut, and too much already', [turn('cached', { ...MILLION, outputTokens: 1_000_000 }, cut)], over('2 or more')],
    ['no usage', [turnOf(undefined)], { status: 'unavailable', code: 'usage-coverage-incomplete', reason: 'turn1: no usage is known' }],
    ['nothing sent', [], MATCHED],
  ])('%s', async (_what, turns, outcome) => {
    expect(await outcomeOf(maxCost(scopeOf({ turns }), 1.5))).toEqual(outcome);
  });

  test('adds as people do: ten cents and twenty are thirty', async () => {
    const turns = [100_000, 200_000].map((inputTokens) => turn('cached', { ...MILLION, inputTokens }));
    expect(await outcomeOf(maxCost(scopeOf({ turns }), 0.3))).toEqual(MATCHED);
    expect((await outcomeOf(maxCost(scopeOf({ turns }), 0.299))).status).toBe('mismatched');
  });
});

describe('maxDuration and maxTurns', () => {
  const turns = [turnOf(undefined, { durationMs: 40 }), turnOf(undefined, { durationMs: 60.5, ...cut })];
  test.each<[string, () => ReturnType<typeof maxTurns>, ClaimOutcome]>([
    ['time at the limit', () => maxDuration(scopeOf({ turns }), 100.5), MATCHED],
    ['time above it', () => maxDuration(scopeOf({ turns }), 100), { status: 'mismatched', expected: 'at most 100 ms', received: '100.5' }],
    ['no time at all', () => maxDuration(scopeOf({ turns: [] }), 0), MATCHED],
    ['turns at the limit', () => maxTurns(scopeOf({ turns }), 2), MATCHED],
    ['turns above it', () => maxTurns(scopeOf({ turns }), 1), { status: 'mismatched', expected: 'at most 1 turn', received: '2' }],
    ['turns while one is under way', () => maxTurns(scopeOf({ turns, running: true }), 2), { status: 'unavailable', code: 'scope-still-running', reason: 'a send of turn 1 is still under way' }],
    ['turns above it while one is under way', () => maxTurns(scopeOf({ turns, running: true }), 1), { status: 'mismatched', expected: 'at most 1 turn', received: '2 or more' }],
  ])('%s', async (_what, claim, outcome) => {
    expect(await outcomeOf(claim())).toEqual(outcome);
  });
});

describe('usedNoTools and maxToolCalls count delegations too', () => {
  test.each<[string, readonly StreamEvent[], ClaimOutcome, ClaimOutcome]>([
    ['nothing', [], MATCHED, MATCHED],
    ['one call', call('Edit'), { status: 'mismatched', expected: 'no tool call', received: '1: Edit' }, MATCHED],
    ['one subagent', delegation('helper'), { status: 'mismatched', expected: 'no tool call', received: '1: subagents helper' }, MATCHED],
    [
      'a call and a subagent', [...call('Edit'), ...delegation('helper')],
      { status: 'mismatched', expected: 'no tool call', received: '2: Edit, subagents helper' }, { status: 'mismatched', expected: 'at most 1 tool call', received: '2: Edit, subagents helper' },
    ],
    ['calls that were refused or never ended', [...call('Edit', 'rejected'), ...call('Edit', 'pending')], { status: 'mismatched', expected: 'no tool call', received: '2: Edit (2 times)' }, { status: 'mismatched', expected: 'at most 1 tool call', received: '2: Edit (2 times)' }],
    ['calls whose ends are open', undecidable('Edit'), { status: 'mismatched', expected: 'no tool call', received: '2: Edit (2 times)' }, { status: 'mismatched', expected: 'at most 1 tool call', received: '2: Edit (2 times)' }],
    [
      'an end without a start', [orphanEnd()],
      { status: 'unavailable', code: 'orphan-end', reason: '1 tool calls ended that were not seen to start' }, { status: 'unavailable', code: 'orphan-end', reason: '1 tool calls ended that were not seen to start' },
    ],
    [
      'a subagent that was not seen to start', [orphanEnd('subagent')],
      { status: 'unavailable', code: 'orphan-end', reason: '1 subagents ended that were not seen to start' }, { status: 'unavailable', code: 'orphan-end', reason: '1 subagents ended that were not seen to start' },
    ],
  ])('%s', async (_what, events, noTools, atMostOne) => {
    expect(await outcomeOf(usedNoTools(scopeOf({ events })))).toEqual(noTools);
    expect(await outcomeOf(maxToolCalls(scopeOf({ events }), 1))).toEqual(atMostOne);
  });

  test('an end of a start before the scope is none of it, and no orphan', async () => {
    const [start, end] = call('Edit', 'completed', 'a') as [StreamEvent, StreamEvent];
    const [asked, answered] = delegation('helper', 'completed', 'b') as [StreamEvent, StreamEvent];
    const sessions = [{ earlier: [start, asked], events: [end, answered], statuses: [] }];
    expect(await outcomeOf(usedNoTools(scopeOf({ sessions })))).toEqual(MATCHED);
  });
});

describe('noFailedActions', () => {
  const failure = (received: string): ClaimOutcome => ({ status: 'mismatched', expected: 'no failed action', received });
  test.each<[string, readonly StreamEvent[], ClaimOutcome]>([
    ['nothing', [], MATCHED],
    ['a call that completed', call('Edit'), MATCHED],
    ['a call that a person refused', call('Edit', 'rejected'), MATCHED],
    ['a call that never ended', call('Edit', 'pending'), MATCHED],
    ['a call that failed', call('Edit', 'failed', 'a'), failure('1 failed, first Edit (a)')],
    ['a subagent that failed', delegation('helper', 'failed', 'b'), failure('1 failed, first helper (b)')],
    ['a subagent that completed', delegation('helper'), MATCHED],
    ['several that failed', [...call('Edit', 'failed', 'a'), ...delegation('helper', 'failed')], failure('2 failed, first Edit (a)')],
    ['a failed end without a start', [{ type: 'operation.finished', operationId: 'x', kind: 'tool', status: 'failed' }], failure('1 failed, first an action (x)')],
    ['a failed end without a start of a subagent', [{ type: 'operation.finished', operationId: 'x', kind: 'subagent', status: 'failed' }], failure('1 failed, first an action (x)')],
    ['a completed end without a start', [orphanEnd()], MATCHED],
    ['two calls under one id of which one failed', [...call('Edit', 'pending', 'a'), ...call('Bash', 'failed', 'a')], failure('1 failed, first an action (a)')],
  ])('%s', async (_what, events, outcome) => {
    expect(await outcomeOf(noFailedActions(scopeOf({ events })))).toEqual(outcome);
  });

  test.each(['partial', 'unavailable'] as const)('a failure that was seen stands where actions are %s', async (level) => {
    const coverage = coverageWith('actions', level);
    expect((await outcomeOf(noFailedActions(scopeOf({ events: call('Edit', 'failed'), coverage })))).status).toBe('mismatched');
    expect(await outcomeOf(noFailedActions(scopeOf({ events: call('Edit'), coverage })))).toEqual({
      status: 'unavailable', code: `actions-coverage-${level}`, reason: `actions coverage is ${level}: the stream was cut`,
    });
  });
});

const LIMITS: readonly [string, (limit: never) => unknown, 'whole' | 'finite'][] = [
  ['maxTokens', (limit) => maxTokens(scopeOf({}), limit), 'whole'], ['maxRequests', (limit) => maxRequests(scopeOf({}), limit), 'whole'],
  ['maxTurns', (limit) => maxTurns(scopeOf({}), limit), 'whole'], ['maxToolCalls', (limit) => maxToolCalls(scopeOf({}), limit), 'whole'],
  ['maxCost', (limit) => maxCost(scopeOf({}), limit), 'finite'], ['maxDuration', (limit) => maxDuration(scopeOf({}), limit), 'finite'],
];
describe.each(LIMITS)('%s', (name, make, kind) => {
  test.each<[unknown, string]>([[-1, '-1'], [Number.NaN, 'NaN'], [Infinity, 'Infinity'], ['5', '"5"'], [undefined, 'undefined'], ...(kind === 'whole' ? [[0.5, '0.5'] as [number, string]] : [])])('refuses %s', (limit, shown) => {
    expect(() => make(limit as never)).toThrow(new ClaimAuthoringError(`${name} needs a ${kind} number of at least 0, not ${shown}.`));
  });

  test('takes zero', () => {
    expect(() => make(0 as never)).not.toThrow();
  });
});

test.each<[string, unknown, string]>([
  ['an unknown option', { caches: true }, 'maxTokens does not know the option "caches". It knows cache.'],
  ['a cache that is neither', { cache: 1 }, 'maxTokens: `cache` must be true or false.'],
])('maxTokens refuses %s', (_what, options, message) => {
  expect(() => maxTokens(scopeOf({}), 1, options as never)).toThrow(new ClaimAuthoringError(message));
});
