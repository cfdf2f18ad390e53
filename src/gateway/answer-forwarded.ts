import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { isJsonObject, parseJson } from '../evidence/json.js';
import { askUpstream } from './ask-upstream.js';
import { decodedAnswer } from './decoded-answer.js';
import { UpstreamError } from './errors.js';
import { requestHeaders, responseHeaders } from './forward-headers.js';
import { createAnswerReader } from './meter/answer-reader.js';
import { rateLimitsOf } from './meter/rate-limits.js';
import { noteFacts } from './note-facts.js';
import { passPieces } from './pass-pieces.js';
import { isEncoded, readBody, refused, readPieces, type RefusedBody } from './request-body.js';
import { sample } from './sampling.js';
import { isPaidFor, refuse, type AdmittedRequest } from './serve.js';
import type { ForwardMode } from './session-mode.js';
import type { HeldRequest } from './tape.js';
import { tapingOutlet } from './taping-outlet.js';
import { upstreamUrl, vendorOf, type Upstream } from './upstream.js';

/** A body up to this size is held, so that it can be sent once more over a fresh connection; a larger one passes through. */
const HELD_BYTES = 4 * 1024 * 1024;

/**
 * Passes a request on to the model service of its vendor, and the answer back as it comes.
 *
 * @param held The body, where it was read already.
 */
export async function answerByForwarding(admitted: AdmittedRequest, mode: ForwardMode, held?: Uint8Array): Promise<void> {
  const { exchange, session, route: { wire } } = admitted;
  const upstream = mode.upstreams[vendorOf(wire.protocol)];
  if (upstream === undefined) return refuse(admitted, wire, 'upstream-missing', { status: 401, message: `No key and no service for ${vendorOf(wire.protocol)} was given to this run.` });
  const outlet = session.tapes ? tapingOutlet(admitted.outlet) : undefined;
  try {
    const asked = await askedFor(admitted, { ...mode, upstream, held });
    if (asked.kind === 'refused') return await refuse(admitted, wire, 'refused', asked);
    await passBack({ ...admitted, ...(outlet !== undefined && { outlet }) }, asked.answer, upstream);
    const answer = outlet?.taped();
    if (answer !== undefined && asked.body !== undefined) admitted.onTape(session.id, { request: heldRequest(admitted, asked.body), answer });
  } catch (error) {
    if (!(error instanceof UpstreamError) || exchange.signal.aborted) throw error;
    await refuse(admitted, wire, 'upstream-failed', { status: 502, message: error.message });
  }
}

function heldRequest({ request, exchange, route: { protocol } }: AdmittedRequest, body: Uint8Array): HeldRequest {
  return { ordinal: exchange.notes.ordinal ?? 0, protocol, method: request.method ?? '', target: request.url ?? '', body };
}

/** `body` is the client's, where it was held. */
type Asked = { readonly kind: 'answer'; readonly answer: IncomingMessage; readonly body?: Uint8Array } | RefusedBody;

const NO_BODY = new Uint8Array();

/** Sends the request, whole or as it comes. */
async function askedFor(admitted: AdmittedRequest, { sampling, upstream, held }: ForwardMode & { readonly upstream: Upstream; readonly held: Uint8Array | undefined }): Promise<Asked> {
  const { request, exchange, session, route: { kind, wire }, connections } = admitted;
  const method = request.method ?? 'GET';
  const target = request.url ?? '/';
  const send = (to: string, body: readonly Uint8Array[] | Readable): Promise<IncomingMessage> => askUpstream({
    url: upstreamUrl(vendorOf(wire.protocol), upstream.baseUrl, to),
    method,
    headers: requestHeaders(request.headers, upstream, body instanceof Readable ? undefined : body.reduce((size, { length: more }) => size + more, 0)),
    body,
    upstream,
    signal: exchange.signal,
  }, connections);
  // Without a word from the client about a body, one would go out without a frame around it.
  if (method === 'GET') return { kind: 'answer', answer: await send(target, []), body: NO_BODY };
  const isSampled = sampling !== undefined && isPaidFor(kind);
  if (isSampled && isEncoded(request)) return refused(request, 415, 'The experiment decides over the sampling, so the gateway must read the body. Turn request compression off.');
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (held === undefined && !isSampled && !session.tapes && !(length <= HELD_BYTES)) return { kind: 'answer', answer: await send(target, request) };
  if (held === undefined && !isSampled && !session.tapes) return readPieces<Asked>(request, session.budget, async (pieces) => ({ kind: 'answer', answer: await send(target, pieces) }));
  const sendWhole = async (bytes: Uint8Array): Promise<Asked> => {
    if (!isSampled) return { kind: 'answer', answer: await send(target, [bytes]), body: bytes };
    const body = parseJson(Buffer.from(bytes).toString('utf8'));
    if (!isJsonObject(body)) return { kind: 'refused', status: 400, message: 'The body is not a JSON object.' };
    const sampled = sample(wire.protocol, { body, target }, sampling);
    exchange.notes.applied = sampled.applied;
    if (typeof body.model === 'string' && sampled.body.model !== body.model) exchange.notes.askedModel = body.model;
    return { kind: 'answer', answer: await send(sampled.target, [Buffer.from(JSON.stringify(sampled.body))]), body: bytes };
  };
  return held === undefined ? readBody<Asked>(request, session.budget, sendWhole) : sendWhole(held);
}

