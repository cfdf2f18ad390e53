import fc from 'fast-check';
import { expect, test } from 'vitest';
import { piecesOf } from '../../src/gateway/pieces.js';

test('gives back the whole text and never cuts a surrogate pair', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '😀', '👩‍💻', '\ud800', '\u2028'), maxLength: 400 }), (text) => {
      const pieces = [...piecesOf(text)];
      expect(pieces.join('')).toBe(text);
      for (const [index, piece] of pieces.entries()) {
        const next = pieces[index + 1];
        const cut = /[\ud800-\udbff]$/.test(piece) && next !== undefined && /^[\udc00-\udfff]/.test(next);
        expect(cut).toBe(false);
        expect(piece).not.toBe('');
      }
    }),
  );
});

test('cuts a long text into about 200 pieces', () => {
  expect([...piecesOf('x'.repeat(1_000_000))]).toHaveLength(200);
});
