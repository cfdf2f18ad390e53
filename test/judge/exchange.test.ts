import { expect, test } from 'vitest';
import { parseRetryAfter } from '../../src/judge/exchange.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

test.each<[string | null, number | undefined]>([
  [null, undefined],
  ['', undefined],
  ['0', 0],
  [' 7 ', 7_000],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
  ['Thu, 01 Jan 2026 00:00:00 GMT', 0],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['2026-01-01', undefined],
])('reads Retry-After %j', (header, expected) => {
  expect(parseRetryAfter(header, NOW)).toBe(expected);
});
