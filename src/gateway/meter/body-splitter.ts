import { createEventSplitter } from './event-splitter.js';
import { createJsonSplitter } from './json-splitter.js';
import type { PieceListener, Splitter } from './splitter.js';

/** What decides how a body is cut. */
export interface BodyOptions {
  readonly contentType: string | undefined;
  /** Of one piece. */
  readonly maxBytes: number;
}

/** A splitter that knows what it cuts. */
export interface BodySplitter extends Splitter {
  /** The body is JSON. False for events, and as long as nothing tells. */
  readonly isJson: boolean;
}

/** A byte order mark and white space, which mean nothing before either kind of body. */
const BLANK: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf, 0x20, 0x09, 0x0a, 0x0d]);
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);

/** Cuts events or JSON: what the content type says or, where it says neither, what the first byte looks like. */
export function createBodySplitter({ contentType = '', maxBytes }: BodyOptions, listener: PieceListener): BodySplitter {
  const says = contentType.toLowerCase();
  let isJson = !says.includes('event-stream') && /[/+]json\b/.test(says);
  let isKnown = isJson || says.includes('event-stream');
  let splitter: Splitter | undefined;

  return {
    write(bytes) {
      if (splitter !== undefined) return splitter.write(bytes);
      const start = bytes.findIndex((byte) => !BLANK.has(byte));
      if (start < 0) return;
      if (!isKnown) isJson = OPENING.has(bytes[start] ?? 0);
      isKnown = true;
      splitter = isJson ? createJsonSplitter(listener, maxBytes) : createEventSplitter(listener, maxBytes);
      splitter.write(bytes.subarray(start));
    },
    end: () => splitter?.end(),
    get closed() {
      return splitter?.closed === true;
    },
    get isJson() {
      return isJson;
    },
  };
}
