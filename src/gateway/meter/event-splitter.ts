import { asBuffer, positionOf } from './bytes.js';
import { createGrowingBytes } from './growing-bytes.js';
import type { PieceListener, Splitter } from './splitter.js';

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const NEWLINE = Buffer.of(LF);
const NOTHING = Buffer.alloc(0);
const DATA = Buffer.from('data');
const EVENT = Buffer.from('event');
const LONGEST_NAME = 100;

/**
 * Cuts server-sent events: fields by line, lines ended by LF, CR or both, several `data` lines joined, comments and other fields
 * dropped, events without data dropped. An event that lies in one portion is not copied.
 *
 * @param maxBytes An event with more data, or with a longer line, is skipped.
 */
export function createEventSplitter(listener: PieceListener, maxBytes: number): Splitter {
  /** A line whose end has not come. */
  const line = createGrowingBytes(maxBytes);
  /** The data of an event, where they are of several lines or portions. */
  const data = createGrowingBytes(maxBytes);
  /** The data of an event that are one line of the portion at hand. */
  let inPortion: Buffer | undefined;
  const nameOf = createNameReader();
  let name: string | undefined;
  let hasData = false;
  let lineTooLong = false;
  let skipping = false;
  let afterCr = false;

  const keep = (bytes: Buffer): void => {
    if (lineTooLong || line.add(bytes)) return;
    lineTooLong = true;
    line.clear();
  };

  const endEvent = (): void => {
    if (skipping) listener.onSkipped(name);
    else if (hasData) listener.onPiece(inPortion ?? data.bytes(), name);
    if (data.size > 0) data.clear();
    inPortion = undefined;
    name = undefined;
    hasData = false;
    skipping = false;
  };

  const copyPortion = (): void => {
    if (inPortion !== undefined && !data.add(inPortion)) skipping = true;
    inPortion = undefined;
  };

  const addData = (bytes: Buffer, start: number, end: number): void => {
    if (!hasData) {
      inPortion = bytes.subarray(start, end);
      hasData = true;
      return;
    }
    copyPortion();
    if (!skipping && data.add(NEWLINE) && data.add(bytes.subarray(start, end))) return;
    skipping = true;
    data.clear();
  };

  const readLine = (bytes: Buffer, start: number, end: number): void => {
    if (start === end) return endEvent();
    if (isField(DATA, bytes, start, end)) {
      if (!skipping) addData(bytes, valueStart(DATA, bytes, start, end), end);
    } else if (isField(EVENT, bytes, start, end)) {
      const from = valueStart(EVENT, bytes, start, end);
      name = nameOf(bytes, from, Math.min(end, from + LONGEST_NAME));
    }
  };

  const endLine = (bytes: Buffer, start: number, end: number): void => {
    // Most lines come in one portion and need not be put together.
    if (line.size === 0 && !lineTooLong && end - start <= maxBytes) return readLine(bytes, start, end);
    keep(bytes.subarray(start, end));
    if (lineTooLong) {
      skipping = true;
    } else {
      readLine(line.bytes(), 0, line.size);
      copyPortion();
    }
    line.clear();
    lineTooLong = false;
  };

  return {
    write(portion) {
      if (portion.length === 0) return;
      const bytes = asBuffer(portion);
      let start = afterCr && bytes[0] === LF ? 1 : 0;
      afterCr = false;
      let feed = positionOf(LF, bytes, start);
      let carriage = bytes.indexOf(CR, start);
      while (start < bytes.length) {
        if (feed >= 0 && feed < start) feed = positionOf(LF, bytes, start);
        if (carriage >= 0 && carriage < start) carriage = bytes.indexOf(CR, start);
        const endsByCarriage = carriage >= 0 && (feed < 0 || carriage < feed);
        const end = endsByCarriage ? carriage : feed;
        if (end < 0) {
          keep(bytes.subarray(start));
          break;
        }
        endLine(bytes, start, end);
        start = end + 1;
        if (!endsByCarriage) continue;
        afterCr = start === bytes.length;
        if (bytes[start] === LF) start += 1;
      }
      copyPortion();
    },
    end() {
      // JSON that was cut is none, so that a last event without its empty line says nothing wrong.
      if (line.size > 0 || lineTooLong) endLine(NOTHING, 0, 0);
      endEvent();
    },
    closed: false,
  };
}

/** Whether a line is of a field: its name, then a colon or nothing. */
function isField(field: Buffer, bytes: Buffer, start: number, end: number): boolean {
  const after = start + field.length;
  if (after > end || (after < end && bytes[after] !== COLON)) return false;
  for (let at = 0; at < field.length; at += 1) if (bytes[start + at] !== field[at]) return false;
  return true;
}

function valueStart(field: Buffer, bytes: Buffer, start: number, end: number): number {
  const colon = start + field.length;
  if (colon >= end) return end;
  return colon + 1 < end && bytes[colon + 1] === SPACE ? colon + 2 : colon + 1;
}

/** Reads names of events. Most are the same as the one before, and are not made into a text again. */
function createNameReader(): (bytes: Buffer, start: number, end: number) => string {
  let last = NOTHING;
  let text = '';
  return (bytes, start, end) => {
    let at = end - start === last.length ? 0 : -1;
    while (at >= 0 && at < last.length && bytes[start + at] === last[at]) at += 1;
    if (at === last.length) return text;
    last = Buffer.from(bytes.subarray(start, end));
    text = last.toString('utf8');
    return text;
  };
}
