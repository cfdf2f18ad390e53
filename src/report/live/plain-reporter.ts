import type { Colors } from 'picocolors/types.js';
import { createNdjsonReporter } from '../ndjson.js';
import { plainJsonLine } from '../plain-text.js';
import { createTerminalReporter } from '../terminal.js';
import type { RunEvent } from '../../run/ports.js';
import { createBoard, waitingOf, type Board } from './board.js';
import { startHeartbeat, stillText } from './heartbeat.js';
import type { OpenReporter } from './live-reporter.js';

/** What a reporter without a live view needs. */
export interface PlainOptions {
  readonly write: (text: string) => unknown;
  readonly colors: Colors;
  readonly columns?: number;
  /** Silence of so many milliseconds is broken by a line. Default: 30,000. */
  readonly heartbeatMs?: number;
  /** A clock in milliseconds. Default: the process's own. */
  readonly now?: () => number;
}

/** Tells a run in lines, one after the other; after 30 seconds of silence what goes on. */
export function openPlainReporter({ write, colors, columns, heartbeatMs, now = () => performance.now() }: PlainOptions): OpenReporter {
  const board = createBoard(now);
  return neverSilent(board, {
    write, lines: createTerminalReporter({ write, colors, ...(columns === undefined ? {} : { columns }) }),
    heartbeat: startHeartbeat(() => write(colors.dim(`  ${stillText(board, now())}\n`)), heartbeatMs),
  });
}

/** The same in JSON lines. What breaks the silence is a line `run.alive`. */
export function openJsonReporter({ write, heartbeatMs, now = () => performance.now() }: Omit<PlainOptions, 'colors' | 'columns'>): OpenReporter {
  const board = createBoard(now);
  const heartbeat = startHeartbeat(() => {
    const time = now();
    const running = board.running.map(({ attempt, evalId, experimentId, since }) => ({ attempt, evalId, experimentId, runningMs: Math.round(time - since) }));
    write(`${plainJsonLine({ type: 'run.alive', stage: board.stage, running, waiting: waitingOf(board), ...(board.image === undefined ? {} : { image: board.image.line }) })}\n`);
  }, heartbeatMs);
  return neverSilent(board, { write, lines: createNdjsonReporter(write), heartbeat });
}

function neverSilent(
  board: Board, { write, lines, heartbeat }: { readonly write: (text: string) => unknown; readonly lines: (event: RunEvent) => void; readonly heartbeat: ReturnType<typeof startHeartbeat> },
): OpenReporter {
  return {
    onEvent: (event) => {
      board.tell(event);
      lines(event);
      heartbeat.touch();
    },
    write: (text) => {
      write(text);
      heartbeat.touch();
    },
    close: () => heartbeat.stop(),
  };
}
