import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
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

/** What broke the body of a request that was being served. */
export interface BrokenBody {
  readonly status: number;
  readonly detail: string;
}

/** Refuses what Node's server does not make a request of, or stops reading. */
export interface RawRefusals {
  /** Call for each request that is served, before anything else. */
  serving(request: IncomingMessage, response: ServerResponse): void;
  /** Refuses the rest of a body that is being read, and with it the request. Its connection ends. */
  breakBody(request: IncomingMessage, broken: BrokenBody): void;
  /** What broke the body of a request. `undefined`: nothing. */
  brokenBodyOf(request: IncomingMessage): BrokenBody | undefined;
}

/**
 * Refuses what never becomes a request and response: tunnels (CONNECT), upgrades to other protocols, and bytes that are no HTTP or
 * break a limit of its header. Each is recorded, except a connection that only went away. Where such bytes are part of the body of a
 * request, they are on its record.
 */
export function refuseRawRequests(server: Server, options: RawRefusalOptions): RawRefusals {
  const { sessions, onExchange } = options;
  const targetOf = (request: IncomingMessage): string =>
    redact(pathOf(request), [...presentedTokens(request), ...sessions.tokens()]);
  const served = new WeakMap<Duplex, Map<IncomingMessage, ServerResponse>>();
  const broken = new WeakMap<IncomingMessage, BrokenBody>();

  const breakBody = (request: IncomingMessage, cause: BrokenBody): void => {
    const { socket } = request;
    const onSocket = served.get(socket);
    const isAlone = onSocket?.size === 1 && onSocket.get(request)?.headersSent === false;
    broken.set(request, isAlone ? cause : { ...cause, status: 0 });
    if (isAlone && socket.writable) refuse(socket, cause.status);
    else socket.destroy();
  };

  /** Before the end of another answer, one would be taken for a part of it. */
  const refuseUnlessServing = (socket: Duplex, status: number): void => {
    if ((served.get(socket)?.size ?? 0) === 0 && socket.writable) refuse(socket, status);
    else socket.destroy();
  };

  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    refuseUnlessServing(socket, 405);
    onExchange(refusalOf(405, { method: 'CONNECT', path: targetOf(request) }));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    refuseUnlessServing(socket, 400);
    onExchange(refusalOf(400, { method: request.method ?? '', path: targetOf(request) }));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const isTimeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : isTimeout ? 408 : 400;
    if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || error.code === 'HPE_INVALID_EOF_STATE') return void socket.destroy();
    const last = [...served.get(socket)?.keys() ?? []].at(-1);
    // What follows a request that ends its connection is not looked at (RFC 9112, 9.6), and takes nothing from its answer.
    if (last?.complete === true && error.code === 'HPE_CLOSED_CONNECTION') return;
    if (last?.complete === false) return breakBody(last, { status, detail: isTimeout ? TOO_SLOW : `The body breaks the rules of HTTP (${error.code ?? error.message}).` });
    onExchange(refusalOf(status, { method: '', path: '' }));
    refuseUnlessServing(socket, status);
  });
  return {
    serving(request, response) {
      const { socket } = request;
      const onSocket = served.get(socket) ?? new Map<IncomingMessage, ServerResponse>();
      served.set(socket, onSocket.set(request, response));
      // A request whose answer is over may still be sending its body.
      const forget = (): void => void (request.complete && response.destroyed && onSocket.delete(request));
      response.once('close', forget);
      request.once('close', forget);
    },
    breakBody,
    brokenBodyOf: (request) => broken.get(request),
  };
}

/** What is recorded of a body that is held back. */
export const TOO_SLOW = 'The body did not come within its time.';

function refuse(socket: Duplex, status: number): void {
  // The client is free to be gone already.
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}

function refusalOf(status: number, { method, path }: { readonly method: string; readonly path: string }): Exchange {
  const startedAt = new Date().toISOString();
  return { sessionId: null, protocol: null, method, path, status, outcome: 'refused', startedAt, durationMs: 0 };
}
