import type { IncomingMessage } from 'node:http';
import { parseJson, type JsonValue } from '../evidence/json.js';

/** The largest body that is read. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** A body that was not read to its end, with the failure that its client is told. */
export interface RefusedBody {
  readonly kind: 'refused';
  readonly status: number;
  readonly message: string;
}

/** What came out of a request's body. */
export type BodyReading = { readonly kind: 'read'; readonly json: JsonValue; readonly sizeBytes: number } | RefusedBody;

/** Bytes of bodies that one session holds in memory at this moment. */
export interface BodyBudget {
  heldBytes: number;
}

// Room for two of the largest bodies: one client cannot take the memory that all sessions share.
const MAX_HELD_BYTES = 2 * MAX_BODY_BYTES;
// All clients together: the gateway's own memory ends.
const MAX_HELD_BY_ALL = 4 * MAX_BODY_BYTES;

let heldByAll = 0;

/**
 * Reads a JSON body, as {@link readBody} does.
 *
 * @throws the stream's error when the client goes away first.
 */
export async function readJsonBody(request: IncomingMessage, budget: BodyBudget): Promise<BodyReading> {
  if (isEncoded(request)) return refused(request, 415, 'The gateway reads plain bodies only. Turn request compression off.');
  return readBody(request, budget, (bytes) => {
    const json = parseJson(bytes.toString('utf8'));
    if (json === undefined) return { kind: 'refused', status: 400, message: 'The body is not JSON.' };
    return { kind: 'read', json, sizeBytes: bytes.length };
  });
}

/** Whether a body is compressed. */
export function isEncoded({ headers }: IncomingMessage): boolean {
  return (headers['content-encoding'] ?? 'identity') !== 'identity';
}

/**
 * Reads a body, and stops keeping it as soon as it breaks a limit. The rest of a refused body is read and dropped, so that the client
 * gets to read its answer.
 *
 * @param use What is done with it. Its bytes count as held until that has settled.
 * @throws the stream's error when the client goes away first.
 */
export function readBody<T>(request: IncomingMessage, budget: BodyBudget, use: (bytes: Buffer) => T | Promise<T>): Promise<T | RefusedBody> {
  return readPieces(request, budget, (pieces) => use(Buffer.concat(pieces)));
}

/** The same for a body that may stay in the pieces in which it came. */
export async function readPieces<T>(request: IncomingMessage, budget: BodyBudget, use: (pieces: readonly Buffer[]) => T | Promise<T>): Promise<T | RefusedBody> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return refused(request, 413, TOO_LARGE);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
    for await (const chunk of body) {
      if (size + chunk.length > MAX_BODY_BYTES) return refused(request, 413, TOO_LARGE);
      if (budget.heldBytes + chunk.length > MAX_HELD_BYTES || heldByAll + chunk.length > MAX_HELD_BY_ALL) return refused(request, 429, TOO_MANY);
      size += chunk.length;
      budget.heldBytes += chunk.length;
      heldByAll += chunk.length;
      chunks.push(chunk);
    }
    return await use(chunks);
  } finally {
    budget.heldBytes -= size;
    heldByAll -= size;
  }
}

const TOO_LARGE = `The body is larger than ${MAX_BODY_BYTES} bytes.`;
const TOO_MANY = 'Too many large requests at once. Send them one after the other.';

/** Refuses a body. What of it still comes is read and dropped, so that the client gets to read its answer. */
export function refused(request: IncomingMessage, status: number, message: string): RefusedBody {
  request.resume();
  return { kind: 'refused', status, message };
}
