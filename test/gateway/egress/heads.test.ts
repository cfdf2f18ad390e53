import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { readClientHello } from '../../../src/gateway/egress/client-hello.js';
import { readHttpHost } from '../../../src/gateway/egress/http-host.js';

/** The first bytes that a client sends to a server which says nothing. */
async function firstBytes(begin: (port: number) => void): Promise<Buffer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const came = once(server, 'connection');
  begin((server.address() as AddressInfo).port);
  const [socket] = await came as [Socket];
  const [bytes] = await once(socket, 'data') as [Buffer];
  socket.destroy();
  server.close();
  return bytes;
}

const helloOf = (options: { servername?: string; maxVersion?: 'TLSv1.2' }): Promise<Buffer> => firstBytes((port) => {
  connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }).on('error', () => undefined);
});

/** A hello as several records with so many bytes each. */
function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

describe('the name in a TLS hello', () => {
  it.each([{}, { maxVersion: 'TLSv1.2' as const }])('is read from what Node sends %j', async (options) => {
    expect(readClientHello(await helloOf({ servername: 'a.example', ...options }))).toEqual({ kind: 'hello', serverName: 'a.example' });
  });

  it('is read from what openssl sends', async () => {
    const bytes = await firstBytes((port) => { void execa('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, '-servername', 'b.example'], { reject: false, input: '', timeout: 20_000 }); });
    expect(readClientHello(bytes)).toEqual({ kind: 'hello', serverName: 'b.example' });
  });

  it('may be missing', async () => {
    expect(readClientHello(await helloOf({}))).toEqual({ kind: 'hello', serverName: undefined });
  });

  it('is waited for until the hello is whole, over any number of records', async () => {
    const hello = await helloOf({ servername: 'a.example' });
    for (let length = 0; length < hello.length; length += 1) expect(readClientHello(hello.subarray(0, length))).toEqual({ kind: 'unfinished' });
    for (const size of [1, 7, 100]) {
      const split = inRecords(hello, size);
      expect(readClientHello(split)).toEqual({ kind: 'hello', serverName: 'a.example' });
      expect(readClientHello(split.subarray(0, -1))).toEqual({ kind: 'unfinished' });
    }
  });

  it.each([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n')],
    ['SSH', Buffer.from('SSH-2.0-x\r\n')],
    ['an alert', Buffer.from([21, 3, 1, 0, 2, 1, 0])],
    ['another handshake message', Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0])],
    ['a record that is too long', Buffer.from([22, 3, 1, 255, 255, 1])],
    ['lengths that lead out of the message', Buffer.from([22, 3, 1, 0, 40, 1, 0, 0, 36, 3, 3, ...Array<number>(32).fill(0), 255, 0])],
  ])('is not looked for in %s', (_what, bytes) => {
    expect(readClientHello(bytes)).toEqual({ kind: 'other' });
  });
});

describe('heads that are made to take long', () => {
  it.each([
    ['HTTP', () => readHttpHost(Buffer.from(`GET / HTTP/1.1\r\nHost:${' '.repeat(15_000)}\n\r\n\r\n`))],
    ['TLS in records of one byte', () => readClientHello(Buffer.concat(Array.from({ length: 8_000 }, () => Buffer.from([22, 3, 1, 0, 1, 1]))))],
  ])('are refused at once: %s', (_what, read) => {
    const begun = performance.now();
    expect(read()).toEqual({ kind: 'other' });
    // With the time growing by the second or third power of the length these took seconds.
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

describe('the host of an HTTP request', () => {
  it.each([
    ['GET / HTTP/1.1\r\nHost: a.example\r\n\r\n', 'a.example'],
    ['GET /x?y HTTP/1.1\r\nAccept: */*\r\nhOsT:a.example:80 \r\n\r\nrest', 'a.example'],
    ['POST / HTTP/1.0\r\nHost:\ta.example\r\n\r\n', 'a.example'],
  ])('is read from %j', (head, host) => {
    expect(readHttpHost(Buffer.from(head))).toEqual({ kind: 'host', host });
  });

  it('is waited for until the head is whole', () => {
    const head = 'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n';
    for (let length = 0; length < head.length; length += 1) expect(readHttpHost(Buffer.from(head.slice(0, length)))).toEqual({ kind: 'unfinished' });
  });

  it.each([
    ['two hosts', 'GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['an absolute form', 'GET http://b.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n'],
    ['a tunnel', 'CONNECT b.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n'],
    ['a host with a user', 'GET / HTTP/1.1\r\nHost: b@a.example\r\n\r\n'],
    ['a folded field', 'GET / HTTP/1.1\r\nHost: a.example b\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x00'],
    ['a field with a bare line break', 'GET / HTTP/1.1\r\nHost: a.example\nHost: b.example\r\n\r\n'],
    ['a head that is too long', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\nHost: a.example\r\n\r\n`],
    ['a head without end', `GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}`],
  ])('is not taken from %s', (_what, head) => {
    expect(readHttpHost(Buffer.from(head, 'latin1'))).toEqual({ kind: 'other' });
  });
});
