import { describe, expect, test } from 'vitest';
import { rateLimitsOf } from '../../../src/gateway/meter/rate-limits.js';

const NOW = Date.parse('2026-03-12T10:00:00Z');

test('reads the limits of Anthropic', () => {
  // https://platform.claude.com/docs/en/api/rate-limits, "Response headers".
  expect(rateLimitsOf({
    'anthropic-ratelimit-requests-limit': '50', 'anthropic-ratelimit-requests-remaining': '49', 'anthropic-ratelimit-requests-reset': '2026-03-12T10:00:01Z',
    'anthropic-ratelimit-tokens-limit': '38000', 'anthropic-ratelimit-tokens-remaining': '38000', 'anthropic-ratelimit-tokens-reset': '2026-03-12T12:00:00+02:00',
    'anthropic-ratelimit-input-tokens-remaining': '30000', 'anthropic-ratelimit-output-tokens-limit': '8000', 'retry-after': '20',
  }, NOW)).toEqual({
    limits: [
      { unit: 'requests', limit: 50, remaining: 49, resetsAt: '2026-03-12T10:00:01.000Z' },
      { unit: 'tokens', limit: 38000, remaining: 38000, resetsAt: '2026-03-12T10:00:00.000Z' },
      { unit: 'input-tokens', remaining: 30000 },
      { unit: 'output-tokens', limit: 8000 },
    ],
    retryAfterMs: 20_000,
  });
});

test('reads the windows of a subscription', () => {
  expect(rateLimitsOf({
    'anthropic-ratelimit-unified-status': 'allowed', 'anthropic-ratelimit-unified-reset': String(NOW / 1000 + 60), 'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-5h-reset': String(NOW / 1000 + 3600), 'anthropic-ratelimit-unified-5h-status': 'allowed', 'anthropic-ratelimit-unified-5h-utilization': '0.25',
    'anthropic-ratelimit-unified-7d-utilization': '1.5', 'anthropic-ratelimit-unified-fallback-percentage': '0.5',
  }, NOW).limits).toEqual([
    { unit: 'unified', resetsAt: '2026-03-12T10:01:00.000Z' },
    { unit: 'unified-5h', limit: 1, remaining: 0.75, resetsAt: '2026-03-12T11:00:00.000Z' },
    { unit: 'unified-7d', limit: 1, remaining: 0 },
  ]);
});

test('reads the limits of OpenAI', () => {
  // https://platform.openai.com/docs/guides/rate-limits, "Rate limits in headers".
  expect(rateLimitsOf({
    'x-ratelimit-limit-requests': '60', 'x-ratelimit-limit-tokens': '150000', 'x-ratelimit-remaining-requests': '59', 'x-ratelimit-remaining-tokens': '149984',
    'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s',
  }, NOW)).toEqual({
    limits: [
      { unit: 'requests', limit: 60, remaining: 59, resetsAt: '2026-03-12T10:00:01.000Z' },
      { unit: 'tokens', limit: 150000, remaining: 149984, resetsAt: '2026-03-12T10:06:00.000Z' },
    ],
  });
});

test.each([
  ['120ms', 120], ['12ms', 12], ['0s', 0], ['7.66s', 7660], ['1m26.4s', 86_400], ['1h2m3s', 3_723_000], ['2d', 172_800_000], ['1m', 60_000], ['45', 45_000], ['0', 0],
])('takes %s for %d ms', (text, ms) => {
  expect(rateLimitsOf({ 'x-ratelimit-reset-tokens': text }, NOW).limits).toEqual([{ unit: 'tokens', resetsAt: new Date(NOW + ms).toISOString() }]);
});

test.each<[string, Record<string, string | string[]>, number | undefined]>([
  ['seconds', { 'retry-after': '1.5' }, 1500],
  ['a date', { 'retry-after': 'Thu, 12 Mar 2026 10:00:30 GMT' }, 30_000],
  ['a date that is past', { 'retry-after': 'Thu, 12 Mar 2026 09:00:00 GMT' }, 0],
  ['milliseconds, which say it finer', { 'retry-after': '2', 'retry-after-ms': '1250' }, 1250],
  ['the first of several', { 'retry-after': ['3', '4'] }, 3000],
  ['a day of milliseconds', { 'retry-after-ms': '86400000' }, 86_400_000],
  ['seconds beside milliseconds that are none', { 'retry-after': '2', 'retry-after-ms': '-1' }, 2000],
  ['a century', { 'retry-after': '3155760000' }, undefined],
  ['nothing', {}, undefined],
  ['words', { 'retry-after': 'soon' }, undefined],
])('retry-after may be %s', (_, headers, retryAfterMs) => {
  expect(rateLimitsOf(headers, NOW)).toEqual({ limits: [], ...(retryAfterMs !== undefined && { retryAfterMs }) });
});

describe('what cannot be is left out', () => {
  test.each([
    ['-1'], ['1e9'], ['0x10'], ['Infinity'], ['NaN'], [''], [' '], ['9'.repeat(400)], ['1,2'], ['m'], ['ms'], ['1m1h'], ['1s '.repeat(20_000)], [`${'1'.repeat(50_000)}x`], ['9999-99-99T99:99:99Z'], ['2900-01-01T00:00:00Z'],
  ])('%.20s', (text) => {
    const headers = Object.fromEntries([
      'anthropic-ratelimit-requests-limit', 'anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-requests-reset', 'anthropic-ratelimit-unified-5h-reset',
      'anthropic-ratelimit-unified-5h-utilization', 'x-ratelimit-limit-tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens', 'retry-after', 'retry-after-ms',
    ].map((name) => [name, text]));
    expect(rateLimitsOf(headers, NOW)).toEqual({ limits: [] });
  });

  test('names of many windows', () => {
    const windows = Array.from({ length: 500 }, (_, index) => [`anthropic-ratelimit-unified-w${index}-utilization`, '0']);
    expect(rateLimitsOf(Object.fromEntries(windows), NOW).limits).toHaveLength(16);
    expect(rateLimitsOf({ [`anthropic-ratelimit-unified-${'w'.repeat(21)}-utilization`]: '0', 'anthropic-ratelimit-unified-__proto__-utilization': 'x' }, NOW)).toEqual({ limits: [] });
  });
});
