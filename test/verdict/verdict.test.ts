import { describe, expect, test } from 'vitest';
import type { Claim } from '../../src/assert/claim.js';
import { scoreOf, verdictOf, verdictSchema, type Score, type Verdict } from '../../src/verdict/verdict.js';

const facts = { ordinal: 1, kind: 'boolean', description: 'the agent changed a.txt', gates: true, optional: false } as const;
const CLAIMS = {
  'matched': { ...facts, state: 'matched' },
  'matched and optional': { ...facts, optional: true, state: 'matched' },
  'mismatched': { ...facts, state: 'mismatched', expected: 'modified', received: 'deleted' },
  'mismatched and optional': { ...facts, optional: true, state: 'mismatched', expected: 'modified', received: 'deleted' },
  'unavailable': { ...facts, state: 'unavailable', code: 'content-not-kept', reason: 'it was not kept' },
  'unavailable and optional': { ...facts, optional: true, state: 'unavailable', code: 'content-not-kept', reason: 'it was not kept' },
  'errored': { ...facts, state: 'errored', code: 'condition-threw', reason: 'no such table' },
  'errored and optional': { ...facts, optional: true, state: 'errored', code: 'condition-threw', reason: 'no such table' },
  'matched and soft': { ...facts, gates: false, optional: true, state: 'matched' },
  'mismatched and soft': { ...facts, gates: false, optional: true, state: 'mismatched', expected: 'modified', received: 'deleted' },
  'unavailable and soft': { ...facts, gates: false, optional: true, state: 'unavailable', code: 'content-not-kept', reason: 'it was not kept' },
  'errored and soft': { ...facts, gates: false, optional: true, state: 'errored', code: 'condition-threw', reason: 'no such table' },
  'measured above its gate': { ...facts, kind: 'measurement', state: 'matched', score: 0.6, threshold: 0.5 },
  'measured below its gate': { ...facts, kind: 'measurement', state: 'mismatched', score: 0.4, threshold: 0.5, expected: 'at least 0.5', received: '0.4' },
  'measured below what it only records': { ...facts, kind: 'measurement', gates: false, state: 'mismatched', score: 0.4, threshold: 0.5, expected: 'at least 0.5', received: '0.4' },
  'measured for points': { ...facts, kind: 'measurement', gates: false, state: 'measured', score: 0.4, points: { possible: 2, earned: 0.8 } },
  'not measured': { ...facts, kind: 'measurement', gates: false, state: 'unavailable', code: 'judge-key-missing', reason: 'no key' },
  'given as points': { ...facts, kind: 'points', gates: false, state: 'measured', points: { possible: 2, earned: 2 } },
  'without its points': { ...facts, gates: false, state: 'mismatched', expected: 'modified', received: 'deleted', points: { possible: 2, earned: 0 } },
  'without its points, and gating': { ...facts, state: 'mismatched', expected: 'modified', received: 'deleted', points: { possible: 2, earned: 0 } },
  'with points that nobody knows': { ...facts, gates: false, state: 'unavailable', code: 'content-not-kept', reason: 'it was not kept', points: { possible: 2 } },
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
  'matched and soft': 'passed',
  'mismatched and soft': 'passed',
  'unavailable and soft': 'passed',
  'errored and soft': 'errored',
  'measured above its gate': 'passed',
  'measured below its gate': 'failed',
  'measured below what it only records': 'passed',
  'measured for points': 'passed',
  'not measured': 'errored',
  'given as points': 'passed',
  'without its points': 'passed',
  'without its points, and gating': 'failed',
  'with points that nobody knows': 'errored',
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
        ...(broke ? { error: { code: 'sandbox-gone', message: 'the sandbox was gone' } } : {}),
        ...(skipped ? { skipped: 'no key' } : {}),
      });
      expect({ broke, skipped, present, verdict }).toEqual({ broke, skipped, present, verdict: ORDER.find((word) => causes.includes(word)) });
    }
    expect(rows.length).toBe(4 * (1 + kinds.length + kinds.length ** 2));
  });
});

