import { describe, expect, it } from 'vitest';
import { equals, satisfies } from '../../src/expect/values.js';

const status = async (value: unknown, expected: unknown) => (await equals(expected).evaluate(value)).status;
const one = Promise.resolve(1);
class Hidden {
  readonly #held: number;
  constructor(held: number) { this.#held = held; }
  told(): number { return this.#held; }
}
const hidden = new Hidden(1);

describe('equals looks into what holds more than its keys show', () => {
  it.each<[string, unknown, unknown, 'matched' | 'mismatched']>([
    ['maps of the same entries', new Map([[1, 2]]), new Map([[1, 2]]), 'matched'],
    ['maps of other entries', new Map([[1, 2]]), new Map(), 'mismatched'],
    ['a map and a plain object', new Map([[1, 2]]), {}, 'mismatched'],
    ['a plain object and a map', {}, new Map(), 'mismatched'],
    ['sets of the same members', new Set([1]), new Set([1]), 'matched'],
    ['sets of other members', new Set([1]), new Set([2]), 'mismatched'],
    ['the same expression', /a/g, /a/g, 'matched'],
    ['other expressions', /a/, /b/, 'mismatched'],
    ['errors of the same message', new Error('a'), new Error('a'), 'matched'],
    ['errors of other messages', new Error('a'), new Error('b'), 'mismatched'],
    ['an error and a plain object', new Error('a'), {}, 'mismatched'],
    ['bytes that are the same', Uint8Array.of(1, 2), Uint8Array.of(1, 2), 'matched'],
    ['bytes that differ', Uint8Array.of(1, 2), Uint8Array.of(1, 3), 'mismatched'],
    ['two promises', one, Promise.resolve(1), 'mismatched'],
    ['a promise and a plain object', one, {}, 'mismatched'],
    ['a promise and itself', one, one, 'matched'],
    ['addresses of the same text', new URL('http://a/b'), new URL('http://a/b'), 'matched'],
    ['addresses of other texts', new URL('http://a/b'), new URL('http://a/c'), 'mismatched'],
    ['an address and its text', new URL('http://a/b'), 'http://a/b', 'mismatched'],
    ['queries of other texts', new URLSearchParams('a=1'), new URLSearchParams('a=2'), 'mismatched'],
    ['two objects that hide what they hold', new Hidden(1), new Hidden(2), 'mismatched'],
    ['an object that hides what it holds, and itself', hidden, hidden, 'matched'],
    ['an object that hides what it holds, and a plain one', hidden, {}, 'mismatched'],
    ['plain objects without keys', {}, Object.create(null), 'matched'],
    ['maps inside objects', { a: [new Map([[1, 2]])] }, { a: [new Map([[1, 3]])] }, 'mismatched'],
  ])('%s', async (_what, value, expected, outcome) => {
    expect(await status(value, expected)).toBe(outcome);
  });
});

it('satisfies without a label is refused where it is written', () => {
  expect(() => satisfies((() => true) as unknown as string, undefined as never)).toThrow('satisfies(label, test) needs a label that is not blank and a function.');
});
