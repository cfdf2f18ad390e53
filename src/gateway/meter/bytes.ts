/** The same bytes, with the methods of a Buffer. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Up to here a loop is as quick as a call out of JavaScript. */
const NEAR_BYTES = 32;

/** Where a byte is first found from a place on; -1: nowhere. */
export function positionOf(byte: number, bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + NEAR_BYTES);
  for (let at = from; at < near; at += 1) if (bytes[at] === byte) return at;
  return near === bytes.length ? -1 : bytes.indexOf(byte, near);
}

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Whether JSON text lies between braces, so that it may be a whole object. */
export function isBraced(bytes: Buffer): boolean {
  return bytes[0] === OPENING_BRACE && bytes[bytes.length - 1] === CLOSING_BRACE;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;

/** Whether a JSON object begins by saying that it is of this type: `{"type":"ping"`. It may say so elsewhere and is not found then. */
export function beginsWithType(bytes: Buffer, type: string): boolean {
  if (!isAt(TYPE, bytes, 0)) return false;
  const opening = bytes[TYPE.length] === SPACE ? TYPE.length + 1 : TYPE.length;
  const closing = opening + 1 + type.length;
  if (bytes[opening] !== QUOTE || bytes[closing] !== QUOTE) return false;
  for (let at = 0; at < type.length; at += 1) if (bytes[opening + 1 + at] !== type.charCodeAt(at)) return false;
  return true;
}

/** Keys that are looked for in JSON texts. */
export interface SoughtKeys {
  readonly keys: readonly Buffer[];
  /** By the byte after the quote: the place of the key that begins with it, from 1. */
  readonly places: Uint8Array;
}

/** @param names Each begins with another letter; at most 8. */
export function soughtKeys(...names: readonly string[]): SoughtKeys {
  const places = new Uint8Array(256);
  names.forEach((name, index) => { places[name.charCodeAt(0)] = index + 1; });
  return { keys: names.map((name) => Buffer.from(`"${name}"`)), places };
}

/**
 * Which of some keys a JSON text has, at whatever depth, with another value than `null`. It may find one that is no key, and a `null`
 * after more white space than one space is not seen; it misses none that is written without escapes. (What is said in a string has its
 * quotes escaped, so that it is not taken for a key.)
 *
 * @returns a bit for each, the lowest for the first.
 */
export function keysIn(bytes: Buffer, { keys, places }: SoughtKeys): number {
  let found = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== QUOTE) continue;
    const place = places[bytes[at + 1] ?? 0] ?? 0;
    if (place === 0) continue;
    const key = keys[place - 1] ?? TYPE;
    if (isAt(key, bytes, at) && !isNull(bytes, at + key.length)) found |= 1 << (place - 1);
  }
  return found;
}

const TYPE = Buffer.from('{"type":');
const NULL = Buffer.from('null');

function isNull(bytes: Buffer, colon: number): boolean {
  return bytes[colon] === COLON && isAt(NULL, bytes, bytes[colon + 1] === SPACE ? colon + 2 : colon + 1);
}

function isAt(part: Buffer, bytes: Buffer, from: number): boolean {
  for (let at = 0; at < part.length; at += 1) if (bytes[from + at] !== part[at]) return false;
  return true;
}
