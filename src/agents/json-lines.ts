import type { JsonValue } from '../evidence/json.js';
import { readJsonLine } from './json-line.js';
import { createLineReader, type LineReader } from './line-reader.js';

/** Takes what the lines of a record hold. Lines count from 1. */
export interface JsonLineSinks {
  value(value: JsonValue, line: number): void;
  /** Called at most once per line. `why` says so when the line is the last and may be cut. */
  unreadable(line: number, why: string): void;
}

/** Creates a reader of JSON lines that arrive in pieces of any size. */
export function createJsonLineReader(sinks: JsonLineSinks): LineReader {
  return createLineReader(
    ({ number, text, terminated }) => readJsonLine(
      text,
      (value) => sinks.value(value, number),
      (why) => sinks.unreadable(number, terminated ? why : `cut: ${why}`),
    ),
    (number) => sinks.unreadable(number, 'longer than a string can be'),
  );
}
