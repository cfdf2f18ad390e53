import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clip, plainLine } from '../../src/report/plain-text.js';

describe('plainLine', () => {
  test.each<[string, string, string]>([
    ['leaves ordinary text of any language as it is', 'Größe: 5 µm, 日本語, 🙂', 'Größe: 5 µm, 日本語, 🙂'],
    ['makes one line of several', 'a\nb\n', 'a | b | '],
    ['shows a carriage return, which would overwrite the line', 'passed\rfailed', 'passed\\u000dfailed'],
    ['makes a blank of a tab', 'a\tb', 'a b'],
    ['shows ANSI escapes', '\u001b[31mred\u001b[0m\u001b]0;title\u0007', '\\u001b[31mred\\u001b[0m\\u001b]0;title\\u0007'],
    ['shows the one-character form of an escape', '\u009b31mred', '\\u009b31mred'],
    ['shows a backspace, a NUL and a delete', 'a\bb\u0000c\u007f', 'a\\u0008b\\u0000c\\u007f'],
    ['shows other ends of lines', 'a\u0085b\u2028c\u2029d\u000be\u000cf', 'a\\u0085b\\u2028c\\u2029d\\u000be\\u000cf'],
    ['shows embeddings and overrides of direction', '\u202a\u202b\u202c\u202d\u202e', '\\u202a\\u202b\\u202c\\u202d\\u202e'],
    ['shows isolates of direction', '\u2066\u2067\u2068\u2069', '\\u2066\\u2067\\u2068\\u2069'],
    ['shows marks of direction', '\u061c\u200e\u200f', '\\u061c\\u200e\\u200f'],
  ])('%s', (_what, text, shown) => {
    expect(plainLine(text)).toBe(shown);
  });

  test('never lets a control or format-of-direction character through', () => {
    fc.assert(fc.property(fc.string({ unit: fc.integer({ min: 0, max: 0x2070 }).map((code) => String.fromCodePoint(code)) }), (text) => {
      expect(plainLine(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    }));
  });
});

test.each<[string, number, string]>([
  ['abcdef', 6, 'abcdef'],
  ['abcdefg', 6, 'abc...'],
  ['🙂🙂🙂🙂🙂🙂', 6, '🙂🙂🙂🙂🙂🙂'],
  ['🙂🙂🙂🙂🙂🙂🙂', 6, '🙂🙂🙂...'],
  ['', 6, ''],
])('clip keeps "%s" within %d characters and marks the cut', (text, length, clipped) => {
  expect(clip(text, length)).toBe(clipped);
});
