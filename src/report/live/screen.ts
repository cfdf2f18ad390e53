import stringWidth from 'string-width';

/** Where a screen is drawn: a terminal, or what stands for one in a test. */
export interface TerminalStream {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** A line of the region. `paint` colours what of it fits. */
export interface ScreenLine {
  /** Without any character that could move the cursor. */
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/** Lines that scroll, and below them a region that is drawn anew. Nobody else may write to the terminal meanwhile. */
export interface Screen {
  /** Replaces the region. What is wider than the screen is clipped; the caller sees to it that there are not too many lines. */
  draw(lines: readonly ScreenLine[]): void;
  /** Puts whole lines above the region. */
  print(text: string): void;
  /** Takes the region away and gives the terminal back as it was. Harmless when called again. */
  close(): void;
  /** How many lines the region may have, and how wide they may be. */
  size(): { readonly rows: number; readonly columns: number };
}

const COLUMNS = 80;
const ROWS = 24;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
// Terminals differ in how wide they take a character; without this, a line that one takes for wider would become two.
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';

const segmenter = new Intl.Segmenter();

export function createScreen(stream: TerminalStream): Screen {
  let shown: readonly ScreenLine[] = [];
  let widths: readonly number[] = [];
  let isOpen = true;
  const columnsOf = (): number => Math.max(1, stream.columns ?? COLUMNS);

  /** A terminal that became narrower has broken lines that were drawn for a wider one. */
  const erased = (): string => {
    const columns = columnsOf();
    const height = widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return height === 0 ? '' : `\u001b[${height}A\r\u001b[J`;
  };
  const render = (above: string): void => {
    const columns = columnsOf();
    const fitting = shown.slice(0, Math.max(0, (stream.rows ?? ROWS) - 1)).map(({ text, paint }) => ({ text: clippedTo(text, columns - 1), paint }));
    const before = erased();
    widths = fitting.map(({ text }) => stringWidth(text));
    const region = fitting.map(({ text, paint }) => `${paint === undefined ? text : paint(text)}\n`).join('');
    stream.write(`${HIDE_CURSOR}${before}${above}${region === '' ? '' : `${WRAP_OFF}${region}${WRAP_ON}`}`);
  };
  return {
    draw: (lines) => {
      if (!isOpen) return;
      shown = lines;
      render('');
    },
    print: (text) => {
      const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
      if (isOpen) render(whole);
      else stream.write(whole);
    },
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      stream.write(`${erased()}${WRAP_ON}${SHOW_CURSOR}`);
      widths = [];
    },
    size: () => ({ rows: Math.max(0, (stream.rows ?? ROWS) - 1), columns: columnsOf() - 1 }),
  };
}

/** As much of a text as `columns` hold, the cut marked. */
export function clippedTo(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (stringWidth(text) <= columns) return text;
  let clipped = '';
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    const own = stringWidth(segment);
    if (width + own > columns - 1) break;
    clipped += segment;
    width += own;
  }
  return `${clipped}…`;
}
