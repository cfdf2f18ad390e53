import { isDeepStrictEqual } from 'node:util';

const LONGEST_EXCERPT = 300;

/** A value in a few words of a message. */
export function show(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = Object.prototype.toString.call(value);
  }
  return text.length > LONGEST_EXCERPT ? `${text.slice(0, LONGEST_EXCERPT)}… (${text.length} characters)` : text;
}

/** Where and how a value differs from the one that was expected. `undefined`: it does not. */
export function differenceOf(expected: unknown, received: unknown, path = ''): string | undefined {
  if (isDeepStrictEqual(expected, received)) return undefined;
  if (isContainer(expected) && isContainer(received) && Array.isArray(expected) === Array.isArray(received)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(received)])) {
      const found = differenceOf(expected[key], received[key], path === '' ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
  }
  return `${path === '' ? 'it' : `\`${path}\``} is ${show(received)} instead of ${show(expected)}`;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
