import { gzipSync } from 'node:zlib';
import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { forwardingGateway, OTHER_TOKEN, rawServer, requestOf, talk, type ForwardingGateway } from './raw-sockets.js';
import { messagesBody, post } from './serving.js';

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const whole = (heard: string): boolean => heard.endsWith('}');

const ask = (gateway: ForwardingGateway): Promise<Response> => post(`${gateway.url}/v1/messages`, messagesBody(), { headers: { 'x-api-key': OTHER_TOKEN } });

describe('an answer that is none is a 502', () => {
  test.each<[what: string, answer: string]>([
    ['no HTTP', 'hello\r\n\r\n'], ['HTTP/0.9', '{"type":"message"}'], ['a status of no number', 'HTTP/1.1 OK OK\r\n\r\n'], ['the status 99', 'HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n'],
    ['the status 0', 'HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n'], ['the status 600', 'HTTP/1.1 600 X\r\ncontent-length: 0\r\n\r\n'], ['the status 999', 'HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'], ['two lengths', `${OK}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`], ['a length below zero', `${OK}content-length: -2\r\n\r\n{}`],
    ['a length and a coding', `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`], ['a space before a colon', `${OK}x-a : b\r\ncontent-length: 2\r\n\r\n{}`],
    ['a header of 1 MB', `${OK}x-a: ${'a'.repeat(1_000_000)}\r\ncontent-length: 2\r\n\r\n{}`], ['a NUL in a header', `${OK}x-a: b\0\r\ncontent-length: 2\r\n\r\n{}`],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'], ['another protocol without its name', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['nothing', ''], ['half a head', 'HTTP/1.1 200 OK\r\ncontent-'], ['answers that are none', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(200)], ['hints without end', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(200)],
  ])('%s', async (_, answer) => {
    await using service = await rawServer((heard, socket) => { if (whole(heard)) socket.end(answer, 'latin1'); });
    await using gateway = await forwardingGateway(service.url);
    const response = await ask(gateway);
    expect(response.status).toBe(502);
    expect(await response.text()).toMatch(/The model service at 127\.0\.0\.1:\d+ could not be asked: /);
    expect((await gateway.exchanges(1)).map(({ outcome, status, sessionId }) => [outcome, status, sessionId])).toEqual([['upstream-failed', 502, 'two']]);
    expect(gateway.faults).toEqual([]);
    expect((await ask(gateway)).status).toBe(502);
  });

  test('so are answers without end that are none', async () => {
    await using service = await rawServer((heard, socket) => {
      if (!whole(heard)) return;
      const flood = (): void => { while (!socket.destroyed && socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000))); };
      socket.on('drain', flood);
      flood();
    });
    await using gateway = await forwardingGateway(service.url);
    expect((await ask(gateway)).status).toBe(502);
    await service.closed;
  });
});

describe('an answer that breaks off is cut', () => {
  test.each<[what: string, answer: string]>([
    ['before its length', `${OK}content-length: 100\r\n\r\n{}`], ['in a chunk', `${OK}transfer-encoding: chunked\r\n\r\n5\r\n{}`], ['before its last chunk', `${OK}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`],
    ['with a chunk that is none', `${OK}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\nx\r\n`], ['with a chunk below zero', `${OK}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n-1\r\n`],
  ])('%s', async (_, answer) => {
    await using service = await rawServer((heard, socket) => { if (whole(heard)) socket.end(answer); });
    await using gateway = await forwardingGateway(service.url);
    await expect(ask(gateway).then((response) => response.text())).rejects.toThrow();
    expect((await gateway.exchanges(1)).map(({ outcome, sessionId }) => [outcome, sessionId])).toEqual([['upstream-failed', 'two']]);
    expect(gateway.faults).toEqual([]);
  });
});

