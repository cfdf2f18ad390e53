import { fileLine } from './file-line.js';

/**
 * Text of a stranger as a code span of Markdown, in which nothing means anything: no emphasis, HTML, link, image, mention or reference.
 * Its fence is longer than any run of backticks in it.
 */
export function codeSpan(text: string, length: number): string {
  const shown = fileLine(text, length);
  if (shown === '') return '(empty)';
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** The same for a cell of a table, where a bar would end the cell, in a code span or not. */
export function codeCell(text: string, length: number): string {
  return codeSpan(text, length).replaceAll('|', '\\u007c');
}

/** A text that grows by whole blocks, up to so many bytes of UTF-8. */
export interface Page {
  /** Adds blocks one after the other while they fit. Returns how many were left out. */
  readonly add: (blocks: readonly string[]) => number;
  readonly text: () => string;
}

/** An empty page. What `add` leaves out must be said by the caller, in room that it kept for that. */
export function createPage(limitBytes: number): Page {
  const kept: string[] = [];
  let bytes = 0;
  return {
    add(blocks) {
      for (const [index, block] of blocks.entries()) {
        const more = Buffer.byteLength(block) + 1;
        if (bytes + more > limitBytes) return blocks.length - index;
        bytes += more;
        kept.push(block);
      }
      return 0;
    },
    text: () => kept.map((block) => `${block}\n`).join(''),
  };
}
