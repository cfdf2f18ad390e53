import { describe, expect, test } from 'vitest';
import { jsonMatch, type JsonPattern } from '../../src/expect/json-match.js';
import type { MatchOutcome } from '../../src/expect/match.js';
import { satisfies } from '../../src/expect/values.js';

const statusOf = async (pattern: JsonPattern, value: unknown): Promise<MatchOutcome['status']> => (await jsonMatch(pattern).evaluate(value)).status;

describe('a regular expression looks at the text at its own place and nowhere else', () => {
  test.each<[string, JsonPattern, unknown, MatchOutcome['status']]>([
    ['the text at its place', { a: /x/ }, { a: 'x' }, 'matched'],
    ['a text at another place', { a: /x/ }, { a: 'y', b: 'x' }, 'mismatched'],
    ['a text deeper down', { a: /x/ }, { a: { b: 'x' } }, 'mismatched'],
    ['the name of a key', { a: /x/ }, { a: { x: 1 } }, 'mismatched'],
    ['a number', { a: /1/ }, { a: 1 }, 'mismatched'],
    ['null', { a: /null/ }, { a: null }, 'mismatched'],
    ['a text in a list', [/x/, /y/], ['x', 'y'], 'matched'],
    ['a whole document, which is no text', /x/, { a: 'x' }, 'mismatched'],
    ['a whole document that is a text', /x/, 'axa', 'matched'],
  ])('%s', async (_what, pattern, value, expected) => {
    expect(await statusOf(pattern, value)).toBe(expected);
  });
});

describe('a function judges the value at its place', () => {
  const long = (value: unknown): boolean => Array.isArray(value) && value.length > 1;
  test.each<[string, JsonPattern, unknown, MatchOutcome]>([
    ['that it accepts', { a: long }, { a: [1, 2] }, { status: 'matched' }],
    ['that it refuses', { a: long }, { a: [1] }, { status: 'mismatched', expected: 'the condition long', received: '[1]', path: '/a' }],
    ['without a name', { a: [() => false] }, { a: [1] }, { status: 'mismatched', expected: 'a condition', received: '1', path: '/a/0' }],
    ['only where its key is', { a: () => true }, {}, { status: 'mismatched', expected: 'the key "a"', received: '{}', path: '/' }],
  ])('%s', async (_what, pattern, value, outcome) => {
    expect(await jsonMatch(pattern).evaluate(value)).toEqual(outcome);
  });

  test.each<[string, (value: unknown) => unknown]>([['no boolean', () => 1], ['a promise', () => Promise.resolve(false)], ['nothing', () => undefined]])('and has made a mistake when it answers %s', async (_what, answer) => {
    await expect((async () => jsonMatch({ a: answer as () => boolean }).evaluate({ a: 1 }))()).rejects.toThrow(/^The predicate at \/a answered .+\. It must answer true or false, at once\.$/);
  });
});

describe('where a value differs is a JSON Pointer', () => {
  // RFC 6901: ~ is written ~0 and / is written ~1.
  test.each<[string, unknown, string]>([
    ['a slash in a key', { 'a/b': { c: 1 } }, '/a~1b/c'],
    ['a tilde in a key', { 'a~b': { c: 1 } }, '/a~0b/c'],
    ['both', { '~/': { '/~': 1 } }, '/~0~1/~1~0'],
    ['a key that is empty', { '': { a: 1 } }, '//a'],
    ['a key with a space', { 'a b': 1 }, '/a b'],
    ['a place in a list', { a: [0, { b: 1 }] }, '/a/1/b'],
  ])('with %s', async (_what, pattern, path) => {
    const value = JSON.parse(JSON.stringify(pattern).replace('1}', '2}')) as unknown;
    expect(await jsonMatch(pattern as JsonPattern).evaluate(value)).toEqual({ status: 'mismatched', expected: '1', received: '2', path });
  });
});

describe('what the author changes in a pattern later changes nothing', () => {
  test('a key, a list, a nested object', async () => {
    const pattern = { a: 1, list: [1], deep: { b: 'x' } };
    const match = jsonMatch(pattern);
    const words = match.description;
    pattern.a = 2;
    pattern.list.push(2);
    pattern.deep.b = 'y';
    expect(await match.evaluate({ a: 1, list: [1], deep: { b: 'x' } })).toEqual({ status: 'matched' });
    expect(match.description).toBe(words);
  });

  test('an own key called __proto__ is a key like any other', async () => {
    const pattern = JSON.parse('{"__proto__": {"a": 1}}') as JsonPattern;
    expect(await statusOf(pattern, JSON.parse('{"__proto__": {"a": 1}}'))).toBe('matched');
    expect(await statusOf(pattern, { a: 1 })).toBe('mismatched');
  });
});

test('a nested match that answers later is waited for, and its place is told', async () => {
  const match = jsonMatch({ a: [satisfies('is even', (value) => Promise.resolve(value === 2))] });
  expect(await match.evaluate({ a: [2] })).toEqual({ status: 'matched' });
  expect(await match.evaluate({ a: [3] })).toEqual({ status: 'mismatched', expected: 'is even', received: '3', path: '/a/0' });
});

const getter = Object.defineProperty({}, 'a', { enumerable: true, get: () => 1 });
// eslint-disable-next-line no-sparse-arrays
const sparse = [1, , 3];
test.each<[string, unknown, string]>([
  ['a getter', getter, 'jsonMatch cannot compare with a getter at /a: it may answer differently each time. Use a plain value.'],
  ['a list with a hole', { a: sparse }, 'jsonMatch cannot compare with undefined at /a/1. Use JSON values, a RegExp, a function or a value match.'],
  ['an endless number', { a: Infinity }, 'jsonMatch cannot compare with Infinity at /a. Use JSON values, a RegExp, a function or a value match.'],
  ['a big number', { a: 1n }, 'jsonMatch cannot compare with 1 at /a. Use JSON values, a RegExp, a function or a value match.'],
  ['a symbol', Symbol('a'), 'jsonMatch cannot compare with Symbol(a) at /. Use JSON values, a RegExp, a function or a value match.'],
  ['a date', { a: new Date(0) }, 'jsonMatch cannot compare with "1970-01-01T00:00:00.000Z" at /a. Use JSON values, a RegExp, a function or a value match.'],
])('refuses %s', (_what, pattern, message) => {
  expect(() => jsonMatch(pattern as JsonPattern)).toThrow(new TypeError(message));
});
