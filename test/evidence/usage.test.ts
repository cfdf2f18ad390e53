import { expect, test } from 'vitest';
import { addUsage, usageSchema, type Usage } from '../../src/evidence/usage.js';

test.each<[string, readonly Usage[], Usage]>([
  ['nothing of nothing', [], {}],
  ['nothing of turns that report nothing', [{}, {}], {}],
  ['bucket by bucket', [{ inputTokens: 1, outputTokens: 2 }, { inputTokens: 10, outputTokens: 20 }], { inputTokens: 11, outputTokens: 22 }],
  ['a bucket that one turn reports', [{ inputTokens: 1 }, { cacheReadTokens: 5 }], { inputTokens: 1, cacheReadTokens: 5 }],
  ['a bucket of zero, which is a report', [{ inputTokens: 0 }, {}], { inputTokens: 0 }],
  [
    'all buckets', [
      { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4, reasoningTokens: 1, requests: 1, costUSD: 0.25 },
      { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, cacheCreationTokens: 40, reasoningTokens: 5, requests: 2, costUSD: 0.5 },
    ],
    { inputTokens: 11, outputTokens: 22, cacheReadTokens: 33, cacheCreationTokens: 44, reasoningTokens: 6, requests: 3, costUSD: 0.75 },
  ],
  [
    'the buckets of each model', [
      { inputTokens: 3, models: { big: { inputTokens: 1 }, small: { inputTokens: 2 } } },
      { inputTokens: 4, models: { big: { outputTokens: 4, inputTokens: 4 } } },
    ],
    { inputTokens: 7, models: { big: { inputTokens: 5, outputTokens: 4 }, small: { inputTokens: 2 } } },
  ],
])('adds %s', (_what, parts, sum) => {
  expect(addUsage(parts)).toEqual(sum);
});

test('leaves the parts as they were', () => {
  const part: Usage = Object.freeze({ inputTokens: 1, models: Object.freeze({ big: Object.freeze({ inputTokens: 1 }) }) });
  addUsage([part, part]);
  expect(part).toEqual({ inputTokens: 1, models: { big: { inputTokens: 1 } } });
});

test.each<[string, unknown]>([
  ['a negative count', { inputTokens: -1 }],
  ['half a token', { outputTokens: 0.5 }],
  ['a bucket without a number', { requests: undefined }],
  ['a cost below zero', { costUSD: -0.1 }],
])('the schema refuses %s', (_what, usage) => {
  expect(usageSchema.safeParse(usage).success).toBe(false);
});
