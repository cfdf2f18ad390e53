import { createGrowingBytes } from './growing-bytes.js';
import type { PieceListener, Splitter } from './splitter.js';

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const NEWLINE = Uint8Array.of(LF);
const NOTHING = new Uint8Array();
const LONGEST_NAME = 100;

/**
 * Cuts server-sent events: fields by line, lines ended by LF, CR or both, several `data` lines joined, comments and other fields
 * dropped, events without data dropped.
 *
 * @param maxBytes An event with more data, or with a longer line, is skipped.
 */
export function createEventSplitter(listener: PieceListener, maxBytes: number): Splitter {
  const line = createGrowingBytes(maxBytes);
  const data = createGrowingBytes(maxBytes);
  let name: string | undefined;
  let hasData = false;
  let lineTooLong = false;
  let skipping = false;
  let afterCr = false;

  const keep = (bytes: Uint8Array): void => {
    if (lineTooLong || line.add(bytes)) return;
    lineTooLong = true;
    line.clear();
  };

  const endEvent = (): void => {
    if (skipping) listener.onSkipped(name);
    else if (hasData) listener.onPiece(data.text(), name);
    data.clear();
    name = undefined;
    hasData = false;
    skipping = false;
  };

  const addData = (value: Uint8Array): void => {
    const fits = (!hasData || data.add(NEWLINE)) && data.add(value);
    hasData = true;
    if (fits) return;
    skipping = true;
    data.clear();
  };

  const readLine = (bytes: Uint8Array): void => {
    if (bytes.length === 0) return endEvent();
    const colon = bytes.indexOf(COLON);
    const field = asText(colon < 0 ? bytes : bytes.subarray(0, Math.min(colon, LONGEST_NAME)));
    const value = colon < 0 ? NOTHING : bytes.subarray(bytes[colon + 1] === SPACE ? colon + 2 : colon + 1);
    if (field === 'data' && !skipping) addData(value);
    else if (field === 'event') name = asText(value.subarray(0, LONGEST_NAME));
  };

  const endLine = (rest: Uint8Array): void => {
    // Most lines come in one portion and need not be put together.
    const isWhole = line.size === 0 && !lineTooLong && rest.length <= maxBytes;
    if (!isWhole) keep(rest);
    if (lineTooLong) skipping = true;
    else readLine(isWhole ? rest : line.bytes());
    line.clear();
    lineTooLong = false;
  };

  return {
    write(bytes) {
      let start = 0;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at];
        if (byte === LF || byte === CR) {
          if (byte === CR || !afterCr) endLine(bytes.subarray(start, at));
          start = at + 1;
        }
        afterCr = byte === CR;
      }
      if (start < bytes.length) keep(bytes.subarray(start));
    },
    end() {
      // JSON that was cut is none, so that a last event without its empty line says nothing wrong.
      if (line.size > 0 || lineTooLong) endLine(NOTHING);
      endEvent();
    },
    closed: false,
  };
}

function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}
