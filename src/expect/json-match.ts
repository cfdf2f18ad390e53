import { allOf, createMatch, isMatch, isValueMatch, MATCHED, mismatch, mismatchInWords, show, type PendingOutcome, type ValueMatch } from './match.js';

/**
 * A literal, a RegExp for the string at its place, a nested value match, a predicate of the value at its place, an array,
 * or an object of patterns.
 */
export type JsonPattern =
  | string | number | boolean | null | RegExp
  | ValueMatch
  | ((value: unknown) => boolean)
  | readonly JsonPattern[]
  | { readonly [key: string]: JsonPattern };

/**
 * Compares JSON in part: an object pattern asks only for the keys it lists, at any depth; an array has the same length
 * and matches element by element. A RegExp looks at the string at its own place and nowhere else.
 *
 * @throws TypeError for a pattern that is not JSON, a RegExp, a function or a value match.
 */
export function jsonMatch(pattern: JsonPattern): ValueMatch {
  const expected = patternOf(pattern);
  const description = `matches JSON ${show(describePattern(expected))}`;
  return createMatch({ domain: 'value', description, evaluate: (value: unknown) => comparePattern(expected, value, '') });
}

/** Compares one place. At once, unless a nested value match takes its time. */
export function comparePattern(expected: JsonPattern, value: unknown, path: string): PendingOutcome {
  if (isMatch(expected)) return placed(expected.evaluate(value), path || '/');
  if (expected instanceof RegExp) {
    expected.lastIndex = 0; // Flags `g` and `y` have no memory here.
    return typeof value === 'string' && expected.test(value) ? MATCHED : mismatch(String(expected), value, path || '/');
  }
  if (typeof expected === 'function') {
    const answer: unknown = expected(value);
    if (typeof answer !== 'boolean') throw new TypeError(`The predicate at ${path || '/'} answered ${show(answer)}. It must answer true or false, at once.`);
    return answer ? MATCHED : mismatch(wordsOfFunction(expected), value, path || '/');
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(value) || value.length !== expected.length) return mismatch(`an array of ${expected.length}`, value, path || '/');
    return allOf(expected.map((item: JsonPattern, index) => comparePattern(item, value[index], `${path}/${index}`)));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return mismatch('an object', value, path || '/');
    return compareKeys(expected as { readonly [key: string]: JsonPattern }, value as Readonly<Record<string, unknown>>, path);
  }
  return Object.is(expected, value) ? MATCHED : mismatch(show(expected), value, path || '/');
}

function compareKeys(expected: { readonly [key: string]: JsonPattern }, value: Readonly<Record<string, unknown>>, path: string): PendingOutcome {
  const outcomes: PendingOutcome[] = [];
  for (const key of Object.keys(expected)) {
    const outcome = Object.hasOwn(value, key)
      ? comparePattern(expected[key] as JsonPattern, value[key], `${path}/${pointerPart(key)}`)
      : mismatch(`the key ${show(key)}`, value, path || '/');
    // Most values fail at their first key.
    if (!(outcome instanceof Promise) && outcome.status === 'mismatched' && outcomes.length === 0) return outcome;
    outcomes.push(outcome);
  }
  return allOf(outcomes);
}

function placed(outcome: PendingOutcome, path: string): PendingOutcome {
  if (outcome instanceof Promise) return outcome.then((settled) => placed(settled, path));
  if (outcome.status !== 'mismatched') return outcome;
  return mismatchInWords(outcome.expected, () => outcome.received, path);
}

/** A key as a part of a JSON Pointer (RFC 6901). */
function pointerPart(key: string): string {
  return !/[~/]/.test(key) ? key : key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * A pattern of one's own: what the author changes later changes nothing in it.
 *
 * @throws TypeError for a pattern that nothing could be compared with.
 */
export function patternOf(pattern: unknown, path = ''): JsonPattern {
  checkPattern(pattern, path, []);
  return copied(pattern as JsonPattern);
}

function checkPattern(node: unknown, path: string, above: readonly unknown[]): void {
  if (node === null || typeof node === 'string' || typeof node === 'boolean' || typeof node === 'function' || node instanceof RegExp || isValueMatch(node)) return;
  if (typeof node === 'number' && Number.isFinite(node)) return;
  if (above.includes(node)) throw new TypeError(`jsonMatch cannot compare with a cycle at ${path}. Use JSON values, a RegExp or a value match.`);
  if (Array.isArray(node)) return Array.from(node as unknown[]).forEach((item, index) => checkPattern(item, `${path}/${index}`, [...above, node]));
  if (typeof node === 'object' && !isMatch(node) && [Object.prototype, null].includes(Object.getPrototypeOf(node) as null)) {
    return Object.entries(Object.getOwnPropertyDescriptors(node)).forEach(([key, { get, value }]) => {
      if (get !== undefined) throw new TypeError(`jsonMatch cannot compare with a getter at ${path}/${key}: it may answer differently each time. Use a plain value.`);
      checkPattern(value, `${path}/${key}`, [...above, node]);
    });
  }
  throw new TypeError(`jsonMatch cannot compare with ${show(node)} at ${path || '/'}. Use JSON values, a RegExp, a function or a value match.`);
}

function copied(node: JsonPattern): JsonPattern {
  if (node instanceof RegExp) return new RegExp(node.source, node.flags);
  if (typeof node !== 'object' || node === null || isMatch(node)) return node;
  if (Array.isArray(node)) return node.map((item: JsonPattern) => copied(item));
  return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, copied(item)]));
}

/** A pattern as JSON, for descriptions. */
export function describePattern(node: JsonPattern): unknown {
  if (node instanceof RegExp) return String(node);
  if (isMatch(node)) return node.description;
  if (typeof node === 'function') return wordsOfFunction(node);
  if (Array.isArray(node)) return node.map((item: JsonPattern) => describePattern(item));
  if (typeof node === 'object' && node !== null) return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, describePattern(item)]));
  return node;
}

function wordsOfFunction({ name }: { readonly name: string }): string {
  return name === '' ? 'a condition' : `the condition ${name}`;
}