test.each<[string, Parameters<typeof verdictOf>[0], ReturnType<typeof verdictOf>]>([
  ['nothing for an Attempt without any claim, which passes', { claims: [] }, { verdict: 'passed', reasons: [], causes: [] }],
  ['nothing for a forgiven claim', { claims: [CLAIMS['unavailable and optional']] }, { verdict: 'passed', reasons: [], causes: [] }],
  ['the author\'s reason for a skip', { claims: [CLAIMS.matched], skipped: 'no key' }, { verdict: 'skipped', reasons: ['no key'], causes: [{ code: 'skipped' }] }],
  [
    'each mismatch with what was expected and received', { claims: [CLAIMS.mismatched, CLAIMS.matched, { ...CLAIMS.mismatched, ordinal: 3, label: 'it is mended' }] },
    {
      verdict: 'failed',
      reasons: [
        'the agent changed a.txt: expected modified, received deleted',
        'it is mended (the agent changed a.txt): expected modified, received deleted',
      ],
      causes: [{ code: 'claim-mismatched', claim: 1 }, { code: 'claim-mismatched', claim: 3 }],
    },
  ],
  [
    'the error first, then what cannot be told, then what does not hold',
    { claims: [CLAIMS.mismatched, { ...CLAIMS.unavailable, ordinal: 2 }, { ...CLAIMS.errored, ordinal: 3 }], error: { code: 'attempt-timeout', message: 'the time is up' }, skipped: 'no key' },
    {
      verdict: 'errored',
      reasons: [
        'the time is up',
        'the agent changed a.txt: cannot be told: it was not kept',
        'the agent changed a.txt: its condition broke: no such table',
        'the agent changed a.txt: expected modified, received deleted',
      ],
      causes: [{ code: 'attempt-timeout' }, { code: 'content-not-kept', claim: 2 }, { code: 'condition-threw', claim: 3 }, { code: 'claim-mismatched', claim: 1 }],
    },
  ],
])('tells %s', (_what, input, judgement) => {
  expect(verdictOf(input)).toEqual(judgement);
});

test('gives each reason its cause, in the same order, whatever the combination', () => {
  for (const kind of kinds) for (const error of [undefined, { code: 'sandbox-gone', message: 'the sandbox was gone' }]) for (const skipped of [undefined, 'no key']) {
    const claim: Claim = { ...CLAIMS[kind], ordinal: 7 };
    const { verdict, causes, reasons } = verdictOf({ claims: [claim], ...(error === undefined ? {} : { error }), ...(skipped === undefined ? {} : { skipped }) });
    const code = ALONE[kind] === 'failed' ? 'claim-mismatched' : claim.code;
    expect({ kind, causes }).toEqual({ kind, causes: [
      ...(error === undefined ? [] : [{ code: 'sandbox-gone' }]),
      ...(ALONE[kind] === 'passed' ? [] : [{ code, claim: 7 }]),
      ...(verdict === 'skipped' ? [{ code: 'skipped' }] : []),
    ] });
    expect(reasons.length).toBe(causes.length);
  }
});

describe('a score', () => {
  const worth = (possible: number, earned?: number): Claim => ({ ...CLAIMS.matched, points: { possible, ...(earned === undefined ? {} : { earned }) } });
  test.each<[string, readonly Claim[], Score | undefined]>([
    ['adds what was earned to what was possible', [worth(3, 3), worth(2, 0), worth(4, 1)], { earned: 4, possible: 9 }],
    ['leaves claims without points out', [CLAIMS.mismatched, CLAIMS.unavailable, worth(3, 3)], { earned: 3, possible: 3 }],
    ['is nothing of nothing without any', [], { earned: 0, possible: 0 }],
    ['is not known where one part is not', [worth(3, 3), worth(2)], undefined],
    ['is not known even where that part is worth nothing', [worth(3, 3), worth(0)], undefined],
  ])('%s', (_what, claims, score) => {
    expect(scoreOf(claims)).toEqual(score);
  });
});

test('tells the nearest candidate and the place where a claim differs', () => {
  const claim: Claim = { ...CLAIMS.mismatched, path: '/a', nearest: { what: 'Edit (c1, completed)', expected: '"x"', received: '"y"', path: '/file_path' } };
  expect(verdictOf({ claims: [claim] }).reasons).toEqual([
    'the agent changed a.txt: expected modified, received deleted at /a; nearest: Edit (c1, completed) at /file_path: "y", not "x"',
  ]);
});

test('the schema knows the four words and no other', () => {
  expect(ORDER.map((word) => verdictSchema.safeParse(word).success)).toEqual([true, true, true, true]);
  expect(verdictSchema.safeParse('ok').success).toBe(false);
});
