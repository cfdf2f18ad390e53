import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWholeCharacters } from '../../src/sandbox/whole-characters.js';

const strict = new TextDecoder('utf-8', { fatal: true });

describe('whole characters', () => {
  it('come whatever the pieces are, and together are the text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), fc.array(fc.integer({ min: 1, max: 7 })), (text, sizes) => {
      const bytes = Buffer.from(text);
      const characters = createWholeCharacters();
      const parts: string[] = [];
      let at = 0;
      for (const size of [...sizes, bytes.length]) {
        parts.push(strict.decode(characters.push(bytes.subarray(at, at + size))));
        at += size;
      }
      parts.push(strict.decode(characters.flush()));
      expect(parts.join('')).toBe(bytes.toString());
    }));
  });

  it('lose and change no byte that is no UTF-8, and hold at most three back', () => {
    fc.assert(fc.property(fc.array(fc.uint8Array({ maxLength: 9 })), (chunks) => {
      const characters = createWholeCharacters();
      let [came, passed] = [0, 0];
      const out = chunks.map((chunk) => {
        const part = Buffer.from(characters.push(chunk));
        came += chunk.length;
        passed += part.length;
        expect(came - passed).toBeLessThanOrEqual(3);
        return part;
      });
      expect(Buffer.concat([...out, characters.flush()])).toEqual(Buffer.concat(chunks));
    }));
  });
});
