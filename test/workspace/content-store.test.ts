import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createContentStore } from '../../src/workspace/content-store.js';

const MIB = 1024 * 1024;
let folder: string;
beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'niceeval-blobs-')); });
afterEach(async () => { await rm(folder, { recursive: true, force: true }); });

const streamOf = (...chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> => Readable.from(chunks);
const hashOf = (...chunks: readonly Uint8Array[]): string => createHash('sha256').update(Buffer.concat(chunks)).digest('hex');

describe('createContentStore', () => {
  test('keeps bytes under their hash and gives them back', async () => {
    const store = createContentStore(join(folder, 'blobs'));
    const chunks = [Buffer.from('a + '), Buffer.from('b')];
    expect(await store.take(streamOf(...chunks))).toEqual({ sha256: hashOf(...chunks), binary: false });
    expect(Buffer.from(await store.read(hashOf(...chunks)) ?? []).toString()).toBe('a + b');
    expect(await readdir(join(folder, 'blobs'))).toEqual([hashOf(...chunks)]);
  });

  test('keeps an empty file', async () => {
    const store = createContentStore(folder);
    expect(await store.take(streamOf())).toEqual({ sha256: hashOf(), binary: false });
    expect((await store.read(hashOf()))?.length).toBe(0);
  });

  test('does not know what was never taken', async () => {
    expect(await createContentStore(folder).read('0'.repeat(64))).toBeUndefined();
  });

  test('keeps a file of one MiB, and of a larger one the size of which is known only the hash', async () => {
    const store = createContentStore(folder);
    const limit = Buffer.alloc(MIB, 'x');
    const more = [limit, Buffer.from('y')];
    expect(await store.take(streamOf(limit))).toEqual({ sha256: hashOf(limit), binary: false });
    expect(await store.take(streamOf(...more))).toEqual({ sha256: hashOf(...more), binary: false, gap: 'too-large' });
    expect((await store.read(hashOf(limit)))?.length).toBe(MIB);
    expect(await store.read(hashOf(...more))).toBeUndefined();
    expect(await readdir(folder)).toEqual([hashOf(limit)]);
  });

  test('keeps 64 MiB in all, counts equal contents once, and still keeps what fits', async () => {
    const store = createContentStore(folder);
    const numbered = (index: number): Buffer => Buffer.alloc(MIB, `${index} `);
    for (let index = 0; index < 63; index += 1) await store.take(streamOf(numbered(index)));
    await store.take(streamOf(numbered(0)));
    const half = Buffer.alloc(MIB / 2, 'h');
    expect(await store.take(streamOf(half))).toEqual({ sha256: hashOf(half), binary: false });
    const tooMuch = numbered(64);
    expect(await store.take(streamOf(tooMuch))).toEqual({ sha256: hashOf(tooMuch), binary: false, gap: 'limit-reached' });
    expect(await store.read(hashOf(tooMuch))).toBeUndefined();
    expect(await store.take(streamOf(numbered(7)))).toEqual({ sha256: hashOf(numbered(7)), binary: false });
    const rest = Buffer.alloc(MIB / 2, 'r');
    expect(await store.take(streamOf(rest))).toEqual({ sha256: hashOf(rest), binary: false });
    expect((await readdir(folder)).length).toBe(65);
  });
});

describe('binary is what has a NUL byte or is not UTF-8', () => {
  const padding = Buffer.alloc(2 * MIB, 'x');
  const euro = Buffer.from('€');
  const cases: readonly [string, readonly Uint8Array[], boolean][] = [
    ['ASCII', [Buffer.from('abc')], false],
    ['UTF-8', [Buffer.from('naïve 日本 🙂')], false],
    ['a character that lies on two chunks', [euro.subarray(0, 1), euro.subarray(1)], false],
    ['a NUL byte at the end', [Buffer.from('abc\0')], true],
    ['a NUL byte in a later chunk', [Buffer.from('abc'), Buffer.from([0])], true],
    ['a byte that is never UTF-8', [Buffer.from([0x61, 0xff])], true],
    ['a character that is cut at the end', [Buffer.from('abc'), euro.subarray(0, 2)], true],
    ['an encoded surrogate', [Buffer.from([0xed, 0xa0, 0x80])], true],
    ['UTF-16', [Buffer.from('abc', 'utf16le')], true],
  ];
  test.each(cases)('%s, in a file that is kept', async (_what, chunks, binary) => {
    expect((await createContentStore(folder).take(streamOf(...chunks))).binary).toBe(binary);
  });
  test.each(cases)('%s, behind a part that is too large to keep', async (_what, chunks, binary) => {
    expect(await createContentStore(folder).take(streamOf(padding, ...chunks))).toEqual({ sha256: hashOf(padding, ...chunks), binary, gap: 'too-large' });
  });
  test.each(cases.filter(([, chunks]) => chunks.length > 1))('%s, where the limit lies between its chunks', async (_what, [first = Buffer.alloc(0), ...others], binary) => {
    const start = Buffer.concat([Buffer.alloc(MIB - first.length, 'x'), first]);
    expect(await createContentStore(folder).take(streamOf(start, ...others))).toEqual({ sha256: hashOf(start, ...others), binary, gap: 'too-large' });
  });
});
