import type { EventOccurrence, ToolOccurrence } from '../evidence/occurrence.js';
import { checkedRange, type CountRange } from './count-range.js';

/** How one comparison came out. `unavailable`: it cannot be told, and why. */
export type MatchOutcome =
  | {
      readonly status: 'matched';
      /** What it rests on, where that is not plain. */
      readonly note?: string;
    }
  | {
      readonly status: 'mismatched';
      readonly expected: string;
      readonly received: string;
      /** Where it differs: a JSON Pointer, or a line of a text. */
      readonly path?: string;
    }
  | {
      readonly status: 'unavailable';
      readonly reason: string;
      /** The reason for machines. Default: `evidence-unavailable`. */
      readonly code?: string;
    };

/** An outcome, at once or later. */
export type PendingOutcome = MatchOutcome | Promise<MatchOutcome>;

const BRAND = Symbol.for('niceeval.match');

/** A comparison of a value. Immutable. `T`: what it can be given; most take anything. */
export interface ValueMatch<in T = unknown> {
  readonly domain: 'value';
  /** What is expected, in words, for instance `equals 5`. */
  readonly description: string;
  readonly evaluate: (value: T) => PendingOutcome;
}

/** A measurement of a value, from 0 to 1. Immutable. */
export interface ScoreMatch<in T = unknown> {
  readonly domain: 'score';
  readonly description: string;
  /** @throws TypeError when there is no number from 0 to 1. */
  readonly score: (value: T) => number | Promise<number>;
  /** The same as a comparison: matched from `least` on. @throws TypeError unless `least` is from 0 to 1. */
  readonly atLeast: (least: number) => ValueMatch<T>;
}

/** How often a match of tool calls or events must be found; each gives a new match. */
interface Quantifiable<M> {
  /** Absent: the claim that it is used in says how often. */
  readonly count?: CountRange;
  atLeast(times: number): M;
  /** Zero is fine: none at all. */
  atMost(times: number): M;
  exactly(times: number): M;
  between(least: number, most: number): M;
}

/** A comparison of one logical tool call. Immutable. */
export interface ToolMatch extends Quantifiable<ToolMatch>, ToolMatchSpec {}

/** A comparison of one event. Immutable. */
export interface EventMatch extends Quantifiable<EventMatch>, EventMatchSpec {}

/** What a match of tool calls is made of. */
export interface ToolMatchSpec {
  readonly domain: 'tool';
  readonly description: string;
  readonly evaluate: (occurrence: ToolOccurrence) => PendingOutcome;
  /** False: the call can only be mismatched. A cheap look that saves the comparison. Absent: nobody knows. */
  readonly concerns?: (occurrence: ToolOccurrence) => boolean;
}

/** What a match of events is made of. */
export interface EventMatchSpec {
  readonly domain: 'event';
  readonly description: string;
  readonly evaluate: (occurrence: EventOccurrence) => PendingOutcome;
  readonly concerns?: (occurrence: EventOccurrence) => boolean;
  /** The kinds of events it may match; what may have been missed of them decides what can be known. */
  readonly kinds: readonly EventOccurrence['event']['type'][];
}

/** Any comparison. */
export type Match = ValueMatch<never> | ToolMatch | EventMatch;

/** Brands and freezes a match; one of tool calls or events gets its quantifiers. */
export function createMatch<T>(spec: ValueMatch<T>): ValueMatch<T>;
export function createMatch(spec: ToolMatchSpec): ToolMatch;
export function createMatch(spec: EventMatchSpec): EventMatch;
export function createMatch(spec: ValueMatch<never> | ToolMatchSpec | EventMatchSpec): Match {
  return spec.domain === 'value' ? branded<ValueMatch<never>>({ ...spec }) : quantifiable(spec);
}

function quantifiable(spec: ToolMatchSpec | EventMatchSpec, count?: CountRange): ToolMatch | EventMatch {
  const counted = (method: string, least: number, most: number): never => {
    if (count !== undefined) throw new TypeError(`.${method}() was called on a match that says already how often. Say it once.`);
    return quantifiable(spec, checkedRange(method, least, most)) as never;
  };
  return branded({
    ...spec,
    ...(count === undefined ? {} : { count }),
    atLeast: (times: number) => counted('atLeast', times, Infinity),
    atMost: (times: number) => counted('atMost', 0, times),
    exactly: (times: number) => counted('exactly', times, times),
    between: (least: number, most: number) => counted('between', least, most),
  });
}

/** Brands and freezes a measurement. */
export function createScoreMatch<T>(spec: Omit<ScoreMatch<T>, 'atLeast'>): ScoreMatch<T> {
  const score = (value: T): number | Promise<number> => {
    const given: unknown = spec.score(value);
    return isThenable(given) ? Promise.resolve(given).then((number) => checkedScore(spec.description, number)) : checkedScore(spec.description, given);
  };
  return branded({
    ...spec,
    score,
    atLeast: (least: number) => {
      const description = `${spec.description} of at least ${checkedThreshold('atLeast', least)}`;
      const judged = (seen: number): MatchOutcome => (seen >= least ? MATCHED : { status: 'mismatched', expected: description, received: String(seen) });
      return createMatch<T>({
        domain: 'value',
        description,
        evaluate: (value) => {
          const seen = score(value);
          return seen instanceof Promise ? seen.then(judged) : judged(seen);
        },
      });
    },
  });
}

