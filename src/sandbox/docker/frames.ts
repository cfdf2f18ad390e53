import type { Readable } from 'node:stream';

/** Where the two streams of a command go. A returned promise holds the command back. */
export interface FrameSinks {
  readonly stdout: (chunk: Uint8Array) => void | Promise<void>;
  readonly stderr: (chunk: Uint8Array) => void | Promise<void>;
}

const HEADER_BYTES = 8;

/**
 * Takes the engine's multiplexed stream apart: an 8-byte header (stream number, three zero bytes, length as
 * 32-bit big-endian) before each payload, where headers and payloads may be split over any chunks.
 * Rejects when the stream breaks, or ends in the middle of a payload.
 * Source: Docker Engine API 1.41, "Attach to a container", stream format.
 */
export async function demultiplex(stream: Readable, sinks: FrameSinks): Promise<void> {
  let header: Buffer = Buffer.alloc(0);
  let left = 0;
  let sink = sinks.stdout;
  for await (const part of stream as AsyncIterable<Buffer>) {
    let chunk: Buffer = part;
    while (chunk.length > 0) {
      if (left === 0) {
        const need = HEADER_BYTES - header.length;
        header = Buffer.concat([header, chunk.subarray(0, need)]);
        chunk = chunk.subarray(need);
        if (header.length < HEADER_BYTES) break;
        sink = header[0] === 2 ? sinks.stderr : sinks.stdout;
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
        continue;
      }
      const payload = chunk.subarray(0, left);
      left -= payload.length;
      chunk = chunk.subarray(payload.length);
      const pending = sink(payload);
      if (pending !== undefined) await pending;
    }
  }
  if (left > 0 || header.length > 0) throw new Error('the stream ended in the middle of a piece');
}
