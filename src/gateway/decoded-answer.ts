import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { PassThrough, pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { UpstreamError } from './errors.js';

/** An answer whose bytes can be read. */
export interface ReadableAnswer {
  readonly statusCode: number;
  /** As they came, without what said how the bytes were coded. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** By the name of the coding; `first` is the first byte. */
const DECODERS = new Map<string, (first: number) => Transform>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['br', () => createBrotliDecompress()],
  // Most who say deflate send it in its zlib wrapping, whose first byte ends in 8; some send it bare.
  ['deflate', (first: number) => ((first & 0x0f) === 8 ? createInflate() : createInflateRaw())],
]);

/**
 * Takes the coding off an answer. None is asked for, but some services compress all the same, and what cannot be read can neither be counted
 * nor be looked through for keys.
 *
 * @throws UpstreamError for a coding that is not known.
 */
export function decodedAnswer(answer: IncomingMessage, host: string): ReadableAnswer {
  const { statusCode = 502, headers } = answer;
  const coding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return { statusCode, headers, body: answer };
  const decoder = DECODERS.get(coding);
  if (decoder === undefined) {
    answer.destroy();
    throw new UpstreamError(host, `it answers in the coding "${coding.slice(0, 50)}", which was not asked for`);
  }
  const { 'content-encoding': _coding, 'content-length': _length, ...rest } = headers;
  const body = new PassThrough();
  const begin = (): void => {
    const first = answer.read() as Buffer | null;
    if (first === null) return;
    answer.removeListener('readable', begin).removeListener('end', end);
    answer.unshift(first);
    pipeline(answer, decoder(first[0] ?? 0), body, () => undefined);
  };
  // An answer without a body has no coding either.
  const end = (): void => void body.end();
  answer.on('readable', begin).once('end', end);
  answer.once('error', (error) => body.destroy(error));
  body.once('close', () => answer.destroy());
  return { statusCode, headers: rest, body };
}
