import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, REDACTED, redactedBytes } from '../../src/sandbox/redactor.js';

const text = (...parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('utf8');

describe('secrets in a stream', () => {
  test('pass everything on at once that cannot be the beginning of one', () => {
    const redactor = createRedactor(['very-secret-token']);
    expect(text(redactor.push(Buffer.from('{"answer":true}\n')))).toBe('{"answer":true}\n');
    expect(text(redactor.push(Buffer.from('a very-')))).toBe('a ');
    expect(text(redactor.push(Buffer.from('good day\n')))).toBe('very-good day\n');
    expect(text(redactor.push(Buffer.from('a very-secret-')), redactor.push(Buffer.from('token\n')))).toBe(`a ${REDACTED}\n`);
  });

  test('are found as JSON writes them, too', () => {
    expect(text(redactedBytes(['a"b\\c'], Buffer.from(JSON.stringify({ said: 'a"b\\c', plain: 1 }))))).toBe(`{"said":"${REDACTED}","plain":1}`);
  });

  test('are replaced the same way however the stream is cut, the longer of two that overlap first', () => {
    const alphabet = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 });
    const secrets = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 }), { maxLength: 3 });
    fc.assert(fc.property(alphabet, secrets, fc.array(fc.nat(40)), (whole, hidden, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((x, y) => x - y), whole.length];
      const redactor = createRedactor(hidden);
      const pieces = places.slice(1).map((end, index) => redactor.push(Buffer.from(whole.slice(places[index], end))));
      const told = text(...pieces, redactor.flush());
      expect(told).toBe(text(redactedBytes(hidden, Buffer.from(whole))));
      for (const secret of hidden) if (secret !== '') expect(told.split(REDACTED).join('|')).not.toContain(secret);
    }), { numRuns: 2000 });
  });
});
