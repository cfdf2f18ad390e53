/** Holds the beginning of a UTF-8 character back until the rest of it comes. Bytes that are no UTF-8 pass as they are. */
export interface WholeCharacters {
  /** The bytes up to the last whole character. */
  push(chunk: Uint8Array): Uint8Array;
  /** What was still held back. */
  flush(): Uint8Array;
}

const LONGEST = 4;

export function createWholeCharacters(): WholeCharacters {
  let held: Uint8Array = new Uint8Array(0);
  return {
    push(chunk) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const end = bytes.length - unfinishedAtEnd(bytes);
      held = Buffer.from(bytes.subarray(end));
      return bytes.subarray(0, end);
    },
    flush() {
      const rest = held;
      held = new Uint8Array(0);
      return rest;
    },
  };
}

/** How many bytes at the end begin a character that is not whole. Source: RFC 3629, section 3. */
function unfinishedAtEnd(bytes: Uint8Array): number {
  for (let back = 1; back < LONGEST && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue; // A byte that continues a character.
    const length = byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
