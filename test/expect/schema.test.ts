import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { MatchOutcome } from '../../src/expect/match.js';
import { matches, type StandardSchema } from '../../src/expect/schema.js';

type Validate = StandardSchema['~standard']['validate'];

const schemaOf = (validate: (value: unknown) => unknown): StandardSchema => ({ '~standard': { version: 1, vendor: 'own', validate: validate as Validate } });
const later = <T>(value: T): PromiseLike<T> => ({ then: (...told) => Promise.resolve(value).then(...told) });

describe('a schema of zod', () => {
  const person = z.object({ name: z.string(), tags: z.array(z.string()).optional() });
  test.each<[string, unknown, MatchOutcome]>([
    ['accepts what fits', { name: 'Ada', tags: ['a'] }, { status: 'matched' }],
    ['accepts keys that it does not list', { name: 'Ada', age: 36 }, { status: 'matched' }],
    [
      'says where a value does not fit, and what stands there', { name: 'Ada', tags: ['a', 2] },
      { status: 'mismatched', expected: 'matches the zod schema: Invalid input: expected string, received number', received: '2', path: '/tags/1' },
    ],
    [
      'counts what else does not fit', { tags: 1 },
      { status: 'mismatched', expected: 'matches the zod schema: Invalid input: expected string, received undefined (and 1 more)', received: 'undefined', path: '/name' },
    ],
  ])('%s', async (_what, value, outcome) => {
    expect(await matches(person).evaluate(value)).toEqual(outcome);
  });

  test('may answer later', async () => {
    const even = z.number().refine((value) => Promise.resolve(value % 2 === 0), 'not even');
    expect(await matches(even).evaluate(2)).toEqual({ status: 'matched' });
    expect(await matches(even).evaluate(3)).toEqual({ status: 'mismatched', expected: 'matches the zod schema: not even', received: '3', path: '/' });
  });

  test('only judges: what it would make of the value is left alone', async () => {
    const value = { n: '5' };
    expect(await matches(z.object({ n: z.coerce.number() })).evaluate(value)).toEqual({ status: 'matched' });
    expect(value).toEqual({ n: '5' });
  });
});

describe('a schema by Standard Schema that an author made', () => {
  test.each<[string, (value: unknown) => unknown, MatchOutcome]>([
    ['that accepts', (value) => ({ value }), { status: 'matched' }],
    ['that accepts and gives nothing', () => ({ value: undefined }), { status: 'matched' }],
    ['that accepts later', (value) => Promise.resolve({ value }), { status: 'matched' }],
    ['that refuses', () => ({ issues: [{ message: 'no' }] }), { status: 'mismatched', expected: 'matches the own schema: no', received: '{"a":[1]}', path: '/' }],
    ['that refuses later', () => Promise.resolve({ issues: [{ message: 'no' }] }), { status: 'mismatched', expected: 'matches the own schema: no', received: '{"a":[1]}', path: '/' }],
    ['that refuses later, by a promise of another library', () => later({ issues: [{ message: 'no' }] }), { status: 'mismatched', expected: 'matches the own schema: no', received: '{"a":[1]}', path: '/' }],
    ['that refuses without an issue', () => ({ issues: [] }), { status: 'mismatched', expected: 'matches the own schema: refused', received: '{"a":[1]}', path: '/' }],
    [
      'that refuses at a place, in both ways to write one', () => ({ issues: [{ message: 'no', path: [{ key: 'a' }, 0] }] }),
      { status: 'mismatched', expected: 'matches the own schema: no', received: '1', path: '/a/0' },
    ],
  ])('%s', async (_what, validate, outcome) => {
    expect(await matches(schemaOf(validate)).evaluate({ a: [1] })).toEqual(outcome);
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'undefined'],
    ['true', true, 'true'],
    ['neither a value nor issues', {}, '{}'],
    ['issues that are no list', { issues: 'no' }, '{"issues":"no"}'],
  ])('that answers %s is a mistake, not an answer', async (_what, answer, shown) => {
    const message = `The schema answered ${shown}. By Standard Schema it answers { value } or { issues }.`;
    await expect((async () => matches(schemaOf(() => answer)).evaluate(1))()).rejects.toEqual(new TypeError(message));
    await expect((async () => matches(schemaOf(() => Promise.resolve(answer))).evaluate(1))()).rejects.toEqual(new TypeError(message));
  });

  test('that throws is passed on', async () => {
    const trouble = new Error('no such table');
    await expect((async () => matches(schemaOf(() => { throw trouble; })).evaluate(1))()).rejects.toBe(trouble);
    await expect((async () => matches(schemaOf(() => Promise.reject(trouble))).evaluate(1))()).rejects.toBe(trouble);
  });

  test('may be a function with the standard on it', async () => {
    const schema = Object.assign(() => undefined, schemaOf((value) => ({ value })));
    expect(await matches(schema).evaluate(1)).toEqual({ status: 'matched' });
  });
});

test.each<[string, unknown]>([['a regular expression', /a/], ['nothing', undefined], ['null', null], ['another version', { '~standard': { version: 2, vendor: 'x', validate: () => ({}) } }]])('refuses %s', (_what, schema) => {
  expect(() => matches(schema as StandardSchema)).toThrow(
    new TypeError('matches() needs a schema by Standard Schema v1, for instance z.object({...}) of zod. For a regular expression use pattern().'),
  );
});
