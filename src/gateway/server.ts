import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deliver } from './deliver.js';
import type { Exchange } from './exchange.js';
import { openExchange, pathOf } from './open-exchange.js';
import { refuseRawRequests } from './raw-refusals.js';
import { routeOf } from './routes.js';
import { serve } from './serve.js';
import type { Sessions } from './sessions.js';

/** What a gateway server is opened with. */
export interface GatewayServerOptions {
  readonly sessions: Sessions;
  /** Called once for every request, when nothing more is sent for it. */
  readonly onExchange: (exchange: Exchange) => void;
  /** Told of faults of the gateway itself. The client gets a 500. */
  readonly onFault: (fault: unknown) => void;
  /** Default: loopback. */
  readonly host?: string;
  /** Default: a free port. */
  readonly port?: number;
}

/** A listening gateway. */
export interface GatewayServer extends AsyncDisposable {
  readonly port: number;
  /** Closes every session and connection, then the port. */
  close(): Promise<void>;
}

const MAX_HEADER_BYTES = 64 * 1024;
// Longer than the CLIs keep idle connections, so that none of them writes to one that is just being closed.
const KEEP_ALIVE_MS = 120_000;

/** Starts to listen. Rejects with the system's error when the port cannot be had. */
export async function openGatewayServer(options: GatewayServerOptions): Promise<GatewayServer> {
  const { sessions, onExchange, host = '127.0.0.1', port = 0 } = options;
  let requests = 0;
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    requests += 1;
    void handle(request, response, { ...options, requestId: `req_gateway${requests}` });
  });
  refuseRawRequests(server, { sessions, onExchange });
  server.listen(port, host);
  await once(server, 'listening');

  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    await sessions.closeAll();
    server.closeAllConnections();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, close, [Symbol.asyncDispose]: close };
}

type HandleOptions = GatewayServerOptions & { readonly requestId: string };

async function handle(request: IncomingMessage, response: ServerResponse, options: HandleOptions): Promise<void> {
  const { sessions, onExchange, onFault, requestId } = options;
  const exchange = openExchange(request, response, sessions);
  try {
    await serve({ request, response, exchange, requestId, sessions });
  } catch (fault) {
    const clientLeft = exchange.signal.aborted || response.destroyed || (request.destroyed && !request.complete);
    exchange.notes.outcome = clientLeft ? 'aborted' : 'failed';
    if (clientLeft) {
      response.destroy();
    } else {
      onFault(fault);
      await tellFault(request, response, { requestId, signal: exchange.signal });
    }
  } finally {
    onExchange(exchange.end());
  }
}

interface FaultContext {
  readonly requestId: string;
  readonly signal: AbortSignal;
}

async function tellFault(request: IncomingMessage, response: ServerResponse, { requestId, signal }: FaultContext): Promise<void> {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { wire } = routeOf(request.method ?? '', pathOf(request), request.headers);
  const reply = wire.failure({ status: 500, message: 'The gateway met a fault of its own. Its stderr has the cause.' }, requestId);
  // The client may leave now; the fault has been told already.
  await deliver(response, reply, { signal, onFirstByte: () => {} }).catch(() => response.destroy());
}
