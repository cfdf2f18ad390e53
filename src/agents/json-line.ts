import type { JsonValue } from '../evidence/json.js';

/**
 * Reads the JSON values of one line. Nearly always that is one object; two objects on one line (two writers, a lost line
 * feed) are both read, and what follows the last whole value is unreadable. Text before a value is never skipped: an
 * object in the middle of a log line was not written by the CLI as a line of its own.
 *
 * @param onUnreadable Called at most once.
 */
export function readJsonLine(text: string, onValue: (value: JsonValue) => void, onUnreadable: (why: string) => void): void {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    readDamagedLine(text, onValue, onUnreadable);
    return;
  }
  onValue(value);
}

/** How deep a value from outside may nest before it is replaced by a note. Recursive readers stay far from the stack's end. */
export const NESTING_LIMIT = 200;

/** The value itself, or a note in its place when it nests deeper than {@link NESTING_LIMIT}. */
export function boundedJson(value: unknown): JsonValue {
  if (value === undefined) return null;
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  return nestsWithin(value, NESTING_LIMIT) ? (value as JsonValue) : `[left out: nested deeper than ${NESTING_LIMIT} levels]`;
}

function nestsWithin(value: object, levels: number): boolean {
  if (levels === 0) return false;
  for (const key in value) {
    const child = (value as { readonly [key: string]: unknown })[key];
    if (typeof child === 'object' && child !== null && !nestsWithin(child, levels - 1)) return false;
  }
  return true;
}

function readDamagedLine(text: string, onValue: (value: JsonValue) => void, onUnreadable: (why: string) => void): void {
  const repaired = escapeControls(text);
  if (repaired === '') return onUnreadable('nothing but NUL bytes');
  let at = 0;
  while (at < repaired.length) {
    const end = endOfValue(repaired, at);
    const value = end === undefined ? undefined : parsed(repaired.slice(at, end));
    if (end === undefined || value === undefined) {
      onUnreadable(at === 0 ? `not JSON: ${excerpt(repaired)}` : `not JSON after the first value: ${excerpt(repaired.slice(at))}`);
      return;
    }
    onValue(value);
    at = end;
    while (at < repaired.length && repaired.charCodeAt(at) <= 0x20) at += 1;
  }
}

/** A disk that lost power pads with NUL; a careless writer leaves control characters raw inside strings. */
function escapeControls(text: string): string {
   
  return text.replace(/^[\0\s]+|[\0\s]+$/g, '').replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Index after the object or array that begins at `start`; undefined when none begins there or it does not end. */
function endOfValue(text: string, start: number): number | undefined {
  const first = text[start];
  if (first !== '{' && first !== '[') return undefined;
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
