import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SpilledBytes } from '../../src/sandbox/spilled-bytes.js';

/** Bytes of many kinds, long enough for several pieces: whole characters of one to four bytes, and some that are none. */
function longOutput(seed: number): Buffer {
  const parts = [Buffer.from('plain text, '), Buffer.from('Gr\u00fc\u00dfe '), Buffer.from('\u65e5\u672c\u8a9e'), Buffer.from('\u{1f680}'), Buffer.from([0xff, 0xc3]), Buffer.from([0xf0, 0x9f, 0x9a]), Buffer.from([0x80, 0x80])];
  const chosen: Buffer[] = [];
  let state = seed;
  for (let size = 0; size < 13 * 1024 * 1024;) {
    state = (state * 1103515245 + 12345) % 2147483648;
    const part = parts[Math.floor(state / 65536) % parts.length]!;
    const run = Buffer.concat(Array<Buffer>(500).fill(part));
    chosen.push(run);
    size += run.length;
  }
  return Buffer.concat(chosen);
}

/** What Node makes of the whole is what the pieces must come to. */
async function through(bytes: Buffer, pieceBytes: number, memoryBytes?: number): Promise<string> {
  await using kept = new SpilledBytes(memoryBytes);
  for (let at = 0; at < bytes.length; at += pieceBytes) await kept.push(bytes.subarray(at, at + pieceBytes));
  return await kept.text();
}

describe('long output', () => {
  test.each([[1, 32_749], [2, 65_536], [3, 1_000_003], [4, 5_000_000]])('is the text that all its bytes are together (seed %i, pieces of %i)', async (seed, pieceBytes) => {
    const bytes = longOutput(seed);
    expect(await through(bytes, pieceBytes) === bytes.toString('utf8')).toBe(true);
  });

  test.each([[5, 32_749, 6_000_000], [6, 200_000, 2_000_000]])('is the same by way of a file (seed %i, pieces of %i, %i in memory)', async (seed, pieceBytes, memoryBytes) => {
    const bytes = longOutput(seed);
    expect(await through(bytes, pieceBytes, memoryBytes) === bytes.toString('utf8')).toBe(true);
  });

  test('that is short is the same, whatever its bytes are', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), async (bytes, pieceBytes) => {
      expect(await through(Buffer.from(bytes), pieceBytes)).toBe(Buffer.from(bytes).toString('utf8'));
    }));
  });

  test('can be forgotten and begun anew', async () => {
    await using kept = new SpilledBytes();
    await kept.push(Buffer.alloc(9 * 1024 * 1024, 'a'));
    await kept.clear();
    await kept.push(Buffer.from('b'));
    expect(await kept.text()).toBe('b');
  });
});
