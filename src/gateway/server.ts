import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { deliver } from './deliver.js';
import type { Exchange, ExchangeOutcome } from './exchange.js';
import { clientOutlet, type Outlet } from './outlet.js';
import { createConnections, type Connections } from './connections.js';
import { type ExchangeNotes, openExchange, pathOf, type ToldUsage } from './open-exchange.js';
import { headProblem, type HeadProblem } from './head-problem.js';
import { refuseRawRequests, TOO_SLOW, type RawRefusals } from './raw-refusals.js';
import { watchBody, type PaceLimits } from './body-pace.js';
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
  /** How long it waits for clients. Default: {@link SERVER_LIMITS}. */
  readonly limits?: Partial<ServerLimits>;
}

/** How long the gateway waits for clients, in milliseconds. */
export interface ServerLimits extends PaceLimits {
  /** For the header of a request, from its first byte or the opening of its connection. */
  readonly headMs: number;
  /** For a whole request, from its first byte. */
  readonly requestMs: number;
}

/** A body of some megabytes over a slow link takes minutes; Node's own default would cut it after five. */
export const SERVER_LIMITS: ServerLimits = { headMs: 60_000, requestMs: 3_600_000, bodyWindowMs: 30_000, lingerMs: 30_000 };

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
  const limits = { ...SERVER_LIMITS, ...options.limits };
  let requests = 0;
  const connections = createConnections();
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(limits.headMs, limits.requestMs, 30_000) / 2,
    insecureHTTPParser: false,
    // Node would refuse it without a record; `headProblem` sees to it.
    requireHostHeader: false,
  });
  // Node drops headers above its own limit without a word; `headProblem` has one that it tells.
  server.maxHeadersCount = 0;
  const ending = new WeakSet<Socket>();
  const refusals = refuseRawRequests(server, { sessions, onExchange });
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    // What follows a request that ends its connection is not looked at (RFC 9112, 9.6).
    if (ending.has(request.socket)) return;
    const problem = headProblem(request);
    if (problem !== undefined) response.shouldKeepAlive = false;
    if (!response.shouldKeepAlive) ending.add(request.socket);
    requests += 1;
    refusals.serving(request, response);
    watchBody(request, response, { ...limits, onSlow: () => refusals.breakBody(request, { status: 408, detail: TOO_SLOW }) });
    void handle(request, response, { ...options, ...(problem !== undefined && { problem }), connections, refusals, requestId: `req_gateway${requests}` });
  };
  server.on('request', take);
  server.on('checkExpectation', take);
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

type HandleOptions = GatewayServerOptions & { readonly requestId: string; readonly connections: Connections; readonly refusals: RawRefusals; readonly problem?: HeadProblem };

async function handle(request: IncomingMessage, response: ServerResponse, options: HandleOptions): Promise<void> {
  const { sessions, onExchange, onUsage, onFault, problem, requestId, connections, refusals, askHost = () => Promise.resolve({ kind: 'go' }), onTape = () => undefined } = options;
  const exchange = openExchange(request, response, { sessions, onUsage });
  const outlet = clientOutlet(response, { signal: exchange.signal, onFirstByte: () => exchange.markFirstByte() });
  try {
    await serve({ ...(problem !== undefined && { problem }), request, outlet, exchange, requestId, sessions, connections, askHost, onTape });
  } catch (fault) {
    const clientLeft = exchange.signal.aborted || response.destroyed || (request.destroyed && !request.complete);
    const broken = refusals.brokenBodyOf(request);
    exchange.notes.outcome = clientLeft ? leftAs(exchange.notes) : 'failed';
    if (broken !== undefined) {
      Object.assign(exchange.notes, { outcome: 'refused', rawStatus: broken.status, detail: broken.detail });
      response.destroy();
    } else if (clientLeft) {
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

function leftAs({ outcome, fault }: ExchangeNotes): ExchangeOutcome {
  if (outcome === 'given-up') return outcome;
  return fault === undefined ? 'aborted' : 'faulted';
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
