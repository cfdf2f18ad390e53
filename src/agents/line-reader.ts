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

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\uFEFF';

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

  const handOver = (bytes: Uint8Array, terminated: boolean): void => {
    number += 1;
    let text: string;
    try {
      text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    } catch {
      onUnreadable(number);
      return;
    }
    if (number === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    if (text.endsWith('\r')) text = text.slice(0, -1);
    if (text.trim() === '') return;
    onLine({ number, text, terminated });
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
      for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, start)) {
        handOver(takePending(bytes.subarray(start, at)), true);
        start = at + 1;
      }
      // A copy: the caller may reuse its buffer for the next piece.
      if (start < bytes.length) pending.push(bytes.slice(start));
    },
    end() {
      if (pending.length > 0) handOver(takePending(new Uint8Array(0)), false);
    },
  };
}
