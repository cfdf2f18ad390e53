import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** Undoes one content encoding of a body that may have been cut. Throws when the bytes are none, or come to more than `mostBytes`. */
type Decode = (bytes: Uint8Array, mostBytes: number) => Uint8Array;

const { Z_SYNC_FLUSH: finishFlush, BROTLI_OPERATION_FLUSH } = constants;

const gunzip: Decode = (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength, finishFlush });

// Most who say deflate send it in its zlib wrapping, whose first byte ends in 8; some send it bare.
const inflate: Decode = (bytes, maxOutputLength) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, { maxOutputLength, finishFlush }) : inflateRawSync(bytes, { maxOutputLength, finishFlush });

const unbrotli: Decode = (bytes, maxOutputLength) => brotliDecompressSync(bytes, { maxOutputLength, finishFlush: BROTLI_OPERATION_FLUSH });

const DECODERS: ReadonlyMap<string, Decode> = new Map([['gzip', gunzip], ['x-gzip', gunzip], ['deflate', inflate], ['br', unbrotli]]);

/** What becomes of a body that says it is encoded. `unknown`: nobody here can read it. */
export type Encoding = 'plain' | 'encoded' | 'unknown';

/** Reads a `content-encoding`. Two encodings one over the other are `unknown`. */
export function encodingOf(contentEncoding: string | undefined): Encoding {
  const word = wordOf(contentEncoding);
  if (word === '' || word === 'identity') return 'plain';
  return DECODERS.has(word) ? 'encoded' : 'unknown';
}

/**
 * Decodes a body, as far as it goes when it was cut.
 *
 * @param mostBytes Of what comes out.
 * @returns `undefined` when it cannot be decoded, or comes to more.
 */
export function decoded(bytes: Uint8Array, contentEncoding: string | undefined, mostBytes: number): Uint8Array | undefined {
  try {
    return DECODERS.get(wordOf(contentEncoding))?.(bytes, mostBytes);
  } catch {
    return undefined;
  }
}

function wordOf(contentEncoding = ''): string {
  return contentEncoding.trim().toLowerCase();
}
