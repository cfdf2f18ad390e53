import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { UpstreamError } from './errors.js';

/** An answer whose bytes can be read. */
export interface ReadableAnswer {
  readonly statusCode: number;
  /** As they came, without what said how the bytes were coded. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

const DECODERS = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;

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
  if (!Object.hasOwn(DECODERS, coding)) {
    answer.destroy();
    throw new UpstreamError(host, `it answers in the coding "${coding.slice(0, 50)}", which was not asked for`);
  }
  const { 'content-encoding': _coding, 'content-length': _length, ...rest } = headers;
  const body = DECODERS[coding as keyof typeof DECODERS]();
  answer.on('error', (error) => body.destroy(error)).on('close', () => { if (!answer.complete) body.destroy(new Error('it was closed')); });
  body.on('close', () => answer.destroy());
  answer.pipe(body);
  return { statusCode, headers: rest, body };
}
