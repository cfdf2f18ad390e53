import type { ToolOccurrence } from '../evidence/occurrence.js';

/** How one comparison came out. `unavailable`: it cannot be told, and why. */
export type MatchOutcome =
  | { readonly status: 'matched' }
  | { readonly status: 'mismatched'; readonly expected: string; readonly received: string; readonly path?: string }
  | { readonly status: 'unavailable'; readonly reason: string };

const BRAND = Symbol.for('niceeval.match');

/** A comparison of any value. Immutable. */
export interface ValueMatch {
  readonly domain: 'value';
  /** What is expected, in words, for instance `equals 5`. */
  readonly description: string;
  evaluate(value: unknown): MatchOutcome | Promise<MatchOutcome>;
}

/** A comparison of one logical tool call. Immutable. */
export interface ToolMatch {
  readonly domain: 'tool';
  readonly description: string;
  evaluate(occurrence: ToolOccurrence): MatchOutcome | Promise<MatchOutcome>;
}

/** Any match. */
export type Match = ValueMatch | ToolMatch;

/** Brands and freezes a match. */
export function createMatch<M extends Match>(match: M): M {
  return Object.freeze(Object.defineProperty({ ...match }, BRAND, { value: true }));
}

/** True for what a factory of `niceeval/expect` made. */
export function isMatch(value: unknown): value is Match {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
}

export const MATCHED: MatchOutcome = Object.freeze({ status: 'matched' });

/** Matched or mismatched, by one test. */
export function outcomeOf(isMatched: boolean, expected: string, received: unknown): MatchOutcome {
  return isMatched ? MATCHED : { status: 'mismatched', expected, received: show(received) };
}

const SHOWN_CHARACTERS = 400;

/** A value as one short line for people. */
export function show(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value === 'function') return `function ${value.name}`;
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = String(value); // A cycle or a throwing getter.
  }
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}... (${text.length} characters)`;
}
