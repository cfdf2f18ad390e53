import { setTimeout as pause } from 'node:timers/promises';
import { AnswerCutError } from '../errors.js';
import type { Outlet } from '../outlet.js';
import { untilAborted } from '../until-aborted.js';
import type { Fault, StreamPlace } from './fault-plan.js';
import { brokenEvent, brokenWhole, upTo, type PieceByPiece } from './spoil-body.js';

/** What an outlet that spoils an answer needs to know. */
export interface SpoiltOutletOptions {
  readonly fault: Fault;
  /** Aborts when nobody reads any more. */
  readonly signal: AbortSignal;
  /** Called when the answer is spoilt, before it shows. Not called for an answer that ends before the place of its fault. */
  readonly onSpoilt: () => void;
}

/** Spoils the body of an answer in passing. A fault before the head needs no outlet: there is no answer then. */
export function spoiltOutlet(outlet: Outlet, { fault, signal, onSpoilt }: SpoiltOutletOptions): Outlet {
  const place = placeOf(fault);
  let isFirst = true;
  let spoil: PieceByPiece = (bytes) => ({ bytes, isPlace: false });
  const stop = async (): Promise<void> => {
    onSpoilt();
    if ('stall' in fault) await untilAborted(signal);
    await outlet.cut();
    throw new AnswerCutError();
  };
  return {
    async head(status, headers) {
      const isStream = /^\s*text\/event-stream\b/i.test(String(headers['content-type'] ?? ''));
      await outlet.head(status, headers);
      if (place !== undefined) {
        if (isAtStart(place, isStream)) await stop();
        spoil = upTo(place);
      } else if ('malformed' in fault) {
        spoil = (isStream ? brokenEvent : brokenWhole)(fault.malformed.atEvent);
      }
    },
    async write(text) {
      const piece = typeof text === 'string' ? Buffer.from(text) : text;
      if ('trickle' in fault) {
        onSpoilt();
        const { bytes, everyMs } = fault.trickle;
        for (let start = 0; start < piece.length; start += bytes) {
          // Not behind the last one: a client that has all it needs does not wait for the end.
          if (!isFirst) await pause(everyMs, undefined, { signal });
          isFirst = false;
          await outlet.write(piece.subarray(start, start + bytes));
        }
        return;
      }
      const { bytes, isPlace } = spoil(piece);
      if (isPlace && place === undefined) onSpoilt();
      await outlet.write(bytes);
      if (isPlace && place !== undefined) await stop();
    },
    end: () => outlet.end(),
    cut: () => outlet.cut(),
  };
}

function placeOf(fault: Fault): StreamPlace | undefined {
  const place = 'stall' in fault ? fault.stall : 'cut' in fault ? fault.cut : undefined;
  return typeof place === 'object' ? place : undefined;
}

function isAtStart(place: StreamPlace, isStream: boolean): boolean {
  return 'afterEvents' in place ? !isStream || place.afterEvents === 0 : place.afterBytes === 0;
}
