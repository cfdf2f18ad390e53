import { describe, expect, test } from 'vitest';
import { compilePatterns, patternProblem } from '../../src/scenario/pattern.js';

// The examples are those of the documentation of the regex crate (docs.rs/regex, "Syntax").
describe('a pattern means what it means in Rust', () => {
  test.each([
    ['(?m)^line$', 'one\nline\ntwo', true],
    ['^line$', 'one\nline\ntwo', false],
    ['\\Ahello\\z', 'hello', true],
    ['\\Ahello\\z', 'hello\n', false],
    ['(?x) a b # comment', 'ab', true],
    ['(?P<name>x)(?<other>y)', 'xy', true],
    ['[[:alpha:]]{2}', '1ab', true],
    ['\\x{1F600}', '😀', true],
    ['(?i:AB)c', 'abc', true],
    ['(?i:AB)c', 'abC', false],
    ['(?s).a', '\na', true],
    ['\\p{Greek}', 'β', true],
    ['^.$', '😀', true],
    ['[a-z&&[^aeiou]]+$', 'xyz', true],
    ['\\d', '٣', true],
    ['(?-u)\\d', '٣', false],
  ])('%s on %j: %s', async (source, text, expected) => {
    expect(await patternProblem(source)).toBeUndefined();
    const [pattern] = await compilePatterns([source]);
    expect(pattern?.matches(text)).toBe(expected);
  });
});

test('a pattern that would take for ever elsewhere takes its time in proportion', async () => {
  const [pattern] = await compilePatterns(['(a+)+$']);
  expect(pattern?.matches(`${'a'.repeat(200_000)}!`)).toBe(false);
});

test('texts that are no Unicode are looked at as far as they are', async () => {
  const [pattern] = await compilePatterns(['x$']);
  expect([pattern?.matches('\ud800x'), pattern?.matches('\0x'), pattern?.matches('')]).toEqual([true, true, false]);
});

test('what is too large to be compiled is told', async () => {
  expect(await patternProblem('\\w{1000}{1000}')).toMatch(/exceeds size limit/);
});
