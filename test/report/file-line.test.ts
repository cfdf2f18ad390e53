import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileLine } from '../../src/report/file-line.js';
import { HOSTILE } from './outcomes.js';

test.each(HOSTILE)('a line of a file shows %s', (_what, text, shown) => {
  expect(fileLine(text, 1000)).toBe(shown);
});

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdefg', 6, 'abc...'],
  ['🙂🙂🙂🙂🙂🙂🙂', 6, '🙂🙂🙂...'],
  ['\u001b\u001b', 6, '\\u0...'],
  ['x'.repeat(1_000_000), 10, 'xxxxxxx...'],
])('a line of a file is cut, the cut marked', (text, length, shown) => {
  expect(fileLine(text, length)).toBe(shown);
});

test('a line of a file has no character that XML 1.0 forbids and survives UTF-8', () => {
  fc.assert(fc.property(fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }), (text) => {
    const line = fileLine(text, 50);
    expect(line).toMatch(/^[\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
    expect(Buffer.from(line).toString()).toBe(line);
    expect([...line].length).toBeLessThanOrEqual(50);
  }));
});
