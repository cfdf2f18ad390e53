import { describe, expect, test } from 'vitest';
import { isMatch, type MatchOutcome, type ValueMatch } from '../../src/expect/match.js';
import { excludes, includes, pattern } from '../../src/expect/texts.js';
import { commandSucceeded, equals, isDefined, isFalse, isTrue, satisfies } from '../../src/expect/values.js';

const statusOf = async (match: ValueMatch, value: unknown): Promise<MatchOutcome['status']> => (await match.evaluate(value)).status;

const cycle: Record<string, unknown> = { a: 1 };
cycle['self'] = cycle;

describe('equals', () => {
  test.each<[string, unknown, unknown, boolean]>([
    ['equal texts', 'a', 'a', true],
    ['texts that differ in case', 'a', 'A', false],
    ['a number and its text', 1, '1', false],
    ['NaN and NaN', Number.NaN, Number.NaN, true],
    ['zero and minus zero', 0, -0, true],
    ['null and undefined', null, undefined, false],
    ['dates of one time', new Date(1_000), new Date(1_000), true],
    ['dates of two times', new Date(1_000), new Date(1_001), false],
    ['a date and its number', new Date(1_000), 1_000, false],
    ['a date and an empty object', new Date(1_000), {}, false],
    ['nested objects whatever the order of their keys', { a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1 }, true],
    ['objects of which one has a key more', { a: 1 }, { a: 1, b: 2 }, false],
    ['a key of undefined and no key', { a: undefined }, {}, false],
    ['keys that differ while their number is equal', { a: undefined }, { b: undefined }, false],
    ['arrays in another order', [1, 2], [2, 1], false],
    ['arrays of different length', [1], [1, undefined], false],
    ['an array and an object with its keys', [1], { 0: 1 }, false],
    ['a cycle and itself in the same shape', cycle, cycle, true],
    ['an inherited key and an own one', Object.create({ a: 1 }), { a: 1 }, false],
  ])('compares %s', async (_what, a, b, equal) => {
    expect(await statusOf(equals(a), b)).toBe(equal ? 'matched' : 'mismatched');
    expect(await statusOf(equals(b), a)).toBe(equal ? 'matched' : 'mismatched');
  });

  test('says what was expected and what was received', async () => {
    expect(await equals({ a: 1 }).evaluate([undefined, 'x'])).toEqual({ status: 'mismatched', expected: 'equals {"a":1}', received: '[null,"x"]' });
  });
});

test.each<[ValueMatch, unknown, boolean]>([
  [includes('a.b'), 'xa.by', true],
  [includes('a.b'), 'xaxby', false],
  [includes('Ab'), 'ab', false],
  [includes('1'), 1, false],
  [includes('a'), ['a'], false],
  [excludes('a'), 'b', true],
  [excludes('a'), 'bab', false],
  [excludes('a'), undefined, false],
  [excludes('a'), ['b'], false],
  [pattern(/^b/m), 'a\nb', true],
  [pattern(/^b/), 'a\nb', false],
  [pattern(/1/), 1, false],
  [isDefined(), 0, true],
  [isDefined(), '', true],
  [isDefined(), false, true],
  [isDefined(), null, false],
  [isDefined(), undefined, false],
  [isTrue(), true, true],
  [isTrue(), 1, false],
  [isTrue(), 'true', false],
  [isFalse(), false, true],
  [isFalse(), 0, false],
  [isFalse(), undefined, false],
  [commandSucceeded(), { exitCode: 0, stdout: '', stderr: 'warning' }, true],
  [commandSucceeded(), { exitCode: 1 }, false],
  [commandSucceeded(), { exitCode: '0' }, false],
  [commandSucceeded(), { exitCode: null }, false],
  [commandSucceeded(), {}, false],
  [commandSucceeded(), undefined, false],
  [commandSucceeded(), null, false],
  [commandSucceeded(), 0, false],
])('$description: %j, %s', async (match, value, holds) => {
  expect(await statusOf(match, value)).toBe(holds ? 'matched' : 'mismatched');
});

test('pattern has no memory, whatever its flags', async () => {
  const expression = /a/gy;
  const match = pattern(expression);
  expect([await statusOf(match, 'a'), await statusOf(match, 'a'), expression.lastIndex]).toEqual(['matched', 'matched', 0]);
});

test('commandSucceeded shows the end of what the command said', async () => {
  const result = { exitCode: 2, stdout: 'a lot', stderr: `${'x'.repeat(500)}\nboom\n` };
  expect(await commandSucceeded().evaluate(result)).toEqual({
    status: 'mismatched',
    expected: 'is a command that ended with exit code 0',
    received: JSON.stringify({ exitCode: 2, output: `${'x'.repeat(295)}\nboom` }),
  });
});

describe('satisfies', () => {
  test('takes a condition that answers at once or later', async () => {
    expect(await statusOf(satisfies('is even', (value) => (value as number) % 2 === 0), 4)).toBe('matched');
    expect(await satisfies('is even', (value) => Promise.resolve((value as number) % 2 === 0)).evaluate(3)).toEqual({
      status: 'mismatched', expected: 'is even', received: '3',
    });
  });

  test('takes an answer that is no boolean for a mistake, not for a no', async () => {
    const match = satisfies('is even', (() => 1) as unknown as () => boolean);
    expect(() => match.evaluate(2)).toThrow(new TypeError('The condition "is even" answered 1. It must answer true or false.'));
    const later = satisfies('is even', (() => Promise.resolve('yes')) as unknown as () => boolean);
    await expect(later.evaluate(2)).rejects.toThrow(new TypeError('The condition "is even" answered "yes". It must answer true or false.'));
  });

  test('passes on what the condition throws', async () => {
    const trouble = new Error('no such table');
    expect(() => satisfies('is stored', () => { throw trouble; }).evaluate(2)).toThrow(trouble);
    await expect(satisfies('is stored', () => Promise.reject(trouble)).evaluate(2)).rejects.toBe(trouble);
  });
});

describe('a match that could only hold always or never is refused', () => {
  test.each<[string, () => unknown, string]>([
    ['includes of nothing', () => includes(''), 'includes() needs a string that is not empty; every text holds the empty one.'],
    ['excludes of nothing', () => excludes(''), 'excludes() needs a string that is not empty; every text holds the empty one.'],
    ['includes of no text', () => includes(undefined as unknown as string), 'includes() needs a string that is not empty; every text holds the empty one.'],
    ['pattern of a text', () => pattern('^b' as unknown as RegExp), 'pattern() needs a regular expression, for instance /passes?/, not "^b".'],
    ['pattern of nothing', () => pattern(undefined as unknown as RegExp), 'pattern() needs a regular expression, for instance /passes?/, not undefined.'],
  ])('%s', (_what, make, message) => {
    expect(make).toThrow(new TypeError(message));
  });
});

test('matches are frozen and known by their brand, look-alikes are not', () => {
  const match = equals(1);
  expect(Object.isFrozen(match)).toBe(true);
  expect([isMatch(match), isMatch({ ...match }), isMatch(null), isMatch('equals')]).toEqual([true, false, false, false]);
});
