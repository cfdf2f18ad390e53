import { request as httpRequest, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Connections } from './connections.js';
import { UpstreamError } from './errors.js';
import { ABANDONED } from './tunnel-agent.js';
import type { Upstream } from './upstream.js';

/** One request to a model service. */
export interface UpstreamRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  /** Bytes, in one piece or some, can be sent once more; a stream cannot. */
  readonly body: readonly Uint8Array[] | Readable;
  readonly upstream: Upstream;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** A service that is there answers the connection sooner; how long it thinks after that is its own affair. */
const CONNECT_LIMIT_MS = 30_000;
const MAX_HEADER_BYTES = 64 * 1024;
/** Statuses of the 100s before the one that counts. */
const MOST_INTERIM = 100;

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
    if (error instanceof StaleConnection && Array.isArray(asked.body)) return ask(asked, connections);
    throw error;
  }
}

/** The system's code where it says it all; what TLS and HTTP find wrong takes words. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === undefined) return message;
  return /^E[A-Z0-9]+$/.test(code) ? code : `${message.slice(0, 300)} (${code})`;
}

class StaleConnection extends UpstreamError {}

function ask({ url, method, headers, body, upstream, signal }: UpstreamRequest, connections: Connections): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request: ClientRequest = send(url, { method, headers, agent: connections.agentFor(url, upstream), signal, maxHeaderSize: MAX_HEADER_BYTES });
    const silence = setTimeout(() => request.destroy(new Error(`no connection within ${CONNECT_LIMIT_MS / 1000} s`)), CONNECT_LIMIT_MS);
    const abandon = (): void => void request.emit(ABANDONED);
    signal.addEventListener('abort', abandon, { once: true });
    const connected = (): void => {
      clearTimeout(silence);
      signal.removeEventListener('abort', abandon);
    };
    request.once('socket', (socket) => {
      const isSecuring = socket instanceof TLSSocket && socket.getProtocol() === null;
      if (!socket.connecting && !isSecuring) return connected();
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
    });
    request.once('response', (response) => {
      connected();
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode <= 599) return resolve(response);
      request.destroy();
      reject(new UpstreamError(url.host, `it answered with the status ${statusCode}, which means nothing`));
    });
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > MOST_INTERIM) request.destroy(new Error(`it sent more than ${MOST_INTERIM} answers that are none`));
    });
    request.once('upgrade', (_response, socket) => {
      connected();
      socket.destroy();
      reject(new UpstreamError(url.host, 'it wants to speak another protocol than HTTP'));
    });
    // An event of https-proxy-agent, which would hand the proxy's own answer on as the service's.
    request.once('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
      if (statusCode !== 200) request.destroy(new Error(`the proxy on the way refused with the status ${statusCode}`));
    });
    request.once('close', () => {
      connected();
      reject(new UpstreamError(url.host, 'the connection ended without an answer'));
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      connected();
      const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(new (isStale ? StaleConnection : UpstreamError)(url.host, reasonOf(error), { cause: error }));
    });
    if (body instanceof Readable) {
      // What breaks the client's body off aborts `signal` too.
      pipeline(body, request, () => undefined);
      return;
    }
    // Head and body in one go.
    request.cork();
    for (const piece of body) request.write(piece);
    request.end();
  });
}
