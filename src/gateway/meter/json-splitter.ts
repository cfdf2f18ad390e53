import { createGrowingBytes } from './growing-bytes.js';
import type { PieceListener, Splitter } from './splitter.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Cuts a JSON body: an object is one piece; of an array every object or array in it is one, as soon as it is closed. Other elements,
 * and what follows the body, are dropped. It looks at brackets and strings only: whether a piece is JSON its reader must see.
 *
 * @param maxBytes A longer piece is skipped.
 */
export function createJsonSplitter(listener: PieceListener, maxBytes: number): Splitter {
  const piece = createGrowingBytes(maxBytes);
  /** The depth at which pieces begin: 1 in an array, 0 until one is found to be there. */
  let base = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let skipping = false;
  let closed = false;

  const keep = (bytes: Uint8Array): void => {
    if (skipping || piece.add(bytes)) return;
    skipping = true;
    piece.clear();
  };

  const endPiece = (): void => {
    if (skipping) listener.onSkipped();
    else listener.onPiece(piece.text());
    piece.clear();
    skipping = false;
  };

  return {
    write(bytes) {
      /** Where the open piece begins in these bytes; -1: none is open. */
      let start = depth > base ? 0 : -1;
      for (let at = 0; at < bytes.length && !closed; at += 1) {
        const byte = bytes[at];
        if (inString) {
          inString = escaped || byte !== QUOTE;
          escaped = !escaped && byte === BACKSLASH;
        } else if (byte === QUOTE) {
          inString = true;
        } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
          if (depth === 0 && byte === OPENING_BRACKET) base = 1;
          else if (depth === base) start = at;
          depth += 1;
        } else if ((byte === CLOSING_BRACE || byte === CLOSING_BRACKET) && depth > 0) {
          depth -= 1;
          if (depth === base && start >= 0) {
            keep(bytes.subarray(start, at + 1));
            endPiece();
            start = -1;
          }
          closed = depth === 0;
        }
      }
      if (start >= 0) keep(bytes.subarray(start));
    },
    // A piece that is still open is cut.
    end: () => piece.clear(),
    get closed() {
      return closed;
    },
  };
}
