import type { Outlet } from './outlet.js';
import { MOST_TAPED_BYTES, type HeldAnswer } from './tape.js';

/** An outlet that remembers what passes. */
export interface TapingOutlet extends Outlet {
  /** What the client was answered. `undefined`: the answer has not ended, or is too large to be kept. */
  taped(): HeldAnswer | undefined;
}

/** Keeps a copy of an answer on its way. */
export function tapingOutlet(outlet: Outlet): TapingOutlet {
  const pieces: Buffer[] = [];
  let size = 0;
  let head: Pick<HeldAnswer, 'status' | 'headers'> | undefined;
  let ending: HeldAnswer['ending'] | undefined;
  return {
    head(status, headers) {
      head = { status, headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : String(value)])) };
      return outlet.head(status, headers);
    },
    write(piece) {
      size += piece.length;
      if (size <= MOST_TAPED_BYTES) pieces.push(Buffer.from(piece as Uint8Array));
      return outlet.write(piece);
    },
    async end() {
      // Before the client knows that it is over, and may ask again.
      ending = 'whole';
      await outlet.end();
    },
    async cut() {
      ending = 'cut';
      await outlet.cut();
    },
    taped: () => (head === undefined || ending === undefined || size > MOST_TAPED_BYTES ? undefined : { ...head, body: Buffer.concat(pieces), ending }),
  };
}