describe('an answer that is odd is passed on without harm', () => {
  test.each<[what: string, answer: string, status: number, body: string]>([
    ['one that says first to go on', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n${OK}content-length: 2\r\n\r\n{}`, 200, '{}'],
    ['one that goes on after its length', `${OK}content-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n"evil"`, 200, '{}'],
    ['one without a length', `${OK}connection: close\r\n\r\n{}`, 200, '{}'],
    ['one of HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\n{}', 200, '{}'],
    ['one with trailers', `${OK}trailer: x-evil\r\ntransfer-encoding: chunked\r\n\r\n2;x=y\r\n{}\r\n0\r\nx-evil: 1\r\n\r\n`, 200, '{}'],
    ['one with headers of the connection', `${OK}connection: close, x-evil\r\nx-evil: 1\r\nproxy-authenticate: Basic x-evil\r\ncontent-length: 2\r\n\r\n{}`, 200, '{}'],
    ['one that leads elsewhere', 'HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:9/elsewhere\r\ncontent-length: 0\r\n\r\n', 307, ''],
    ['one with characters of Latin-1', `${OK}x-a: caf\xe9\r\ncontent-length: 2\r\n\r\n{}`, 200, '{}'],
    ['one of a name of a prototype', `${OK}__proto__: x\r\nconstructor: y\r\ncontent-length: 2\r\n\r\n{}`, 200, '{}'],
    ['one that is not there', 'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n', 204, ''],
  ])('%s', async (_, answer, status, body) => {
    await using service = await rawServer((heard, socket) => { if (whole(heard)) socket.end(answer, 'latin1'); });
    await using gateway = await forwardingGateway(service.url);
    const response = await post(`${gateway.url}/v1/messages`, messagesBody(), { redirect: 'manual' });
    expect([response.status, await response.text()]).toEqual([status, body]);
    expect([...response.headers].join()).not.toContain('evil');
    expect((await gateway.exchanges(1)).map(({ outcome, sessionId }) => [outcome, sessionId])).toEqual([['forwarded', 'one']]);
    expect(gateway.faults).toEqual([]);
  });

  test('one that is compressed without being asked for it is uncompressed, so that it can be counted and looked through for keys', async () => {
    const text = '{"type":"message","model":"claude-x","usage":{"input_tokens":3,"output_tokens":4}}';
    const body = gzipSync(text);
    await using service = await rawServer((heard, socket) => { if (whole(heard)) socket.end(Buffer.concat([Buffer.from(`${OK}content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`), body])); });
    await using gateway = await forwardingGateway(service.url);
    const answer = await talk(gateway.port, requestOf('POST /v1/messages HTTP/1.1', ['connection: close', 'content-length: 2'], '{}'));
    expect(answer).toContain(text);
    expect(answer.toLowerCase()).not.toContain('content-encoding');
    expect((await gateway.exchanges(1))[0]).toMatchObject({ outcome: 'forwarded', model: 'claude-x', usage: { inputTokens: 3, outputTokens: 4 } });
  });

  test('one that nobody asked for is nobody’s', async () => {
    let say = (): Promise<void> => Promise.resolve();
    await using service = await rawServer((heard, socket) => {
      if (!whole(heard)) return;
      const count = heard.split('POST ').length - 1;
      socket.write(`${OK}content-length: 3\r\n\r\n"${count}"`);
      say = () => new Promise((resolve) => socket.write(`${OK}content-length: 6\r\n\r\n"evil"`, () => resolve()));
    });
    await using gateway = await forwardingGateway(service.url);
    expect(await (await ask(gateway)).text()).toBe('"1"');
    await say();
    // Over the same connection or a fresh one.
    expect(await (await post(`${gateway.url}/v1/messages`, messagesBody())).text()).toMatch(/^"[12]"$/);
  });
});

describe('an answer without end', () => {
  test('is not read any longer when its client is gone', async () => {
    await using service = await rawServer((heard, socket) => {
      if (!whole(heard)) return;
      socket.write(`${OK}\r\n[`);
      const flood = (): void => { while (!socket.destroyed && socket.write('"aaaaaaaaaaaaaaaa",'.repeat(1_000))); };
      socket.on('drain', flood);
      flood();
    });
    await using gateway = await forwardingGateway(service.url);
    const client = connect(gateway.port, '127.0.0.1');
    client.write(requestOf('POST /v1/messages HTTP/1.1', ['content-length: 2'], '{}'));
    await once(client, 'data');
    client.destroy();
    await service.closed;
    expect((await gateway.exchanges(1)).map(({ outcome }) => outcome)).toEqual(['aborted']);
  });

  test('of a failure is cut', async () => {
    await using service = await rawServer((heard, socket) => {
      if (!whole(heard)) return;
      socket.write('HTTP/1.1 500 Internal Server Error\r\n\r\n');
      const flood = (): void => { while (!socket.destroyed && socket.write('a'.repeat(50_000))); };
      socket.on('drain', flood);
      flood();
    });
    await using gateway = await forwardingGateway(service.url);
    const response = await ask(gateway);
    expect([response.status, (await response.text()).length]).toEqual([500, 1024 * 1024]);
    await service.closed;
  });

  test('of a failure that told its length is whole as far as it goes', async () => {
    await using service = await rawServer((heard, socket) => { if (whole(heard)) socket.end(`HTTP/1.1 500 Internal Server Error\r\ncontent-length: 3000000\r\n\r\n${'a'.repeat(3_000_000)}`); });
    await using gateway = await forwardingGateway(service.url);
    const response = await ask(gateway);
    expect([response.status, response.headers.get('content-length'), (await response.text()).length]).toEqual([500, '1048576', 1024 * 1024]);
  });
});
