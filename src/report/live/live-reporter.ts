import type { Colors } from 'picocolors/types.js';
import type { RunEvent } from '../../run/ports.js';
import { createTerminalReporter } from '../terminal.js';
import { createBoard } from './board.js';
import { boardLines } from './board-lines.js';
import { divertWrites, type WrittenStream } from './divert-writes.js';
import { createScreen, type TerminalStream } from './screen.js';

/** What a live view needs. */
export interface LiveOptions {
  readonly terminal: TerminalStream;
  /** Streams that lead to the same terminal and that others write to. */
  readonly others: readonly WrittenStream[];
  readonly colors: Colors;
  /** A clock in milliseconds. Default: the process's own. */
  readonly now?: () => number;
}

/** A reporter that holds something until it is closed. */
export interface OpenReporter {
  readonly onEvent: (event: RunEvent) => void;
  /** A line beside what events tell. */
  readonly write: (text: string) => void;
  /** Ends timers and gives back what was taken. Harmless when called again. */
  close(): void;
}

const TICK_MS = 1_000;
// A flood of progress must not become a flood of redraws.
const LEAST_MS = 50;

/** Tells a run on a terminal: what has ended scrolls, below it stands what goes on, drawn anew when it changes and once a second. */
export function openLiveReporter({ terminal, others, colors, now = () => performance.now() }: LiveOptions): OpenReporter {
  // The streams' own `write` is about to be replaced: the screen keeps what it was.
  const write = terminal.write.bind(terminal);
  const screen = createScreen({ write, get columns() { return terminal.columns ?? 80; }, get rows() { return terminal.rows ?? 24; } });
  const board = createBoard(now);
  const restoreWrites = divertWrites(others, (text) => screen.print(text));
  let drawnAt = -Infinity;
  let pending: NodeJS.Timeout | undefined;
  const draw = (): void => {
    clearTimeout(pending);
    pending = undefined;
    drawnAt = now();
    screen.draw(boardLines(board, { rows: screen.size().rows, colors, now: drawnAt }));
  };
  const changed = (): void => {
    if (pending !== undefined) return;
    const wait = drawnAt + LEAST_MS - now();
    if (wait <= 0) draw();
    else pending = setTimeout(draw, wait).unref();
  };
  const lines = createTerminalReporter({ write: (text) => screen.print(text), colors, columns: screen.size().columns, onlyLasting: true });
  const ticks = setInterval(draw, TICK_MS).unref();
  draw();
  return {
    onEvent: (event) => {
      board.tell(event);
      lines(event);
      changed();
    },
    write: (text) => screen.print(text),
    close: () => {
      clearInterval(ticks);
      clearTimeout(pending);
      restoreWrites();
      screen.close();
    },
  };
}
