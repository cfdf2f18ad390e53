import { request as httpRequest, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import type { Connections } from './connections.js';
import { UpstreamError } from './errors.js';
import type { Upstream } from './upstream.js';

/** One request to a model service. */
export interface UpstreamRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  /** Bytes can be sent once more, a stream cannot. */
  readonly body: Uint8Array | Readable;
  readonly upstream: Upstream;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** A service that is there answers the connection sooner; how long it thinks after that is its own affair. */
const CONNECT_LIMIT_MS = 30_000;

/**
 * Asks a model service and gives its answer as it begins.
 *
 * @throws UpstreamError when it cannot be reached or goes away before it answers; the signal's reason.
 */
export async function askUpstream(asked: UpstreamRequest, connections: Connections): Promise<IncomingMessage> {
  try {
    return await ask(asked, connections);
  } catch (error) {
    if (asked.signal.aborted) throw asked.signal.reason;
    // A kept connection that the service closed at that very moment: it never saw the request.
    if (error instanceof StaleConnection && asked.body instanceof Uint8Array) return ask(asked, connections);
    throw error;
  }
}

class StaleConnection extends UpstreamError {}

function ask({ url, method, headers, body, upstream, signal }: UpstreamRequest, connections: Connections): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request: ClientRequest = send(url, { method, headers, agent: connections.agentFor(url, upstream), signal });
    const silence = setTimeout(() => request.destroy(new Error(`no connection within ${CONNECT_LIMIT_MS / 1000} s`)), CONNECT_LIMIT_MS);
    const connected = (): void => clearTimeout(silence);
    request.once('socket', (socket) => {
      if (!socket.connecting) return connected();
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
    });
    request.once('response', (response) => {
      connected();
      resolve(response);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      connected();
      const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(new (isStale ? StaleConnection : UpstreamError)(url.host, error.code ?? error.message, { cause: error }));
    });
    if (body instanceof Uint8Array) request.end(body);
    // What breaks the client's body off aborts `signal` too.
    else pipeline(body, request, () => undefined);
  });
}
