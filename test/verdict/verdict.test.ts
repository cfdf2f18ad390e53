import { describe, expect, test } from 'vitest';
import type { Claim } from '../../src/assert/claim.js';
import { verdictOf, verdictSchema, type Verdict } from '../../src/verdict/verdict.js';

const facts = { ordinal: 1, description: 'the agent changed a.txt', optional: false } as const;
const CLAIMS = {
  'matched': { ...facts, state: 'matched' },
  'matched and optional': { ...facts, optional: true, state: 'matched' },
  'mismatched': { ...facts, state: 'mismatched', expected: 'modified', received: 'deleted' },
  'mismatched and optional': { ...facts, optional: true, state: 'mismatched', expected: 'modified', received: 'deleted' },
  'unavailable': { ...facts, state: 'unavailable', reason: 'it was not kept' },
  'unavailable and optional': { ...facts, optional: true, state: 'unavailable', reason: 'it was not kept' },
  'errored': { ...facts, state: 'errored', reason: 'no such table' },
  'errored and optional': { ...facts, optional: true, state: 'errored', reason: 'no such table' },
} as const satisfies Record<string, Claim>;
type Kind = keyof typeof CLAIMS;

/** What one claim makes of an Attempt that ran to its end. */
const ALONE: Record<Kind, Verdict> = {
  'matched': 'passed',
  'matched and optional': 'passed',
  'mismatched': 'failed',
  'mismatched and optional': 'failed',
  'unavailable': 'errored',
  'unavailable and optional': 'passed',
  'errored': 'errored',
  'errored and optional': 'errored',
};
const kinds = Object.keys(CLAIMS) as Kind[];

test.each(kinds)('a single claim that is %s', (kind) => {
  expect(verdictOf({ claims: [CLAIMS[kind]] }).verdict).toBe(ALONE[kind]);
});

// For each set of what may have happened the verdict is the first of this order that is in it.
const ORDER: readonly Verdict[] = ['errored', 'failed', 'skipped', 'passed'];

describe('folds to errored, then failed, then skipped, then passed', () => {
  const rows = [false, true].flatMap((broke) => [false, true].flatMap((skipped) => [
    [broke, skipped, undefined, undefined] as const,
    ...kinds.flatMap((first) => [
      [broke, skipped, first, undefined] as const,
      ...kinds.map((second) => [broke, skipped, first, second] as const),
    ]),
  ]));

  test('over all combinations', () => {
    for (const [broke, skipped, first, second] of rows) {
      const present = [first, second].filter((kind) => kind !== undefined);
      const causes: readonly Verdict[] = [...(broke ? ['errored' as const] : []), ...(skipped ? ['skipped' as const] : []), ...present.map((kind) => ALONE[kind]), 'passed'];
      const { verdict } = verdictOf({
        claims: present.map((kind) => CLAIMS[kind]),
        ...(broke ? { error: { message: 'the sandbox was gone' } } : {}),
        ...(skipped ? { skipped: 'no key' } : {}),
      });
      expect({ broke, skipped, present, verdict }).toEqual({ broke, skipped, present, verdict: ORDER.find((word) => causes.includes(word)) });
    }
    expect(rows.length).toBe(4 * (1 + 8 + 64));
  });
});

test.each<[string, Parameters<typeof verdictOf>[0], ReturnType<typeof verdictOf>]>([
  ['nothing for an Attempt without any claim, which passes', { claims: [] }, { verdict: 'passed', reasons: [] }],
  ['nothing for a forgiven claim', { claims: [CLAIMS['unavailable and optional']] }, { verdict: 'passed', reasons: [] }],
  ['the author\'s reason for a skip', { claims: [CLAIMS.matched], skipped: 'no key' }, { verdict: 'skipped', reasons: ['no key'] }],
  [
    'each mismatch with what was expected and received', { claims: [CLAIMS.mismatched, CLAIMS.matched, { ...CLAIMS.mismatched, label: 'it is mended' }] },
    {
      verdict: 'failed',
      reasons: [
        'the agent changed a.txt: expected modified, received deleted',
        'it is mended (the agent changed a.txt): expected modified, received deleted',
      ],
    },
  ],
  [
    'the error first, then what cannot be told, then what does not hold',
    { claims: [CLAIMS.mismatched, CLAIMS.unavailable, CLAIMS.errored], error: { message: 'the time is up' }, skipped: 'no key' },
    {
      verdict: 'errored',
      reasons: [
        'the time is up',
        'the agent changed a.txt: cannot be told: it was not kept',
        'the agent changed a.txt: its condition broke: no such table',
        'the agent changed a.txt: expected modified, received deleted',
      ],
    },
  ],
])('tells %s', (_what, input, judgement) => {
  expect(verdictOf(input)).toEqual(judgement);
});

test('the schema knows the four words and no other', () => {
  expect(ORDER.map((word) => verdictSchema.safeParse(word).success)).toEqual([true, true, true, true]);
  expect(verdictSchema.safeParse('ok').success).toBe(false);
});
