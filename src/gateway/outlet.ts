import { once } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';

/** Where an answer goes, piece by piece. */
export interface Outlet {
  /** Sends status and headers at once. Call it first, and once. */
  head(status: number, headers: OutgoingHttpHeaders): void | Promise<void>;
  /** Hands a piece on, and waits while the reader is slow. */
  write(piece: Uint8Array | string): void | Promise<void>;
  /** The answer is whole. Settles when its last byte was handed to the system. */
  end(): Promise<void>;
  /** The answer breaks off: the connection is cut after what was written, which may be nothing at all. */
  cut(): Promise<void>;
}

/** What an outlet to a client needs to know. */
export interface ClientOutletOptions {
  /** Aborts when nobody reads any more. */
  readonly signal: AbortSignal;
  /** Called when the head of the answer goes out. */
  readonly onFirstByte: () => void;
}

/** The client's end of an answer. Its methods throw whatever ended the connection first; `signal` is aborted then. */
export function clientOutlet(response: ServerResponse, { signal, onFirstByte }: ClientOutletOptions): Outlet {
  return {
    head(status, headers) {
      response.writeHead(status, headers);
      response.flushHeaders();
      onFirstByte();
    },
    write(piece) {
      signal.throwIfAborted();
      if (!response.write(piece)) return once(response, 'drain', { signal }).then(() => undefined);
    },
    async end() {
      signal.throwIfAborted();
      response.end();
      await finished(response);
    },
    async cut() {
      // An empty write is called back after everything before it has gone out. Without a head it would send one.
      if (response.headersSent) await new Promise<void>((resolve) => response.write('', () => resolve()));
      response.destroy();
    },
  };
}
