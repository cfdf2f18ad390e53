import xterm from '@xterm/headless';

/** A terminal that only remembers what was written to it, and how large it was. */
export interface FakeTerminal {
  columns: number;
  rows: number;
  isTTY: true;
  write(text: string): boolean;
  /** What was written, and where it was resized. */
  readonly log: readonly (string | { readonly columns: number; readonly rows: number })[];
  resize(columns: number, rows: number): void;
}

export function fakeTerminal(columns = 60, rows = 8): FakeTerminal {
  const log: (string | { readonly columns: number; readonly rows: number })[] = [{ columns, rows }];
  return {
    columns, rows, isTTY: true, log,
    write: (text) => {
      log.push(text);
      return true;
    },
    resize(width, height) {
      this.columns = width;
      this.rows = height;
      log.push({ columns: width, rows: height });
    },
  };
}

/** What a person sees in the end. */
export interface Seen {
  /** The lines of the screen without those below the last text. */
  readonly screen: readonly string[];
  /** What has scrolled away above it, and the screen. */
  readonly all: readonly string[];
  readonly cursorHidden: boolean;
  readonly wraps: boolean;
}

/** Interprets everything as a real terminal does. Needs real timers. */
export async function seenOn({ log }: FakeTerminal): Promise<Seen> {
  const [first] = log;
  if (first === undefined || typeof first === 'string') throw new Error('a terminal has a size first');
  const terminal = new xterm.Terminal({ cols: first.columns, rows: first.rows, allowProposedApi: true, convertEol: true, scrollback: 10_000 });
  let cursorHidden = false;
  for (const entry of log) {
    if (typeof entry === 'string') {
      await new Promise<void>((resolve) => { terminal.write(entry, resolve); });
      cursorHidden = entry.lastIndexOf('\u001b[?25l') > entry.lastIndexOf('\u001b[?25h') || (cursorHidden && !entry.includes('\u001b[?25h'));
    } else terminal.resize(entry.columns, entry.rows);
  }
  const buffer = terminal.buffer.active;
  const all = Array.from({ length: buffer.length }, (_item, row) => buffer.getLine(row)?.translateToString(true) ?? '');
  const trimmed = (lines: readonly string[]): readonly string[] => lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  const seen = { screen: trimmed(all.slice(buffer.baseY)), all: trimmed(all), cursorHidden, wraps: terminal.modes.wraparoundMode };
  terminal.dispose();
  return seen;
}
