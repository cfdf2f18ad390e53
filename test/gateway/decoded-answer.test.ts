import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodedAnswer } from '../../src/gateway/decoded-answer.js';
import { UpstreamError } from '../../src/gateway/errors.js';
import { messagesBody, post, serveGateway, TOKEN } from './serving.js';
import { ANTHROPIC_STREAM, serveUpstream } from './upstream-server.js';

const TEXT = ANTHROPIC_STREAM.join('');

/** What comes of an answer that a server sends in pieces, and cuts where a length is given that it does not reach. */
async function through(coding: string, bytes: Buffer, { portion = bytes.length, length = bytes.length }: { readonly portion?: number; readonly length?: number } = {}): Promise<{ readonly text: string; readonly error: unknown; readonly encoding: string | undefined }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': coding, 'content-length': length });
    for (let at = 0; at < bytes.length; at += portion) response.write(bytes.subarray(at, at + portion));
    if (length === bytes.length) response.end();
    else response.write('', () => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const [answer] = await once(get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }), 'response') as [IncomingMessage];
    const { body, headers } = decodedAnswer(answer, 'models.example');
    let text = '';
    let error: unknown;
    try {
      for await (const piece of body as AsyncIterable<Buffer>) text += piece.toString();
    } catch (reason) {
      error = reason;
    }
    return { text, error, encoding: headers['content-encoding'] };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe.each([
  ['gzip', gzipSync], ['x-gzip', gzipSync], ['GZip ', gzipSync], ['deflate', deflateSync], ['deflate', deflateRawSync], ['br', brotliCompressSync],
])('an answer in the coding %s', (coding, encode) => {
  test.each([[1], [7], [100_000]])('is what it was before, in portions of %i', async (portion) => {
    expect(await through(coding, encode(Buffer.from(TEXT)), { portion })).toEqual({ text: TEXT, error: undefined, encoding: undefined });
  });

  test('that breaks off is no whole one', async () => {
    const bytes = encode(Buffer.from(TEXT));
    const { text, error } = await through(coding, bytes.subarray(0, -8), { length: bytes.length });
    expect(error).toBeInstanceOf(Error);
    expect(TEXT.startsWith(text)).toBe(true);
  });

  test('that is none is no whole one', async () => {
    const { error } = await through(coding, Buffer.from([0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa]));
    expect(error).toBeInstanceOf(Error);
  });

  test('may be empty', async () => {
    expect(await through(coding, Buffer.alloc(0))).toEqual({ text: '', error: undefined, encoding: undefined });
  });
});

test('an answer without a coding is left as it is', async () => {
  expect(await through('identity', Buffer.from(TEXT))).toEqual({ text: TEXT, error: undefined, encoding: 'identity' });
});

test.each(['zstd', 'gzip, br', 'constructor'])('the coding "%s" is refused', async (coding) => {
  await expect(through(coding, Buffer.from(TEXT))).rejects.toThrow(new UpstreamError('models.example', `it answers in the coding "${coding}", which was not asked for`).message);
});

test('a failure that grows when it is uncompressed is cut, as any long one', async () => {
  await using upstream = await serveUpstream((response) => void response.writeHead(500, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000, ' '))));
  await using gateway = await serveGateway();
  gateway.sessions.open({ id: 'one', token: TOKEN, mode: { kind: 'forward', upstreams: { anthropic: { baseUrl: upstream.url, headers: {} } } } });
  const response = await post(`${gateway.url}/v1/messages`, messagesBody());
  expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([500, 1024 * 1024]);
});