/** Hands the answer on piece by piece, and reads what it says of itself on the way. */
async function passBack({ outlet, exchange, route: { wire, kind } }: AdmittedRequest, answer: IncomingMessage, upstream: Upstream): Promise<void> {
  const { host } = new URL(upstream.baseUrl);
  const { statusCode, headers, body: coming } = decodedAnswer(answer, host);
  const { secrets = [] } = upstream;
  exchange.notes.outcome = 'forwarded';
  const { limits, retryAfterMs } = rateLimitsOf(headers);
  Object.assign(exchange.notes, limits.length > 0 && { limits }, retryAfterMs !== undefined && { retryAfterMs });
  const reader = createAnswerReader(wire.protocol, { contentType: headers['content-type'] });
  let isTold = false;
  let sentBytes = 0;
  const take = (piece: Buffer): void | Promise<void> => {
    reader.write(piece);
    if (!isTold && reader.complete) {
      isTold = true;
      if (isPaidFor(kind)) noteFacts(exchange, reader.facts);
      exchange.tellUsage();
    }
    sentBytes += piece.length;
    return outlet.write(piece);
  };
  let isBegun = false;
  const begin = (passed: OutgoingHttpHeaders): void | Promise<void> => {
    isBegun = true;
    return outlet.head(statusCode, passed);
  };
  try {
    const passed = responseHeaders(headers, secrets);
    if (statusCode < 400) {
      await begin(passed);
      await passPieces(coming, host, take);
    } else {
      // A service may tell a key back where it refuses one; what it says else is passed on as it is.
      const { body, isCut } = await failureWithout(secrets, coming, host);
      await begin(isCut && 'content-length' in passed ? { ...passed, 'content-length': body.length } : passed);
      if (body.length > 0) await take(body);
    }
    await outlet.end();
  } catch (error) {
    if (!(error instanceof UpstreamError) || exchange.signal.aborted || !isBegun) throw error;
    Object.assign(exchange.notes, { outcome: 'upstream-failed', detail: error.message });
    await outlet.cut();
  } finally {
    answer.destroy();
    exchange.notes.sentBytes = sentBytes;
    if (isPaidFor(kind)) noteFacts(exchange, reader.end());
  }
}

/** A failure is short: one that is longer than this is cut. */
const FAILURE_BYTES = 1024 * 1024;

/** The whole of a failure, with its secrets replaced. */
async function failureWithout(secrets: readonly string[], answer: Readable, host: string): Promise<{ readonly body: Buffer; readonly isCut: boolean }> {
  const kept: Buffer[] = [];
  let size = 0;
  await passPieces(answer, host, (piece) => {
    kept.push(piece);
    size += piece.length;
    return size <= FAILURE_BYTES;
  });
  let text = Buffer.concat(kept).toString('latin1', 0, FAILURE_BYTES);
  // As many characters as before: the length has been told already.
  for (const secret of secrets) text = text.replaceAll(secret, '*'.repeat(secret.length));
  return { body: Buffer.from(text, 'latin1'), isCut: size > FAILURE_BYTES };
}
