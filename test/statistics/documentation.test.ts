import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { comparePassRates } from '../../src/statistics/compare.js';
import { durationSummary } from '../../src/statistics/durations.js';
import { flakeRate } from '../../src/statistics/flakes.js';
import { knownMedian } from '../../src/statistics/known-values.js';
import { mcnemarExact } from '../../src/statistics/mcnemar.js';
import { passAtK, passPowerK } from '../../src/statistics/pass-at-k.js';
import { passRates } from '../../src/statistics/pass-rates.js';
import { attemptsToTellApart, moreAttemptsNeeded } from '../../src/statistics/sample-size.js';
import { attemptsForWidth, isNarrowEnough } from '../../src/statistics/width.js';
import { wilsonInterval } from '../../src/statistics/wilson.js';

const NAMES = {
  attemptsForWidth, attemptsToTellApart, comparePassRates, durationSummary, flakeRate, isNarrowEnough, knownMedian, mcnemarExact, moreAttemptsNeeded, passAtK, passPowerK, passRates,
  wilsonInterval,
};
const page = readFileSync(new URL('../../docs/statistics.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].flatMap(([, block = '']) => block.trimEnd().split('\n')).map((line) => line.split(/ +\/\/ /));

test('the page of statistics has its examples', () => {
  expect(examples.length).toBeGreaterThan(15);
});

// The numbers of the page are those of SciPy, of the published examples beside the functions, or made by hand.
test.each(examples)('the page of statistics is right that %s is %s', (call = '', said = '') => {
  expect(rounded(valueOf(call))).toEqual(valueOf(said));
});

function valueOf(expression: string): unknown {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- our own page
  return (new Function(...Object.keys(NAMES), `return (${expression});`) as (...values: unknown[]) => unknown)(...Object.values(NAMES));
}

/** To three digits after the point, as the page has them. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toFixed(3));
  if (Array.isArray(value)) return value.map(rounded);
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rounded(inner)])) : value;
}
