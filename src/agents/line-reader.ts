import { isAscii } from 'node:buffer';

/** One line of a byte stream. */
export interface SourceLine {
  /** Counts from 1; blank lines count. */
  readonly number: number;
  readonly text: string;
  /** False only for a last line without its line feed: it may be cut. */
  readonly terminated: boolean;
}

/** Splits bytes that arrive in pieces of any size into lines. */
export interface LineReader {
  push(bytes: Uint8Array): void;
  /** Hands over a last line that has no line feed. */
  end(): void;
}

interface Stretch { readonly encoding: 'utf8' | 'latin1'; readonly start: number; readonly end: number }

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const BYTE_ORDER_MARK = '\uFEFF';
const LARGEST_PIECE = 64 * 1024;

/**
 * Creates a reader that hands over one non-blank line at a time. It splits on byte 0x0A only (U+2028 and a lone CR are
 * text), so a character is never cut in two; it drops a byte order mark at the start and a CR at the end of a line.
 *
 * @param onLine Called for each line. It must not throw.
 * @param onUnreadable Called with the number of a line that is longer than a string can be; its bytes are gone.
 */
export function createLineReader(onLine: (line: SourceLine) => void, onUnreadable: (number: number) => void): LineReader {
  let number = 0;
  let pending: Uint8Array[] = [];

  const handOver = (line: string, terminated: boolean): void => {
    number += 1;
    let text = number === 1 && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
    if (text.endsWith('\r')) text = text.slice(0, -1);
    if (text === '' || (text.charCodeAt(0) <= SPACE && text.trim() === '')) return;
    onLine({ number, text, terminated });
  };

  /** Hands over whole lines, ASCII ones together: decoding is what reading costs, and ASCII needs none. */
  const handOverAll = (bytes: Uint8Array, terminated: boolean): void => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = 0;
    if (!isAscii(buffer)) {
      for (let at = buffer.indexOf(LINE_FEED); at !== -1; at = buffer.indexOf(LINE_FEED, start)) {
        const line = textOf(buffer, { encoding: 'utf8', start, end: at });
        if (line !== undefined) handOver(line, true);
        start = at + 1;
      }
      const line = textOf(buffer, { encoding: 'utf8', start, end: buffer.length });
      if (line !== undefined) handOver(line, terminated);
      return;
    }
    const text = textOf(buffer, { encoding: 'latin1', start, end: buffer.length });
    if (text === undefined) return;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', start)) {
      handOver(text.slice(start, at), true);
      start = at + 1;
    }
    handOver(text.slice(start), terminated);
  };

  const textOf = (buffer: Buffer, { encoding, start, end }: Stretch): string | undefined => {
    try {
      return buffer.toString(encoding, start, end);
    } catch {
      number += 1;
      onUnreadable(number);
      return undefined;
    }
  };

  const takePending = (tail: Uint8Array): Uint8Array => {
    if (pending.length === 0) return tail;
    const whole = Buffer.concat([...pending, tail]);
    pending = [];
    return whole;
  };

  return {
    push(bytes) {
      let start = 0;
      const first = pending.length === 0 ? -1 : bytes.indexOf(LINE_FEED);
      if (first !== -1) {
        handOverAll(takePending(bytes.subarray(0, first)), true);
        start = first + 1;
      }
      const last = bytes.lastIndexOf(LINE_FEED);
      for (let from = start; from <= last; from = start) {
        // Pieces of a bounded size: a string of many megabytes costs more than it saves.
        const end = last - from <= LARGEST_PIECE ? last : Math.max(bytes.lastIndexOf(LINE_FEED, from + LARGEST_PIECE), bytes.indexOf(LINE_FEED, from));
        handOverAll(bytes.subarray(from, end), true);
        start = end + 1;
      }
      // A copy: the caller may reuse its buffer for the next piece.
      if (start < bytes.length) pending.push(bytes.slice(start));
    },
    end() {
      if (pending.length > 0) handOverAll(takePending(new Uint8Array(0)), false);
    },
  };
}
