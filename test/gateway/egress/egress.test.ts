import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { Resolver } from 'node:dns/promises';
import { createSocket } from 'node:dgram';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { DeniedLog } from '../../../src/gateway/egress/denied.js';
import { openNameServer } from '../../../src/gateway/egress/name-server.js';
import { openRelay, type RelayOptions } from '../../../src/gateway/egress/relay.js';

describe('the name server', () => {
  it('gives its own address to what is allowed, and denies the rest', async () => {
    const denied: string[] = [];
    await using server = await openNameServer({ address: '127.0.0.1', port: 0, isAllowed: (name) => name.toLowerCase() === 'a.example', onDenied: (name) => denied.push(name) });
    const resolver = new Resolver({ timeout: 2_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${server.port}`]);
    expect(await resolver.resolve4('a.example')).toEqual(['127.0.0.1']);
    await expect(resolver.resolve6('a.example')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolve4('b.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolver.resolveTxt('secret-in-a-name.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(denied).toEqual(['b.example', 'secret-in-a-name.example']);
  });

  it('lives on after bytes that are no query', async () => {
    await using server = await openNameServer({ address: '127.0.0.1', port: 0, isAllowed: () => true, onDenied: () => undefined });
    const socket = createSocket('udp4');
    for (const bytes of [Buffer.alloc(0), Buffer.from('no query'), Buffer.alloc(12, 255), Buffer.alloc(600, 0xc0)]) {
      await new Promise((resolve) => { socket.send(bytes, server.port, '127.0.0.1', resolve); });
    }
    socket.close();
    const resolver = new Resolver({ timeout: 2_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${server.port}`]);
    expect(await resolver.resolve4('a.example')).toEqual(['127.0.0.1']);
  });
});

/** An address of this machine that is not its loopback, which the relay never connects to. */
const OWN = Object.values(networkInterfaces()).flatMap((list) => list ?? []).find((item) => item.family === 'IPv4' && !item.internal)?.address ?? '';

async function listening(server: Server): Promise<number> {
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function relayTo(targetPort: number, extra: Partial<RelayOptions> = {}) {
  const denied: string[] = [];
  const relay = await openRelay({
    address: '127.0.0.1', port: 0, protocol: 'http', targetPort, isAllowed: (host) => host === 'a.example',
    onDenied: (via, host) => denied.push(`${via} ${host}`), resolve: () => Promise.resolve([OWN]), ...extra,
  });
  return { relay, denied };
}

/** Everything that comes back until the end. */
async function ask(port: number, head: string): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(head);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

describe('the relay', () => {
  const request = (host: string): string => `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

  it('passes on what is allowed, byte for byte, and nothing else', async () => {
    const heads: string[] = [];
    const http = createHttpServer((req, res) => {
      heads.push(String(req.headers.host));
      res.end('x'.repeat(1_000_000));
    });
    const { relay, denied } = await relayTo(await listening(http));
    await using _relay = relay;
    expect((await ask(relay.port, request('a.example'))).endsWith('x'.repeat(1_000_000))).toBe(true);
    expect(await ask(relay.port, request('b.example'))).toBe('');
    expect(await ask(relay.port, 'no request\r\n\r\n')).toBe('');
    expect(heads).toEqual(['a.example']);
    expect(denied).toEqual(['http b.example', 'http ']);
    http.close();
  });

  it('loses nothing to a client that reads slowly and has nothing more to say', async () => {
    const whole = createServer((socket) => { socket.resume().on('error', () => undefined); socket.end('y'.repeat(8_000_000)); });
    const { relay } = await relayTo(await listening(whole));
    await using _relay = relay;
    const ended = new Promise<void>((resolve) => { whole.once('connection', (socket: Socket) => { socket.once('finish', resolve); }); });
    const socket = connect({ port: relay.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end(request('a.example'));
    await ended;
    let length = 0;
    for await (const chunk of socket) length += (chunk as Buffer).length;
    expect(length).toBe(8_000_000);
    whole.close();
  });

  it.each(['127.0.0.1', '::1', '169.254.169.254', '10.213.0.14', '10.214.3.2', '0.0.0.0', '::ffff:127.0.0.1'])('does not go to %s, whatever name leads there', async (address) => {
    const { relay, denied } = await relayTo(9, { resolve: () => Promise.resolve([address]) });
    await using _relay = relay;
    expect(await ask(relay.port, request('a.example'))).toBe('');
    expect(denied).toEqual(['http a.example']);
  });

  it('ends a connection to a host that cannot be found or does not answer', async () => {
    const closed = createServer();
    const port = await listening(closed);
    closed.close();
    await once(closed, 'close');
    for (const resolve of [() => Promise.reject(new Error('no such host')), () => Promise.resolve([]), () => Promise.resolve([OWN])]) {
      const { relay } = await relayTo(port, { resolve });
      await using _relay = relay;
      expect(await ask(relay.port, request('a.example'))).toBe('');
    }
  });

  it('cuts connections that are open', async () => {
    const silent = createServer();
    const { relay } = await relayTo(await listening(silent));
    await using _relay = relay;
    const came = once(silent, 'connection');
    const answer = ask(relay.port, request('a.example'));
    const [server] = await came as [Socket];
    server.on('error', () => undefined);
    relay.cut();
    expect(await answer).toBe('');
    server.destroy();
    silent.close();
  });
});

describe('the log of what was denied', () => {
  it('counts, and begins anew when it was taken', () => {
    const log = new DeniedLog();
    log.add('dns', 'B.example');
    log.add('tls', 'b.example');
    log.add('dns', 'b.example');
    expect(log.take()).toEqual([{ via: 'dns', host: 'b.example', count: 2 }, { via: 'tls', host: 'b.example', count: 1 }]);
    expect(log.take()).toEqual([]);
  });

  it('does not grow with what an agent makes up, and loses no count', () => {
    const log = new DeniedLog();
    for (let index = 0; index < 10_000; index += 1) log.add('dns', `${index}.${'x'.repeat(400)}`);
    const taken = log.take();
    expect(taken).toHaveLength(201);
    expect(taken.at(-1)).toEqual({ via: 'dns', host: '', count: 9_800 });
    expect(Math.max(...taken.map(({ host }) => host.length))).toBe(253);
  });
});
