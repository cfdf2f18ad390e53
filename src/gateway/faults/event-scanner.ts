const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DATA = Buffer.from('data:');

/** A place in a piece of a stream of server-sent events. */
export interface EventMark {
  /**
   * `data`: the byte at `at` is the first one of the data of an event. `end`: the event ended with the byte before `at`, its blank line
   * included.
   */
  readonly kind: 'data' | 'end';
  readonly at: number;
}

/** Finds the events of a stream, wherever it is cut into pieces. It holds no byte of it. */
export interface EventScanner {
  /** The places in the next piece, in their order. */
  scan(piece: Uint8Array): readonly EventMark[];
}

/**
 * Starts before the first byte of a stream. Lines end with LF, CRLF or CR, and an event ends with a blank line (HTML Living Standard,
 * 9.2.6). A block without data is no event: comments that keep a connection alive are not counted.
 */
export function createEventScanner(): EventScanner {
  /** How many bytes of "data:" the line began with; -1: it is another line. */
  let matched = 0;
  let lineBytes = 0;
  let hasData = false;
  /** The first byte of the event's data has been told. */
  let isMarked = false;
  let afterCr = false;
  let endsAfterCr = false;

  const endLine = (): boolean => {
    const isEnd = lineBytes === 0 && hasData;
    if (lineBytes === 0) hasData = isMarked = false;
    lineBytes = 0;
    matched = 0;
    return isEnd;
  };

  return {
    scan(piece) {
      const marks: EventMark[] = [];
      for (const [at, byte] of piece.entries()) {
        const wasCr = afterCr;
        afterCr = false;
        if (endsAfterCr) {
          endsAfterCr = false;
          marks.push({ kind: 'end', at: byte === LF ? at + 1 : at });
        }
        if (byte === LF) {
          if (!wasCr && endLine()) marks.push({ kind: 'end', at: at + 1 });
        } else if (byte === CR) {
          // A line feed may follow that belongs to it.
          endsAfterCr = endLine();
          afterCr = true;
        } else if (matched === DATA.length) {
          if (!isMarked && byte !== SPACE) {
            marks.push({ kind: 'data', at });
            isMarked = true;
          }
        } else {
          matched = matched === lineBytes && byte === DATA[matched] ? matched + 1 : -1;
          lineBytes += 1;
          if (matched === DATA.length) hasData = true;
        }
      }
      return marks;
    },
  };
}
