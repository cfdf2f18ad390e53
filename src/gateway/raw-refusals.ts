import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Exchange } from './exchange.js';
import { pathOf } from './open-exchange.js';
import { presentedTokens } from './presented-tokens.js';
import { redact } from './redact.js';
import type { Sessions } from './sessions.js';

/** Where refusals are told. */
export interface RawRefusalOptions {
  /** Their tokens are kept out of the records. */
  readonly sessions: Sessions;
  readonly onExchange: (exchange: Exchange) => void;
}

/**
 * Refuses what never becomes a request and response: tunnels (CONNECT), upgrades to other protocols, and bytes that are no HTTP or
 * break a limit of its header. Each is recorded, except a connection that only went away.
 */
export function refuseRawRequests(server: Server, options: RawRefusalOptions): void {
  const { sessions, onExchange } = options;
  const targetOf = (request: IncomingMessage): string =>
    redact(pathOf(request), [...presentedTokens(request), ...sessions.tokens()]);
  const serving = new WeakSet<Duplex>();
  server.on('request', (request, response) => {
    serving.add(request.socket);
    response.once('close', () => serving.delete(request.socket));
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    refuse(socket, 405);
    onExchange(refusalOf(405, { method: 'CONNECT', path: targetOf(request) }));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    refuse(socket, 400);
    onExchange(refusalOf(400, { method: request.method ?? '', path: targetOf(request) }));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
    const heard = error.code !== 'ECONNRESET' && error.code !== 'EPIPE';
    // A request that is being served has a record of its own.
    if (heard && !serving.has(socket)) onExchange(refusalOf(status, { method: '', path: '' }));
    if (heard && socket.writable && !serving.has(socket)) refuse(socket, status);
    else socket.destroy();
  });
}

function refuse(socket: Duplex, status: number): void {
  // The client is free to be gone already.
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}

function refusalOf(status: number, { method, path }: { readonly method: string; readonly path: string }): Exchange {
  const startedAt = new Date().toISOString();
  return { sessionId: null, protocol: null, method, path, status, outcome: 'refused', startedAt, durationMs: 0 };
}
