import { plainLine } from './plain-text.js';

/** Rows in columns, each as wide as its longest cell, so that no name is cut. Cells are made safe for a terminal. */
export function inColumns(rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) => row.map(plainLine));
  const widths = safe.reduce<number[]>((most, row) => row.map((cell, index) => Math.max(most[index] ?? 0, cell.length)), []);
  return safe.map((row) => `${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ').trimEnd()}\n`).join('');
}
