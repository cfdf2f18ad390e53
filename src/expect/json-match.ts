import { createMatch, isMatch, MATCHED, show, type MatchOutcome, type ValueMatch } from './match.js';

/** A literal, a RegExp for the string at its place, a nested value match, an array, or an object of patterns. */
export type JsonPattern = string | number | boolean | null | RegExp | ValueMatch | readonly JsonPattern[] | { readonly [key: string]: JsonPattern };

/**
 * Compares JSON in part: an object pattern asks only for the keys it lists, at any depth; an array has the same length
 * and matches element by element.
 *
 * @throws TypeError for a pattern that is not JSON, a RegExp or a value match.
 */
export function jsonMatch(expected: JsonPattern): ValueMatch {
  checkPattern(expected, '', []);
  const description = `matches JSON ${show(describe(expected))}`;
  return createMatch({ domain: 'value', description, evaluate: (value) => compare(expected, value, '') });
}

/** At once, unless a nested value match takes its time. */
function compare(expected: JsonPattern, value: unknown, path: string): MatchOutcome | Promise<MatchOutcome> {
  if (isMatch(expected)) {
    const placed = (outcome: MatchOutcome): MatchOutcome => (outcome.status === 'mismatched' ? { ...outcome, path: path || '/' } : outcome);
    const outcome = expected.evaluate(value);
    return outcome instanceof Promise ? outcome.then(placed) : placed(outcome);
  }
  if (expected instanceof RegExp) {
    const found = typeof value === 'string' && new RegExp(expected.source, expected.flags).test(value);
    return found ? MATCHED : mismatch(String(expected), value, path);
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(value) || value.length !== expected.length) return mismatch(`an array of ${expected.length}`, value, path);
    return firstTrouble(expected.map((item: JsonPattern, index) => compare(item, value[index], `${path}/${index}`)));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return mismatch('an object', value, path);
    return firstTrouble(Object.entries(expected).map(([key, item]) => (
      Object.hasOwn(value, key) ? compare(item, (value as Record<string, unknown>)[key], `${path}/${key}`) : mismatch(`the key ${show(key)}`, value, path)
    )));
  }
  return Object.is(expected, value) ? MATCHED : mismatch(show(expected), value, path);
}

function firstTrouble(pending: readonly (MatchOutcome | Promise<MatchOutcome>)[]): MatchOutcome | Promise<MatchOutcome> {
  if (pending.some((outcome) => outcome instanceof Promise)) return Promise.all(pending).then(worstOf);
  return worstOf(pending as readonly MatchOutcome[]);
}

function worstOf(outcomes: readonly MatchOutcome[]): MatchOutcome {
  return outcomes.find((o) => o.status === 'mismatched') ?? outcomes.find((o) => o.status === 'unavailable') ?? MATCHED;
}

function mismatch(expected: string, value: unknown, path: string): MatchOutcome {
  return { status: 'mismatched', expected, received: show(value), path: path || '/' };
}

function checkPattern(node: unknown, path: string, above: readonly unknown[]): void {
  if (node === null || typeof node === 'string' || typeof node === 'boolean' || node instanceof RegExp || isMatch(node)) return;
  if (typeof node === 'number' && Number.isFinite(node)) return;
  if (above.includes(node)) throw new TypeError(`jsonMatch cannot compare with a cycle at ${path}. Use JSON values, a RegExp or a value match.`);
  if (Array.isArray(node)) return node.forEach((item, index) => checkPattern(item, `${path}/${index}`, [...above, node]));
  if (typeof node === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(node) as null)) {
    return Object.entries(node).forEach(([key, item]) => checkPattern(item, `${path}/${key}`, [...above, node]));
  }
  throw new TypeError(`jsonMatch cannot compare with ${show(node)} at ${path || '/'}. Use JSON values, a RegExp or a value match.`);
}

function describe(node: JsonPattern): unknown {
  if (node instanceof RegExp) return String(node);
  if (isMatch(node)) return node.description;
  if (Array.isArray(node)) return node.map((item: JsonPattern) => describe(item));
  if (typeof node === 'object' && node !== null) return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, describe(item)]));
  return node;
}
