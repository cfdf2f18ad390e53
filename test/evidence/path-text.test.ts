import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapePath, escapePathText, unescapePath } from '../../src/evidence/path-text.js';

test.each<[string, readonly number[], string]>([
  ['leaves printable ASCII as it is', [...Buffer.from("src/a-b_c.~!#$&'()*+,;=:@[]^`{|}")], "src/a-b_c.~!#$&'()*+,;=:@[]^`{|}"],
  ['a space', [0x20], '%20'],
  ['a percent sign', [...Buffer.from('100%25')], '100%2525'],
  ['a double quote', [0x22], '%22'],
  ['a backslash', [0x5c], '%5C'],
  ['a newline', [0x61, 0x0a, 0x62], 'a%0Ab'],
  ['a tab and a carriage return', [0x09, 0x0d], '%09%0D'],
  ['the last of ASCII', [0x7e, 0x7f], '~%7F'],
  ['UTF-8', [...Buffer.from('é')], '%C3%A9'],
  ['bytes that are not UTF-8', [0x66, 0xff, 0xfe], 'f%FF%FE'],
])('escapes %s', (_what, bytes, text) => {
  expect(escapePath(Uint8Array.from(bytes))).toBe(text);
  expect([...unescapePath(text)]).toEqual(bytes);
});

test('escapes the text of an author as UTF-8', () => {
  expect(escapePathText('docs/naïve plan.md')).toBe('docs/na%C3%AFve%20plan.md');
});

test('gives any bytes back, so two paths never look the same', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
    expect([...unescapePath(escapePath(bytes))]).toEqual([...bytes]);
  }));
});

test('stays in printable ASCII without quotes and backslashes, whatever the bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
    expect(escapePath(bytes)).toMatch(/^[!#-[\]-~]*$/);
  }));
});
