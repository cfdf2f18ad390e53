import { describe, expect, test } from 'vitest';
import type { MatchOutcome } from '../../src/expect/match.js';
import type { ShellConditions } from '../../src/expect/shell-match.js';
import { ask } from './shell-calls.js';

type Status = MatchOutcome['status'];

describe('words are compared whole, after quote removal', () => {
  test.each<[string, string]>([
    ["run 'a b'", 'a b'], ['run "a b"', 'a b'], ['run a\\ b', 'a b'], ["run $'a\\nb'", 'a\nb'], ['run a"b"\'c\'d', 'abcd'], ['run a\\\nb', 'ab'], ['run "a\\\nb"', 'ab'], ['run "a\\"b\\$c\\d"', 'a"b$c\\d'],
    ["run 'It'\\''s done'", "It's done"], ['run \\*', '*'], ["run '*'", '*'], ['run "~"', '~'], ['run \\~/x', '~/x'], ['run a~', 'a~'], ['run {ab}', '{ab}'], ['run "{a,b}"', '{a,b}'], ['run $', '$'], ['run a#b', 'a#b'], ['run ""', ''],
    ['run FOO=bar', 'FOO=bar'], ['run "$(cat <<\'EOF\'\nFix $it\n\nmore\n\nEOF\n)"', 'Fix $it\n\nmore'], ['run "$(cat <<EOF\nFix it\nEOF\n)"', 'Fix it'], ['run -m"x"', '-mx'],
  ])('%j has the argument %j', (source, word) => {
    expect(ask(source, 'run', { argsStart: [word] })).toBe('matched');
    expect(ask(source, 'run', { excludes: [word] })).toBe('mismatched');
    expect(ask(source, 'run', { argsStart: [`${word}x`] })).toBe('mismatched');
  });

  test('an assignment that a builtin takes is one of its words', () => {
    expect(ask('export FOO=bar', 'export', { argsStart: ['FOO=bar'] })).toBe('matched');
    expect(ask('FOO=bar run x', 'run', { argsStart: ['x'], excludes: ['FOO=bar'] })).toBe('matched');
  });
});

describe('a word that expansion decides is left open, unless its literal part decides', () => {
  test.each<[string, ShellConditions, Status]>([
    ['run "$X"', { argsStart: ['a'] }, 'unavailable'],
    ['run "$X"', { argsStart: ['a', 'b'] }, 'mismatched'],
    ['run "$X" b', { argsStart: ['a', 'b'] }, 'unavailable'],
    ['run "$X" c', { argsStart: ['a', 'b'] }, 'mismatched'],
    ['run a "$X"', { argsStart: ['a'] }, 'matched'],
    ['run b "$X"', { argsStart: ['a'] }, 'mismatched'],
    ['run "foo$X"', { argsStart: ['bar'] }, 'mismatched'],
    ['run foo$X', { argsStart: ['bar'] }, 'mismatched'],
    ['run foo$X', { argsStart: ['food'] }, 'unavailable'],
    ['run foo$X', { argsInclude: ['bar'] }, 'unavailable'],
    ['run "$X.js"', { argsStart: ['a.ts'] }, 'mismatched'],
    ['run "$X.js"', { argsStart: ['a.js'] }, 'unavailable'],
    ['run "a$X$Y.js"', { argsStart: ['a.js'] }, 'unavailable'],
    ['run "a${X}b${Y}c"', { argsStart: ['abxc'] }, 'unavailable'],
    ['run "a${X}b${Y}c"', { argsStart: ['axc'] }, 'mismatched'],
    ['run $X', { argsStart: ['a'] }, 'unavailable'],
    ['run $X b', { argsStart: ['b'] }, 'unavailable'],
    ['run a $X', { argsStart: ['b'] }, 'mismatched'],
    ['run a $X c', { argsStart: ['a', 'b', 'd'] }, 'unavailable'],
    ['run "$@"', { argsStart: ['a', 'b'] }, 'unavailable'],
    ['run "${X[@]}" b', { argsStart: ['b'] }, 'unavailable'],
    ['run *.py', { argsInclude: ['a.ts'] }, 'mismatched'],
    ['run *.py', { argsInclude: ['a.py'] }, 'unavailable'],
    ['run *.py x', { argsStart: ['x'] }, 'unavailable'],
    ['run {a,b}.txt', { argsInclude: ['a.txt'] }, 'unavailable'],
    ['run {a,b}.txt', { argsInclude: ['a.md'] }, 'mismatched'],
    ['run ~/x', { argsStart: ['/home/me/x'] }, 'unavailable'],
    ['run ~/x', { argsStart: ['/home/me/y'] }, 'mismatched'],
    ['run A=~/x', { argsStart: ['A=/home/me/x'] }, 'unavailable'],
    ['run "$X" --force', { excludes: ['--force'] }, 'mismatched'],
    ['run "$X"', { excludes: ['--force'] }, 'unavailable'],
    ['run "a$X"', { excludes: ['--force'] }, 'matched'],
    ['run $(cat x)', { argsStart: ['a'] }, 'unavailable'],
    ['run "$(cat x)"', { argsStart: ['a'] }, 'unavailable'],
    ['run "$(cat <<EOF\n$X\nEOF\n)"', { argsStart: ['a'] }, 'unavailable'],
    ['run "$((1 + 2))"', { argsStart: ['3'] }, 'unavailable'],
    ['run <(ls)', { argsStart: ['/dev/fd/63'] }, 'unavailable'],
    ['run "$X"; run a', { argsStart: ['a'] }, 'matched'],
    ['run "$X"; run b', { argsStart: ['a'] }, 'unavailable'],
  ])('%j %j: %s', (source, conditions, expected) => {
    expect(ask(source, 'run', conditions)).toBe(expected);
  });
});
