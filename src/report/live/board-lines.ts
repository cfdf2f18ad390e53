import type { Colors } from 'picocolors/types.js';
import { plainLine } from '../plain-text.js';
import { clockText, doneOf, waitingOf, type Board, type RunningAttempt } from './board.js';
import type { ScreenLine } from './screen.js';

const CLOCK_COLUMNS = 11;

/** A board as the region of a screen: a line for each Attempt under way, as many as there is room for, and the counts below. */
export function boardLines(board: Board, { rows, colors, now }: { readonly rows: number; readonly colors: Colors; readonly now: number }): readonly ScreenLine[] {
  if (rows < 1) return [];
  const attempts = board.running.map((attempt) => rowOf(attempt, now));
  const image = board.image === undefined ? [] : [{ text: `${clock(now - board.image.since)}  image: ${board.image.line}`, paint: colors.dim }];
  const all: readonly ScreenLine[] = [...attempts, ...image];
  const room = rows - 1;
  const shown = all.length <= room ? all : all.slice(0, Math.max(0, room - 1));
  const more = all.length - shown.length;
  return [...shown, ...(more > 0 && room > 0 ? [{ text: `${' '.repeat(CLOCK_COLUMNS)}  and ${more} more`, paint: colors.dim }] : []), countsLine(board, now)];
}

// The clock comes first and the name next: what is clipped is what was said last.
function rowOf({ evalId, experimentId, index, since, said = '' }: RunningAttempt, now: number): ScreenLine {
  return { text: `${clock(now - since)}  ${plainLine(evalId)} by ${plainLine(experimentId)}${index === 1 ? '' : ` (${index})`}${said === '' ? '' : `: ${said}`}` };
}

function countsLine(board: Board, now: number): ScreenLine {
  const time = clock(now - board.stageSince);
  if (board.stage === 'starting') return { text: `${time}  starting` };
  if (board.stage === 'ending') return { text: `${time}  cleaning up` };
  const { passed, failed, errored, skipped } = board.counts;
  const waiting = waitingOf(board);
  return { text: `${time}  ${doneOf(board.counts)} of ${board.planned} done: ${passed} passed, ${failed} failed, ${errored} errored${skipped === 0 ? '' : `, ${skipped} skipped`}; ${board.running.length} running, ${waiting} waiting` };
}

function clock(ms: number): string {
  return clockText(ms).padStart(CLOCK_COLUMNS);
}
