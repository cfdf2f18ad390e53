import { describe, expect, it } from 'vitest';
import { boundedJson, NESTING_LIMIT, readJsonLine } from '../../src/agents/json-line.js';

function read(text: string): { readonly values: readonly unknown[]; readonly unreadable: readonly string[] } {
  const values: unknown[] = [];
  const unreadable: string[] = [];
  readJsonLine(text, (value) => values.push(value), (why) => unreadable.push(why));
  return { values, unreadable };
}

describe('readJsonLine', () => {
  it.each([
    ['one object', '{"a":1}', [{ a: 1 }], 0],
    ['two objects on one line', '{"a":1}{"b":"}{"} ', [{ a: 1 }, { b: '}{' }], 0],
    ['an object and the beginning of another', '{"a":1}{"b":', [{ a: 1 }], 1],
    ['an object and a log message', '{"a":"\\"}"} done', [{ a: '"}' }], 1],
    ['NUL bytes around an object', '\0\0{"a":1}\0', [{ a: 1 }], 0],
    ['a raw control character inside a string', '{"a":"x\u0001\0y"}', [{ a: 'x\u0001\0y' }], 0],
    ['a cut object', '{"a":[1,{"b":"', [], 1],
    ['an object behind a log prefix', '12:[2025-11-13] [INFO] {"type":"turn.started"}', [], 1],
    ['prose', 'npm warn deprecated', [], 1],
    ['a lone surrogate', '{"t":"\\ud83d"}', [{ t: '\ud83d' }], 0],
  ])('reads %s', (_name, text, values, unreadable) => {
    const outcome = read(text);
    expect(outcome.values).toStrictEqual(values);
    expect(outcome.unreadable.length).toBe(unreadable);
  });

  it('keeps the last of two equal keys', () => {
    expect(read('{"id":"item_0","id":"ws_1"}').values).toStrictEqual([{ id: 'ws_1' }]);
  });

  it('leaves the prototype alone', () => {
    const { values } = read('{"__proto__":{"type":"result"},"constructor":1}');
    expect((values[0] as { readonly type?: string }).type).toBeUndefined();
    expect(({} as { readonly type?: string }).type).toBeUndefined();
  });

  it('reads brackets nested a million deep without overflowing', () => {
    expect(() => read('['.repeat(1_000_000))).not.toThrow();
    expect(() => read(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)).not.toThrow();
  });
});

describe('boundedJson', () => {
  it('replaces what nests too deep for recursive readers, and nothing else', () => {
    const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`) as unknown;
    expect(boundedJson(nested(NESTING_LIMIT))).toStrictEqual(nested(NESTING_LIMIT));
    expect(boundedJson(nested(NESTING_LIMIT + 1))).toBe('[left out: nested deeper than 200 levels]');
    expect(boundedJson(undefined)).toBeNull();
  });
});
