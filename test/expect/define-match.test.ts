import { describe, expect, test } from 'vitest';
import { and, not } from '../../src/expect/combine.js';
import { isMatch, isScoreMatch, isValueMatch, type MatchOutcome } from '../../src/expect/match.js';
import { similarity } from '../../src/expect/texts.js';
import { defineScoreMatch, defineValueMatch, isTrue } from '../../src/expect/values.js';

type Later = <T>(value: T) => T | Promise<T>;
const WHEN: readonly [string, Later][] = [['at once', (value) => value], ['later', (value) => Promise.resolve(value)]];

describe.each(WHEN)('a comparison with a name that answers %s', (_when, given) => {
  test.each<[boolean, MatchOutcome]>([[true, { status: 'matched' }], [false, { status: 'mismatched', expected: 'is even', received: '3' }]])('with %s', async (answer, outcome) => {
    expect(await defineValueMatch<number>({ name: 'is even', evaluate: () => given(answer) }).evaluate(3)).toEqual(outcome);
  });

  test.each([1, 0, 'yes', undefined, null, {}])('with %j has made a mistake', async (answer) => {
    const match = defineValueMatch({ name: 'is even', evaluate: () => given(answer) as boolean });
    await expect((async () => match.evaluate(2))()).rejects.toThrow(/^The condition "is even" answered .+\. It must answer true or false\.$/);
  });
});

describe.each(WHEN)('a measurement with a name that answers %s', (_when, given) => {
  test.each([0, 0.5, 1])('with %d', async (score) => {
    expect(await defineScoreMatch({ name: 'share of files', score: () => given(score) }).score('x')).toBe(score);
  });

  test.each<[unknown, string]>([
    [Number.NaN, 'NaN'], [1.1, '1.1'], [-0.1, '-0.1'], [Infinity, 'Infinity'], [-Infinity, '-Infinity'], ['0.5', '"0.5"'], [true, 'true'], [undefined, 'undefined'], [null, 'null'],
  ])('with %s is a mistake and never clamped', async (score, shown) => {
    const match = defineScoreMatch({ name: 'share of files', score: () => given(score) as number });
    const mistake = new TypeError(`The measurement "share of files" gave ${shown}. It must give a number from 0 to 1.`);
    await expect((async () => match.score('x'))()).rejects.toEqual(mistake);
    await expect((async () => match.atLeast(0).evaluate('x'))()).rejects.toEqual(mistake);
  });

  test.each<[number, number, MatchOutcome]>([
    [0.5, 0.5, { status: 'matched' }],
    [0.51, 0.5, { status: 'matched' }],
    [0.49, 0.5, { status: 'mismatched', expected: 'share of files of at least 0.5', received: '0.49' }],
    [0, 0, { status: 'matched' }],
    [1, 1, { status: 'matched' }],
  ])('with %d as a comparison of at least %d', async (score, least, outcome) => {
    expect(await defineScoreMatch({ name: 'share of files', score: () => given(score) }).atLeast(least).evaluate('x')).toEqual(outcome);
  });
});

test('a measurement passes on what its code throws', async () => {
  const trouble = new Error('no such file');
  await expect((async () => defineScoreMatch({ name: 'x', score: () => { throw trouble; } }).score(1))()).rejects.toBe(trouble);
  await expect((async () => defineScoreMatch({ name: 'x', score: () => Promise.reject(trouble) }).atLeast(0.5).evaluate(1))()).rejects.toBe(trouble);
});

test('a measurement is no comparison until it has a limit', async () => {
  const score = similarity('ab');
  const match = score.atLeast(0.5);
  expect([isMatch(score), isValueMatch(score), isScoreMatch(score), isMatch(match), isScoreMatch(match)]).toEqual([false, false, true, true, false]);
  expect([Object.isFrozen(score), Object.isFrozen(match), isScoreMatch({ ...score })]).toEqual([true, true, false]);
  expect(await not(match).evaluate('xy')).toEqual({ status: 'matched' });
  expect(() => and(score as never, isTrue())).toThrow(TypeError);
});

test.each([-0.1, 1.1, Number.NaN, '1' as unknown as number, undefined as unknown as number])('a limit of %s is refused', (least) => {
  expect(() => similarity('a').atLeast(least)).toThrow(/^\.atLeast\(\) needs a number from 0 to 1, not .+\.$/);
});

test.each<[string, () => unknown, string]>([
  ['a comparison without a name', () => defineValueMatch({ evaluate: () => true } as never), 'defineValueMatch({ name, evaluate }) needs a name that is not blank and a function.'],
  ['a comparison with a blank name', () => defineValueMatch({ name: ' ', evaluate: () => true }), 'defineValueMatch({ name, evaluate }) needs a name that is not blank and a function.'],
  ['a comparison of nothing', () => defineValueMatch(undefined as never), 'defineValueMatch({ name, evaluate }) needs a name that is not blank and a function.'],
  ['a comparison with a field too many', () => defineValueMatch({ name: 'a', evaluate: () => true, test: 1 } as never), 'defineValueMatch() does not know the field "test". It knows name and evaluate.'],
  ['a measurement without code', () => defineScoreMatch({ name: 'a', score: 1 } as never), 'defineScoreMatch({ name, score }) needs a name that is not blank and a function.'],
  ['a measurement with a field too many', () => defineScoreMatch({ name: 'a', score: () => 1, atLeast: 1 } as never), 'defineScoreMatch() does not know the field "atLeast". It knows name and score.'],
])('refuses %s', (_what, make, message) => {
  expect(make).toThrow(new TypeError(message));
});
