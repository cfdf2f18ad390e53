import { isDeepEqual } from './equality.js';
import { show } from './match.js';

/** The first place at which two values differ. */
export interface Difference {
  readonly expected: string;
  readonly received: string;
  /** A JSON Pointer, or the line of a text. Absent: the values as wholes. */
  readonly path?: string;
}

const LINES_WORTH_NAMING = 2;
const MOST_STEPS = 64;

/** Where two values that are not equal differ first, by keys in their order and by lines of texts. */
export function differenceOf(expected: unknown, received: unknown): Difference {
  return differenceAt(expected, received, '', MOST_STEPS);
}

function differenceAt(expected: unknown, received: unknown, path: string, steps: number): Difference {
  const whole: Difference = { expected: show(expected), received: show(received), ...(path === '' ? {} : { path }) };
  if (typeof expected === 'string' && typeof received === 'string') return lineDifference(expected, received, path) ?? whole;
  if (steps === 0 || !isPlain(expected) || !isPlain(received) || Array.isArray(expected) !== Array.isArray(received)) return whole;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(received)])) {
    const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(received, key)) return { expected: show(expected[key]), received: 'nothing', path: at };
    if (!Object.hasOwn(expected, key)) return { expected: 'nothing', received: show(received[key]), path: at };
    if (!isDeepEqual(expected[key], received[key])) return differenceAt(expected[key], received[key], at, steps - 1);
  }
  return whole;
}

function lineDifference(expected: string, received: string, path: string): Difference | undefined {
  const wanted = expected.split('\n');
  const seen = received.split('\n');
  if (Math.max(wanted.length, seen.length) < LINES_WORTH_NAMING) return undefined;
  const index = Array.from({ length: Math.max(wanted.length, seen.length) }).findIndex((_line, at) => wanted[at] !== seen[at]);
  const lineOf = (lines: readonly string[]): string => (index < lines.length ? show(lines[index]) : 'the end');
  return { expected: lineOf(wanted), received: lineOf(seen), path: `${path}${path === '' ? '' : ' '}line ${index + 1}` };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && (Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value) as null));
}
