import { plainLine } from '../plain-text.js';
import { clockText, waitingOf, type Board } from './board.js';

/** Tells that a run lives while it has nothing else to tell. */
export interface Heartbeat {
  /** Something was told: silence begins anew. */
  touch(): void;
  stop(): void;
}

const SILENCE_MS = 30_000;

/** @param everyMs Silence of so many milliseconds is broken. Default: 30,000. */
export function startHeartbeat(beat: () => void, everyMs: number = SILENCE_MS): Heartbeat {
  let timer: NodeJS.Timeout | undefined;
  const touch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      beat();
      touch();
    }, everyMs).unref();
  };
  touch();
  return { touch, stop: () => clearTimeout(timer) };
}

const MOST_NAMED = 5;

/** What goes on, in a sentence. */
export function stillText(board: Board, now: number): string {
  const time = (since: number): string => clockText(now - since);
  if (board.stage === 'starting') return `still starting, for ${time(board.stageSince)}`;
  if (board.stage === 'ending') return `still cleaning up, for ${time(board.stageSince)}`;
  const { running, image } = board;
  const named = running.slice(0, MOST_NAMED).map(({ evalId, experimentId, since, said }) => `${plainLine(evalId)} by ${plainLine(experimentId)} for ${time(since)}${said === undefined ? '' : ` (${said})`}`);
  const parts = [
    ...(named.length === 0 ? [] : [`still running: ${named.join(', ')}${running.length > MOST_NAMED ? ` and ${running.length - MOST_NAMED} more` : ''}`]),
    ...(image === undefined ? [] : [`still at an image, for ${time(image.since)}: ${image.line}`]),
  ];
  const waiting = waitingOf(board);
  return `${parts.length === 0 ? `nothing runs yet, for ${time(board.stageSince)}` : parts.join('; ')}${waiting === 0 ? '' : `; ${waiting} waiting`}`;
}
