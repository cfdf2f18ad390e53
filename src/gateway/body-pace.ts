import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from './head-problem.js';

/** How long the gateway waits for a body. */
export interface PaceLimits {
  /** In each stretch of so many milliseconds some bytes must come, at least {@link LEAST_BYTES}. */
  readonly bodyWindowMs: number;
  /** So many milliseconds after its answer the rest of a body is still read, so that its client gets to read the answer. */
  readonly lingerMs: number;
}

/** A connection that is slower is not slow but held open on purpose: with the default window this is 136 bytes a second. */
const LEAST_BYTES = 4096;

/**
 * Watches that a body keeps coming. While the gateway itself or the service behind it is what is slow, nothing is asked of the client.
 *
 * @param onSlow Called once, when it does not.
 */
export function watchBody(request: IncomingMessage, response: ServerResponse, { bodyWindowMs, lingerMs, onSlow }: PaceLimits & { readonly onSlow: () => void }): void {
  if (!hasBody(request)) return;
  const { socket } = request;
  let read = socket.bytesRead;
  let linger: NodeJS.Timeout | undefined;
  const stretch = setInterval(() => {
    if (request.complete) return stop();
    // What has come and is not taken is not missed.
    if (request.readableLength === 0 && socket.bytesRead - read < LEAST_BYTES) {
      stop();
      onSlow();
    }
    read = socket.bytesRead;
  }, bodyWindowMs);
  const stop = (): void => {
    clearInterval(stretch);
    clearTimeout(linger);
    socket.removeListener('close', stop);
  };
  request.once('end', stop);
  socket.once('close', stop);
  response.once('finish', () => {
    if (!request.complete) linger = setTimeout(() => socket.destroy(), lingerMs);
  });
}
