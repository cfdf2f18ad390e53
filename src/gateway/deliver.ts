import { setTimeout as pause } from 'node:timers/promises';
import type { Outlet } from './outlet.js';
import type { AnswerTurn } from './script.js';
import { untilAborted } from './until-aborted.js';
import type { Reply, StreamReply, WholeReply } from './wire.js';

/** How a reply is sent: the part of a turn that the wire does not see. */
export type Pace = Pick<AnswerTurn, 'delayMs' | 'chunkDelayMs' | 'cutAfterEvents' | 'stall'>;

/** What a delivery needs to know of its request. */
export interface DeliveryOptions {
  readonly pace?: Pace;
  /** Aborts when nobody reads any more. */
  readonly signal: AbortSignal;
}

/**
 * Sends one reply, each event as soon as it is due. Settles when the last byte is handed to the system.
 *
 * @returns `cut` when the pace said to break the connection off.
 * @throws whatever ended the connection first; `signal` is aborted then.
 */
export async function deliver(outlet: Outlet, reply: Reply, options: DeliveryOptions): Promise<'whole' | 'cut'> {
  const { pace = {}, signal } = options;
  if (pace.delayMs) await pause(pace.delayMs, undefined, { signal });
  if (pace.stall && pace.cutAfterEvents === undefined) await untilAborted(signal);
  return 'events' in reply ? deliverStream(outlet, reply, options) : deliverWhole(outlet, reply, options);
}

async function deliverWhole(outlet: Outlet, { status, headers, json }: WholeReply, { pace = {}, signal }: DeliveryOptions): Promise<'whole' | 'cut'> {
  const text = JSON.stringify(json);
  await outlet.head(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers });
  if (pace.cutAfterEvents !== undefined) return breakOff(outlet, pace, signal);
  await outlet.write(text);
  await outlet.end();
  return 'whole';
}

async function deliverStream(outlet: Outlet, { headers, events, framing }: StreamReply, { pace = {}, signal }: DeliveryOptions): Promise<'whole' | 'cut'> {
  await outlet.head(200, { 'content-type': framing.contentType, 'cache-control': 'no-cache', ...headers });
  let sent = 0;
  for (const event of events) {
    if (sent === pace.cutAfterEvents) return breakOff(outlet, pace, signal);
    await outlet.write(framing.frame(event, sent));
    sent += 1;
    if (pace.chunkDelayMs) await pause(pace.chunkDelayMs, undefined, { signal });
  }
  if (framing.closing !== undefined) {
    if (sent === pace.cutAfterEvents) return breakOff(outlet, pace, signal);
    await outlet.write(framing.closing);
  }
  await outlet.end();
  return 'whole';
}

async function breakOff(outlet: Outlet, pace: Pace, signal: AbortSignal): Promise<'cut'> {
  if (pace.stall) await untilAborted(signal);
  await outlet.cut();
  return 'cut';
}
