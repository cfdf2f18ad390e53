import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { ServerLimits } from '../../src/gateway/server.js';
import type { Upstream } from '../../src/gateway/upstream.js';
import { serveGateway, TOKEN, type ServingGateway } from './serving.js';

export const KEY = 'sk-real-key-of-the-vendor';
export const OTHER_TOKEN = 'token-of-session-two';

/** A server on loopback, down to the bytes. */
export interface RawServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** What came over each connection, in latin1. */
  readonly heard: () => readonly string[];
  /** Settles when the first connection is closed. */
  readonly closed: Promise<void>;
}

/** Calls `answer` with what has come over a connection each time that something comes. */
export function rawServer(answer: (heard: string, socket: Socket) => void): Promise<RawServer> {
  return listening(createServer(), (server, heard) => {
    server.on('connection', (socket: Socket) => {
      const index = heard.push('') - 1;
      socket.on('data', (chunk) => {
        heard[index] += chunk.toString('latin1');
        answer(heard[index]!, socket);
      });
    });
  });
}

/** An HTTP server that answers every whole request with `{}`, and keeps the bytes that came. */
export function recordingServer(): Promise<RawServer & { readonly whole: () => readonly string[] }> {
  const whole: string[] = [];
  const http = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      whole.push(`${request.method} ${request.url} ${Buffer.concat(chunks).toString('latin1')}`);
      response.end('{}');
    });
  });
  const opened = listening(http, (server, heard) => {
    // After the server's own listener: it stops to read past Node's streams when somebody listens.
    server.on('connection', (socket: Socket) => {
      const index = heard.push('') - 1;
      socket.on('data', (chunk) => { heard[index] += chunk.toString('latin1'); });
    });
  });
  return opened.then((server) => ({ ...server, whole: () => whole }));
}

async function listening(server: Server, listen: (server: Server, heard: string[]) => void): Promise<RawServer> {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  let settle = (): void => {};
  const closed = new Promise<void>((resolve) => { settle = resolve; });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      settle();
    });
  });
  listen(server, heard);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    heard: () => heard,
    closed,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A gateway whose sessions are passed on to one service. Two are open, `one` and `two`. */
export async function forwardingGateway(baseUrl: string, limits: Partial<ServerLimits> = {}, way: Pick<Upstream, 'proxy' | 'ca'> = {}): Promise<ServingGateway> {
  const gateway = await serveGateway(limits);
  const at: Upstream = { baseUrl, headers: { 'x-api-key': KEY }, ...way };
  for (const [id, token] of [['one', TOKEN], ['two', OTHER_TOKEN]] as const) gateway.sessions.open({ id, token, mode: { kind: 'forward', upstreams: { anthropic: at, openai: at, gemini: at } } });
  return gateway;
}

/** Writes bytes on a fresh connection, and gives what comes back until it is closed, or until `enough` has come. */
export function talk(port: number, bytes: string, enough?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (enough?.test(text) === true) socket.destroy();
    });
    socket.write(bytes, 'latin1');
  });
}

/** A request of session `one` as bytes. */
export function requestOf(line: string, headers: readonly string[] = [], body = ''): string {
  return [line, 'host: gateway', `x-api-key: ${TOKEN}`, ...headers, '', body].join('\r\n');
}
