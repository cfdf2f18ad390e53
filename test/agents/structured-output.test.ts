import { describe, expect, test } from 'vitest';
import type { Turn } from '../../src/evidence/turn.js';
import { outputCheckOf } from '../../src/agents/structured-output.js';

const turn = (data: Turn['data'], more: Partial<Turn> = {}): Turn => ({ status: 'completed', events: [], ...(data === undefined ? {} : { data }), ...more });
const person = { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } }, required: ['name'], additionalProperties: false };

describe('the product of a turn', () => {
  test('that fits is left alone', () => {
    const fits = turn({ name: 'Ada', age: 36 });
    expect(outputCheckOf(person)(fits)).toBe(fits);
  });

  test('that does not fit fails the turn with every fault, and stays to be looked at', () => {
    expect(outputCheckOf(person)(turn({ age: -1, extra: true }))).toEqual({
      status: 'failed', data: { age: -1, extra: true },
      events: [{ type: 'error', message: "the structured output does not fit its schema: / must have required property 'name'; / must NOT have additional properties; /age must be >= 0" }],
    });
  });

  test('is not judged when none was asked for, none came, or the turn did not complete', () => {
    expect(outputCheckOf(undefined)(turn({ age: -1 }))).toEqual(turn({ age: -1 }));
    expect(outputCheckOf(person)(turn(undefined))).toEqual(turn(undefined));
    expect(outputCheckOf(person)(turn({ age: -1 }, { status: 'waiting' }))).toEqual(turn({ age: -1 }, { status: 'waiting' }));
  });

  test('is judged by 2020-12 rules, or by draft-07 where the schema says so', () => {
    // `prefixItems` is new in 2020-12; a list under `items` is its older spelling.
    const modern = outputCheckOf({ type: 'array', prefixItems: [{ type: 'integer' }] });
    const old = outputCheckOf({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ type: 'integer' }] });
    expect([modern(turn(['x'])).status, modern(turn([1])).status, old(turn(['x'])).status, old(turn([1])).status]).toEqual(['failed', 'completed', 'failed', 'completed']);
  });

  test.each([[{ type: 'nonsense' }], [{ $ref: '#/nowhere' }], [{ properties: 1 }]])('a schema that is none is refused: %j', (schema) => {
    expect(() => outputCheckOf(schema)).toThrow(/^The `schema` of send\(\.\.\.\) is no JSON Schema: /);
  });
});
