const FIRST_ROOM = 1024;

/** Bytes that are put together piece by piece, up to a limit. They lie in one block, so that many small pieces cost no more than few. */
export interface GrowingBytes {
  readonly size: number;
  /** Copies the bytes. `false`: they do not fit under the limit, and nothing was added. */
  add(bytes: Uint8Array): boolean;
  /** The bytes themselves, until something is added or they are cleared. */
  bytes(): Buffer;
  clear(): void;
}

/** Starts empty. Room that a large content took is given back when it is cleared. */
export function createGrowingBytes(maxBytes: number): GrowingBytes {
  let block = Buffer.alloc(0);
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(bytes) {
      const wanted = size + bytes.length;
      if (wanted > maxBytes) return false;
      if (wanted > block.length) {
        const larger = Buffer.allocUnsafe(Math.max(FIRST_ROOM, wanted, Math.min(2 * block.length, maxBytes)));
        block.copy(larger, 0, 0, size);
        block = larger;
      }
      block.set(bytes, size);
      size = wanted;
      return true;
    },
    bytes: () => block.subarray(0, size),
    clear() {
      size = 0;
      if (block.length > 64 * FIRST_ROOM) block = Buffer.alloc(0);
    },
  };
}