/** @throws TypeError unless the threshold is a number from 0 to 1. */
export function checkedThreshold(method: string, threshold: unknown): number {
  if (typeof threshold === 'number' && threshold >= 0 && threshold <= 1) return threshold;
  throw new TypeError(`.${method}() needs a number from 0 to 1, not ${show(threshold)}.`);
}

function checkedScore(description: string, score: unknown): number {
  if (typeof score === 'number' && score >= 0 && score <= 1) return score;
  throw new TypeError(`The measurement "${description}" gave ${show(score)}. It must give a number from 0 to 1.`);
}

function branded<M extends object>(match: M): M {
  return Object.freeze(Object.defineProperty(match, BRAND, { value: true }));
}

function isBranded(value: unknown): value is Match | ScoreMatch {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
}

/** True for a comparison that a factory of `niceeval/expect` made. */
export function isMatch(value: unknown): value is Match {
  return isBranded(value) && value.domain !== 'score';
}

/** True for a comparison of values. */
export function isValueMatch(value: unknown): value is ValueMatch {
  return isBranded(value) && value.domain === 'value';
}

/** True for a measurement that a factory of `niceeval/expect` made. */
export function isScoreMatch(value: unknown): value is ScoreMatch {
  return isBranded(value) && value.domain === 'score';
}

export const MATCHED: MatchOutcome = Object.freeze({ status: 'matched' });

/** Matched or mismatched, by one test. What was received is put into words when somebody reads it. */
export function outcomeOf(isMatched: boolean, expected: string, received: unknown, path?: string): MatchOutcome {
  return isMatched ? MATCHED : mismatch(expected, received, path);
}

/** A mismatch. What was received is put into words when somebody reads it: many mismatches are never read. */
export function mismatch(expected: string, received: unknown, path?: string): MatchOutcome & { readonly status: 'mismatched' } {
  return new Mismatch(expected, () => show(received), path);
}

/** A mismatch whose words take some work. */
export function mismatchInWords(expected: string, words: () => string, path?: string): MatchOutcome & { readonly status: 'mismatched' } {
  return new Mismatch(expected, words, path);
}

/** A class, since an object with a getter of its own takes eighty times as long to make. */
class Mismatch {
  readonly status = 'mismatched';
  readonly expected: string;
  declare readonly path?: string;
  readonly #words: () => string;

  constructor(expected: string, words: () => string, path: string | undefined) {
    this.expected = expected;
    this.#words = words;
    if (path !== undefined) this.path = path;
  }

  get received(): string {
    return this.#words();
  }

  toJSON(): MatchOutcome {
    return worded(this);
  }
}

/** An outcome all of whose words are there, as a plain value. */
export function worded(outcome: MatchOutcome): MatchOutcome {
  if (outcome.status !== 'mismatched') return outcome;
  const { status, expected, received, path } = outcome;
  return { status, expected, received, ...(path === undefined ? {} : { path }) };
}

/** An outcome that cannot be told. */
export function unavailable(code: string, reason: string): MatchOutcome & { readonly status: 'unavailable' } {
  return { status: 'unavailable', reason, code };
}

/** Every outcome must be matched: a mismatch decides, then what is unavailable. */
export function allOf(outcomes: readonly PendingOutcome[]): PendingOutcome {
  return folded(outcomes, worstOf);
}

function worstOf(outcomes: readonly MatchOutcome[]): MatchOutcome {
  return outcomes.find((o) => o.status === 'mismatched') ?? outcomes.find((o) => o.status === 'unavailable') ?? outcomes.find((o) => o.status === 'matched' && o.note !== undefined) ?? MATCHED;
}

/** A condition of one subject. */
export type Condition<S> = (subject: S) => PendingOutcome;

/** All conditions in turn, until one does not hold: most subjects fail the first. What is unavailable waits for the rest. */
export function allConditions<S>(conditions: readonly Condition<S>[], subject: S): PendingOutcome {
  let worst = MATCHED;
  for (let index = 0; index < conditions.length; index += 1) {
    const outcome = (conditions[index] as Condition<S>)(subject);
    if (outcome instanceof Promise) return allOf([worst, outcome, ...conditions.slice(index + 1).map((condition) => condition(subject))]);
    if (outcome.status === 'mismatched') return outcome;
    if (worst.status === 'matched' && (outcome.status === 'unavailable' || outcome.note !== undefined)) worst = outcome;
  }
  return worst;
}

/** Folds outcomes, at once where none of them takes its time. */
export function folded(outcomes: readonly PendingOutcome[], fold: (settled: readonly MatchOutcome[]) => MatchOutcome): PendingOutcome {
  return outcomes.some((outcome) => outcome instanceof Promise)
    ? Promise.all(outcomes).then(fold)
    : fold(outcomes as readonly MatchOutcome[]);
}

/** True for a promise, whoever made it. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
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
