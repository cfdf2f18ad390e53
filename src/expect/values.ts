import { differenceOf } from './difference.js';
import { isDeepEqual } from './equality.js';
import { createMatch, createScoreMatch, isThenable, MATCHED, outcomeOf, show, type MatchOutcome, type ScoreMatch, type ValueMatch } from './match.js';

/** Deep equality. See the rules at `isDeepEqual`: own enumerable keys, NaN equals NaN, dates by time. */
export function equals(expected: unknown): ValueMatch {
  const held = copyOf(expected);
  const description = `equals ${show(held)}`;
  return createMatch({ domain: 'value', description, evaluate: (value: unknown) => (isDeepEqual(value, held) ? MATCHED : inequality(held, value, description)) });
}

/** Names the first place that differs, where the values are more than one. */
function inequality(expected: unknown, received: unknown, description: string): MatchOutcome {
  const difference = differenceOf(expected, received);
  return { status: 'mismatched', ...difference, ...(difference.path === undefined ? { expected: description } : {}) };
}

/** Neither `undefined` nor `null`. */
export function isDefined(label = 'is defined'): ValueMatch {
  return createMatch({ domain: 'value', description: label, evaluate: (value: unknown) => outcomeOf(value !== undefined && value !== null, label, value) });
}

/** Exactly `true`. */
export function isTrue(label = 'is true'): ValueMatch {
  return createMatch({ domain: 'value', description: label, evaluate: (value: unknown) => outcomeOf(value === true, label, value) });
}

/** Exactly `false`. */
export function isFalse(label = 'is false'): ValueMatch {
  return createMatch({ domain: 'value', description: label, evaluate: (value: unknown) => outcomeOf(value === false, label, value) });
}

/** The result of a command with exit code 0. A missing or null exit code is not success. */
export function commandSucceeded(): ValueMatch {
  const description = 'is a command that ended with exit code 0';
  return createMatch({
    domain: 'value',
    description,
    evaluate: (value: unknown) => {
      const result = value as { exitCode?: unknown; stdout?: unknown; stderr?: unknown } | null | undefined;
      const tail = [result?.stderr, result?.stdout].find((text): text is string => typeof text === 'string' && text.trim() !== '');
      const received = { exitCode: result?.exitCode, ...(tail === undefined ? {} : { output: tail.trim().slice(-300) }) };
      return outcomeOf(result?.exitCode === 0, description, result === null || typeof result !== 'object' ? value : received);
    },
  });
}

/**
 * A condition of the author's own.
 *
 * @param test May be asynchronous. Anything but a boolean, and a throw, is the author's error and makes the claim errored.
 */
export function satisfies<T = unknown>(label: string, test: (value: T) => boolean | Promise<boolean>): ValueMatch<T> {
  if (typeof label !== 'string' || label.trim() === '' || typeof test !== 'function') {
    throw new TypeError('satisfies(label, test) needs a label that is not blank and a function.');
  }
  const judged = (answer: unknown, value: T): MatchOutcome => {
    if (typeof answer !== 'boolean') throw new TypeError(`The condition "${label}" answered ${show(answer)}. It must answer true or false.`);
    return outcomeOf(answer, label, value);
  };
  return createMatch<T>({
    domain: 'value',
    description: label,
    evaluate: (value) => {
      const answer: unknown = test(value);
      return isThenable(answer) ? Promise.resolve(answer).then((settled) => judged(settled, value)) : judged(answer, value);
    },
  });
}

/**
 * A comparison with a name, to be used in many evals. The same rules as `satisfies`.
 *
 * @param definition.evaluate May be asynchronous; answers true or false.
 */
export function defineValueMatch<T = unknown>(definition: { readonly name: string; readonly evaluate: (value: T) => boolean | Promise<boolean> }): ValueMatch<T> {
  checkDefinition('defineValueMatch', 'evaluate', definition);
  return satisfies<T>(definition.name, definition.evaluate);
}

/**
 * A measurement with a name.
 *
 * @param definition.score May be asynchronous; gives a finite number from 0 to 1. Anything else is never clamped but makes
 *   the claim errored.
 */
export function defineScoreMatch<T = unknown>(definition: { readonly name: string; readonly score: (value: T) => number | Promise<number> }): ScoreMatch<T> {
  checkDefinition('defineScoreMatch', 'score', definition);
  return createScoreMatch<T>({ domain: 'score', description: definition.name, score: definition.score });
}

function checkDefinition(factory: string, method: string, definition: unknown): void {
  const given = (definition ?? {}) as { name?: unknown; [method: string]: unknown };
  if (typeof given.name !== 'string' || given.name.trim() === '' || typeof given[method] !== 'function') {
    throw new TypeError(`${factory}({ name, ${method} }) needs a name that is not blank and a function.`);
  }
  const unknown = Object.keys(given).find((key) => key !== 'name' && key !== method);
  if (unknown !== undefined) throw new TypeError(`${factory}() does not know the field "${unknown}". It knows name and ${method}.`);
}

/** What the author changes later changes nothing, as far as a value can be copied. */
function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  try {
    const copy: unknown = structuredClone(value);
    return isDeepEqual(copy, value) ? copy : value;
  } catch {
    return value; // It holds a function, a promise or another thing of its own kind.
  }
}
