import { asBuffer } from './bytes.js';
import { createGrowingBytes } from './growing-bytes.js';
import type { PieceListener, Splitter } from './splitter.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** 1 for the bytes that mean something outside of strings. */
const IS_SYNTAX = new Uint8Array(256);
for (const byte of [QUOTE, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE]) IS_SYNTAX[byte] = 1;

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
    else listener.onPiece(piece.bytes());
    piece.clear();
    skipping = false;
  };

  /** Where a string goes on after its closing quote; the end of the bytes when the quote is not among them. */
  const skipText = (bytes: Buffer, from: number): number => {
    let at = from;
    inString = true;
    while (inString) {
      const quote = bytes.indexOf(QUOTE, at);
      const end = quote < 0 ? bytes.length : quote;
      let backslashes = 0;
      while (end - backslashes > at && bytes[end - backslashes - 1] === BACKSLASH) backslashes += 1;
      // A backslash at the end of the last portion escapes what these begin with.
      const isEscaped = (backslashes % 2 === 1) !== (escaped && backslashes === end - at);
      escaped = quote < 0 && isEscaped;
      if (quote < 0) return end;
      inString = isEscaped;
      at = quote + 1;
    }
    return at;
  };

  return {
    write(portion) {
      const bytes = asBuffer(portion);
      /** Where the open piece begins in these bytes; -1: none is open. */
      let start = depth > base ? 0 : -1;
      let at = inString ? skipText(bytes, 0) : 0;
      for (; at < bytes.length && !closed; at += 1) {
        const byte = bytes[at] ?? 0;
        if (IS_SYNTAX[byte] === 0) continue;
        if (byte === QUOTE) {
          at = skipText(bytes, at + 1) - 1;
        } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
          if (depth === 0 && byte === OPENING_BRACKET) base = 1;
          else if (depth === base) start = at;
          depth += 1;
        } else if (depth > 0) {
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
