import type { JsonObject } from '../evidence/json.js';

/** How the events of a streamed answer are written down. */
export interface Framing {
  readonly contentType: string;
  /** One event as it goes over the wire. `index` is its place in the stream, from 0. */
  frame(event: JsonObject, index: number): string;
  /** What follows the last event. Default: nothing. */
  readonly closing?: string;
}

const SERVER_SENT = 'text/event-stream; charset=utf-8';
const dataOf = (event: JsonObject): string => `data: ${JSON.stringify(event)}\n\n`;

/** Server-sent events, each named by its `type`. */
export const NAMED_EVENTS: Framing = { contentType: SERVER_SENT, frame: (event) => `event: ${String(event.type)}\n${dataOf(event)}` };

/** Server-sent events without names. */
export const BARE_EVENTS: Framing = { contentType: SERVER_SENT, frame: dataOf };

/** Server-sent events without names, and a last one that says that nothing follows. */
export const EVENTS_UNTIL_DONE: Framing = { ...BARE_EVENTS, closing: 'data: [DONE]\n\n' };

/** One JSON array that grows by an element for each event. */
export const JSON_ARRAY: Framing = {
  contentType: 'application/json; charset=UTF-8',
  frame: (event, index) => `${index === 0 ? '[' : ',\r\n'}${JSON.stringify(event)}`,
  closing: ']\n',
};
