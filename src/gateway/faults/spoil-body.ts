import { createEventScanner } from './event-scanner.js';
import type { StreamPlace } from './fault-plan.js';

/** What goes out in place of a piece of a body, and whether the place of the fault is right after it. */
export interface SpoiltPiece {
  readonly bytes: Uint8Array;
  readonly isPlace: boolean;
}

/** Takes the pieces of a body one after the other. */
export type PieceByPiece = (piece: Uint8Array) => SpoiltPiece;

/** Lets a body through up to a place that is not its start. */
export function upTo(place: StreamPlace): PieceByPiece {
  if ('afterBytes' in place) {
    let left = place.afterBytes;
    return (bytes) => {
      left -= bytes.length;
      return left > 0 ? { bytes, isPlace: false } : { bytes: bytes.subarray(0, bytes.length + left), isPlace: true };
    };
  }
  const scanner = createEventScanner();
  let left = place.afterEvents;
  return (bytes) => {
    const ends = scanner.scan(bytes).filter(({ kind }) => kind === 'end');
    const last = ends[left - 1];
    left -= ends.length;
    return last === undefined ? { bytes, isPlace: false } : { bytes: bytes.subarray(0, last.at), isPlace: true };
  };
}

/** Breaks the data of one event of a stream. @param atEvent From 1. */
export function brokenEvent(atEvent: number): PieceByPiece {
  const scanner = createEventScanner();
  let events = 0;
  return (bytes) => {
    const at = scanner.scan(bytes).find(({ kind }) => kind === 'data' && (events += 1) === atEvent)?.at;
    return at === undefined ? { bytes, isPlace: false } : { bytes: brokenAt(bytes, at), isPlace: true };
  };
}

/** Breaks an answer in one piece, which is its own first event. */
export function brokenWhole(atEvent: number): PieceByPiece {
  let isLeft = atEvent === 1;
  return (bytes) => {
    const at = isLeft ? bytes.findIndex((byte) => byte > 0x20) : -1;
    if (at < 0) return { bytes, isPlace: false };
    isLeft = false;
    return { bytes: brokenAt(bytes, at), isPlace: true };
  };
}

const OBJECT = '{'.charCodeAt(0);
const ARRAY = '['.charCodeAt(0);

/** With another opening than its end no value is JSON, and it keeps its length. */
function brokenAt(bytes: Uint8Array, at: number): Uint8Array {
  const broken = Uint8Array.from(bytes);
  broken[at] = bytes[at] === ARRAY ? OBJECT : ARRAY;
  return broken;
}
