import { describe, expect, test } from 'vitest';
import { jsonMatch, type JsonPattern } from '../../src/expect/json-match.js';
import { createMatch } from '../../src/expect/match.js';
import { includes } from '../../src/expect/texts.js';
import { isDefined } from '../../src/expect/values.js';

describe('jsonMatch', () => {
  test.each<[string, JsonPattern, unknown, boolean]>([
    ['an object that has the listed keys and more', { a: 1 }, { a: 1, b: 2 }, true],
    ['an object that lacks a listed key', { a: 1 }, { b: 2 }, false],
    ['an object without keys and any object', {}, { a: 1 }, true],
    ['an object and an array', {}, [], false],
    ['an object and null', {}, null, false],
    ['a nested object in part', { a: { b: 'x' } }, { a: { b: 'x', c: 'y' }, d: 1 }, true],
    ['arrays element by element', [1, { a: 2 }], [1, { a: 2, b: 3 }], true],
    ['arrays of different length', [1], [1, 2], false],
    ['an array and an object with its keys', [1], { 0: 1, length: 1 }, false],
    ['literals of different type', { a: 1 }, { a: '1' }, false],
    ['null and a key that is null', { a: null }, { a: null }, true],
    ['null and no key', { a: null }, {}, false],
    ['an inherited key', { toString: isDefined() }, {}, false],
    ['a pattern and the text at its place', { command: /^npm (test|t)$/ }, { command: 'npm t' }, true],
    ['a pattern and a text at another place', { command: /npm test/ }, { command: 'ls', note: 'npm test' }, false],
    ['a pattern and something that is no text', { n: /1/ }, { n: 1 }, false],
    ['a value match at its place', { file_path: includes('/src/') }, { file_path: '/project/src/a.ts' }, true],
    ['a value match that does not hold', { file_path: includes('/src/') }, { file_path: '/project/a.ts' }, false],
    ['a literal on its own', 'done', 'done', true],
  ])('compares %s', async (_what, expected, value, holds) => {
    expect((await jsonMatch(expected).evaluate(value)).status).toBe(holds ? 'matched' : 'mismatched');
  });

  test('says where the first difference is', async () => {
    expect(await jsonMatch({ edits: [{ old: 'a' }, { old: 'b' }] }).evaluate({ edits: [{ old: 'a' }, { old: 'c' }] })).toEqual({
      status: 'mismatched', expected: '"b"', received: '"c"', path: '/edits/1/old',
    });
    expect(await jsonMatch({ a: includes('x') }).evaluate({ a: 'y' })).toEqual({ status: 'mismatched', expected: 'includes "x"', received: '"y"', path: '/a' });
    expect(await jsonMatch({ a: { b: 1 } }).evaluate({ a: {} })).toEqual({ status: 'mismatched', expected: 'the key "b"', received: '{}', path: '/a' });
    expect(await jsonMatch([1]).evaluate('x')).toEqual({ status: 'mismatched', expected: 'an array of 1', received: '"x"', path: '/' });
  });

  test('cannot tell where a nested match cannot, unless another part differs for certain', async () => {
    const unknown = createMatch({ domain: 'value' as const, description: 'is kept', evaluate: () => ({ status: 'unavailable' as const, reason: 'it was not kept' }) });
    expect(await jsonMatch({ a: unknown, b: 1 }).evaluate({ a: 1, b: 1 })).toEqual({ status: 'unavailable', reason: 'it was not kept' });
    expect((await jsonMatch({ a: unknown, b: 1 }).evaluate({ a: 1, b: 2 })).status).toBe('mismatched');
  });

  test('has no memory for a pattern with flags', async () => {
    const match = jsonMatch({ a: /x/g });
    expect([(await match.evaluate({ a: 'x' })).status, (await match.evaluate({ a: 'x' })).status]).toEqual(['matched', 'matched']);
  });

  const cycle: Record<string, unknown> = {};
  cycle['again'] = [cycle];
  test.each<[string, unknown, string]>([
    ['undefined', { a: undefined }, 'jsonMatch cannot compare with undefined at /a. Use JSON values, a RegExp, a function or a value match.'],
    ['a number that JSON does not have', [Number.NaN], 'jsonMatch cannot compare with NaN at /0. Use JSON values, a RegExp, a function or a value match.'],
    ['a class', { a: new Map() }, 'jsonMatch cannot compare with {} at /a. Use JSON values, a RegExp, a function or a value match.'],
    ['a cycle', cycle, 'jsonMatch cannot compare with a cycle at /again/0. Use JSON values, a RegExp or a value match.'],
  ])('refuses %s', (_what, expected, message) => {
    expect(() => jsonMatch(expected as JsonPattern)).toThrow(new TypeError(message));
  });

  test('takes one object at two places, which is no cycle', async () => {
    const twice = { a: 1 };
    expect((await jsonMatch({ x: twice, y: twice }).evaluate({ x: { a: 1 }, y: { a: 1 } })).status).toBe('matched');
  });
});
