import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deliver } from './deliver.js';
import type { Exchange } from './exchange.js';
import { clientOutlet, type Outlet } from './outlet.js';
import { createConnections, type Connections } from './connections.js';
import { openExchange, pathOf, type ToldUsage } from './open-exchange.js';
import { refuseRawRequests } from './raw-refusals.js';
import { routeOf } from './routes.js';
import { serve, type AskHost } from './serve.js';
import type { Sessions } from './sessions.js';
import type { Tape } from './tape.js';

/** What a gateway server is opened with. */
export interface GatewayServerOptions {
  readonly sessions: Sessions;
  /** Called once for every request, when nothing more is sent for it. */
  readonly onExchange: (exchange: Exchange) => void;
  /** Told what an answer used, before its end goes out. Default: nobody is. */
  readonly onUsage?: (told: ToldUsage) => void;
  /** Asks the host about a request. Default: all may go. */
  readonly askHost?: AskHost;
  /** Told what a request of a session that tapes was answered. Default: nobody is. */
  readonly onTape?: (sessionId: string, tape: Tape) => void;
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
  const connections = createConnections();
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    requests += 1;
    void handle(request, response, { ...options, connections, requestId: `req_gateway${requests}` });
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
    connections[Symbol.dispose]();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, close, [Symbol.asyncDispose]: close };
}

type HandleOptions = GatewayServerOptions & { readonly requestId: string; readonly connections: Connections };

async function handle(request: IncomingMessage, response: ServerResponse, options: HandleOptions): Promise<void> {
  const { sessions, onExchange, onUsage, onFault, requestId, connections, askHost = () => Promise.resolve({ kind: 'go' }), onTape = () => undefined } = options;
  const exchange = openExchange(request, response, { sessions, onUsage });
  const outlet = clientOutlet(response, { signal: exchange.signal, onFirstByte: () => exchange.markFirstByte() });
  try {
    await serve({ request, outlet, exchange, requestId, sessions, connections, askHost, onTape });
  } catch (fault) {
    const clientLeft = exchange.signal.aborted || response.destroyed || (request.destroyed && !request.complete);
    exchange.notes.outcome = clientLeft ? (exchange.notes.fault === undefined ? 'aborted' : 'faulted') : 'failed';
    if (clientLeft) {
      response.destroy();
    } else {
      exchange.notes.detail ??= FAULT;
      onFault(fault);
      await tellFault(request, response, { requestId, outlet, signal: exchange.signal });
    }
  } finally {
    onExchange(exchange.end());
  }
}

const FAULT = 'The gateway met a fault of its own. Its stderr has the cause.';

interface FaultContext {
  readonly requestId: string;
  readonly outlet: Outlet;
  readonly signal: AbortSignal;
}

async function tellFault(request: IncomingMessage, response: ServerResponse, { requestId, outlet, signal }: FaultContext): Promise<void> {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { wire } = routeOf(request.method ?? '', pathOf(request), request.headers);
  const reply = wire.failure({ status: 500, message: FAULT }, requestId);
  // The client may leave now; the fault has been told already.
  await deliver(outlet, reply, { signal }).catch(() => response.destroy());
}
