import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { AnswerTurn } from './script.js';
import type { Reply, StreamReply, WholeReply } from './wire.js';

/** How a reply is sent: the part of a turn that the wire does not see. */
export type Pace = Pick<AnswerTurn, 'delayMs' | 'chunkDelayMs' | 'cutAfterEvents' | 'stall'>;

/** What a delivery needs to know of its request. */
export interface DeliveryOptions {
  readonly pace?: Pace;
  /** Aborts when nobody reads any more. */
  readonly signal: AbortSignal;
  readonly onFirstByte: () => void;
}

/**
 * Sends one reply, each event as soon as it is due. Settles when the last byte is handed to the system.
 *
 * @returns `cut` when the pace said to break the connection off.
 * @throws whatever ended the connection first; `signal` is aborted then.
 */
export async function deliver(response: ServerResponse, reply: Reply, options: DeliveryOptions): Promise<'whole' | 'cut'> {
  const { pace = {}, signal } = options;
  if (pace.delayMs) await pause(pace.delayMs, undefined, { signal });
  if (pace.stall && pace.cutAfterEvents === undefined) await untilAborted(signal);
  return 'events' in reply ? deliverStream(response, reply, options) : deliverWhole(response, reply, options);
}

async function deliverWhole(response: ServerResponse, reply: WholeReply, options: DeliveryOptions): Promise<'whole' | 'cut'> {
  const { pace = {}, signal, onFirstByte } = options;
  const { status, headers } = reply;
  const text = JSON.stringify(reply.json);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers });
  onFirstByte();
  if (pace.cutAfterEvents !== undefined) {
    response.flushHeaders();
    return breakOff(response, pace, signal);
  }
  response.end(text);
  await finished(response);
  return 'whole';
}

async function deliverStream(response: ServerResponse, reply: StreamReply, options: DeliveryOptions): Promise<'whole' | 'cut'> {
  const { pace = {}, signal, onFirstByte } = options;
  const { headers, events, framing } = reply;
  response.writeHead(200, { 'content-type': framing.contentType, 'cache-control': 'no-cache', ...headers });
  response.flushHeaders();
  onFirstByte();
  let sent = 0;
  for (const event of events) {
    if (sent === pace.cutAfterEvents) return breakOff(response, pace, signal);
    signal.throwIfAborted();
    if (!response.write(framing.frame(event, sent))) await once(response, 'drain', { signal });
    sent += 1;
    if (pace.chunkDelayMs) await pause(pace.chunkDelayMs, undefined, { signal });
  }
  if (framing.closing !== undefined && sent === pace.cutAfterEvents) return breakOff(response, pace, signal);
  response.end(framing.closing);
  await finished(response);
  return 'whole';
}

async function breakOff(response: ServerResponse, pace: Pace, signal: AbortSignal): Promise<'cut'> {
  if (pace.stall) await untilAborted(signal);
  // An empty write is called back after everything before it has gone out.
  await new Promise<void>((resolve) => response.write('', () => resolve()));
  response.destroy();
  return 'cut';
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}
