import { describe, expect, test } from 'vitest';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import type { TestContext } from '../../src/define/context.js';
import { eventMatch } from '../../src/expect/event.js';
import { equals } from '../../src/expect/values.js';
import { call } from '../assert/scopes.js';
import { openPassTest } from './contexts.js';

const ANSWERS = {
  edit: { events: [...call('Edit', 'completed', 'a'), ...call('Bash', 'failed', 'b'), { type: 'compaction' as const }], usage: { inputTokens: 5, outputTokens: 5, requests: 2 } },
};

/** Each claim that could come out otherwise when more is sent. */
const CLAIMS: readonly [string, (t: TestContext) => unknown, before: string, after: string][] = [
  ['calledTool', (t) => t.calledTool('Edit'), 'mismatched', 'matched'],
  ['notCalledTool', (t) => t.notCalledTool('Edit'), 'matched', 'mismatched'],
  ['toolOrder', (t) => t.toolOrder(['Edit', 'Bash']), 'mismatched', 'matched'],
  ['usedNoTools', (t) => t.usedNoTools(), 'matched', 'mismatched'],
  ['maxToolCalls', (t) => t.maxToolCalls(1), 'matched', 'mismatched'],
  ['noFailedActions', (t) => t.noFailedActions(), 'matched', 'mismatched'],
  ['event', (t) => t.event('compaction'), 'mismatched', 'matched'],
  ['notEvent', (t) => t.notEvent('compaction'), 'matched', 'mismatched'],
  ['eventOrder', (t) => t.eventOrder([eventMatch('message', { role: 'user' }), 'compaction']), 'mismatched', 'matched'],
  ['maxTokens', (t) => t.maxTokens(9), 'matched', 'mismatched'],
  ['maxRequests', (t) => t.maxRequests(1), 'matched', 'mismatched'],
  ['maxDuration', (t) => t.maxDuration(1), 'matched', 'mismatched'],
  ['maxTurns', (t) => t.maxTurns(1), 'matched', 'mismatched'],
];

describe('a claim is about what was seen when it was made', () => {
  test.each(CLAIMS)('%s', async (_name, claim, before, after) => {
    const { t, claims } = openPassTest({ answers: { ...ANSWERS, hello: { usage: { inputTokens: 0, outputTokens: 0, requests: 0 } } } });
    await t.send('hello');
    claim(t);
    await t.send('edit');
    claim(t);
    expect((await claims.settle()).map(({ state }) => state)).toEqual([before, after]);
  });

  test('maxCost', async () => {
    const { t, claims } = openPassTest({ answers: ANSWERS, estimate: ({ inputTokens = 0 }) => ({ state: 'estimated', usd: inputTokens, leastUSD: inputTokens, mostUSD: inputTokens, notes: [] }) });
    await t.send('hello');
    t.maxCost(4);
    await t.send('edit');
    t.maxCost(4);
    expect((await claims.settle()).map(({ state }) => state)).toEqual(['matched', 'mismatched']);
  });

  test('and while a send is under way nothing about it is complete', async () => {
    const meanwhile = (): void => {
      t.notCalledTool('Edit');
      t.session.notCalledTool('Edit');
      t.newSession().notCalledTool('Edit');
    };
    const { t, claims } = openPassTest({ answers: ANSWERS, meanwhile });
    await t.send('edit');
    t.notCalledTool('Write');
    expect((await claims.settle()).map(({ state, code }) => code ?? state)).toEqual(['scope-still-running', 'scope-still-running', 'matched', 'matched']);
  });
});

describe('an argument too many is refused', () => {
  test.each<[string, (t: Record<string, (...given: unknown[]) => unknown>) => unknown, string]>([
    ['succeeded', (t) => t['succeeded']?.(true), 'succeeded() takes no arguments, not 1.'],
    ['calledTool', (t) => t['calledTool']?.('Edit', {}, 1), 'calledTool() takes 2 arguments at the most, not 3.'],
    ['notCalledTool', (t) => t['notCalledTool']?.('Edit', { count: 1 }), 'notCalledTool() takes 1 argument at the most, not 2.'],
    ['toolOrder', (t) => t['toolOrder']?.(['a', 'b'], 'c'), 'toolOrder() takes 1 argument at the most, not 2.'],
    ['usedNoTools', (t) => t['usedNoTools']?.('Edit'), 'usedNoTools() takes no arguments, not 1.'],
    ['maxToolCalls', (t) => t['maxToolCalls']?.(1, 2), 'maxToolCalls() takes 1 argument at the most, not 2.'],
    ['noFailedActions', (t) => t['noFailedActions']?.(1), 'noFailedActions() takes no arguments, not 1.'],
    ['event', (t) => t['event']?.('error', {}, 1), 'event() takes 2 arguments at the most, not 3.'],
    ['notEvent', (t) => t['notEvent']?.('error', {}), 'notEvent() takes 1 argument at the most, not 2.'],
    ['eventOrder', (t) => t['eventOrder']?.(['error', 'error'], 1), 'eventOrder() takes 1 argument at the most, not 2.'],
    ['maxTokens', (t) => t['maxTokens']?.(1, {}, 1), 'maxTokens() takes 2 arguments at the most, not 3.'],
    ['maxCost', (t) => t['maxCost']?.(1, 'USD'), 'maxCost() takes 1 argument at the most, not 2.'],
    ['maxDuration', (t) => t['maxDuration']?.(1, 'ms'), 'maxDuration() takes 1 argument at the most, not 2.'],
    ['maxTurns', (t) => t['maxTurns']?.(1, 2), 'maxTurns() takes 1 argument at the most, not 2.'],
    ['maxRequests', (t) => t['maxRequests']?.(1, 2), 'maxRequests() takes 1 argument at the most, not 2.'],
    ['check', (t) => t['check']?.(1, equals(1), 'is one'), 'check() takes 2 arguments at the most, not 3.'],
  ])('by %s', async (_name, use, message) => {
    const { t, claims } = openPassTest();
    expect(() => use(t as never)).toThrow(new ClaimAuthoringError(message));
    expect(await claims.settle()).toEqual([]);
  });
});
