import { isDeepEqual } from './equality.js';
import { createMatch, outcomeOf, show, type ValueMatch } from './match.js';

/** Deep equality. See the rules at `isDeepEqual`: own enumerable keys, NaN equals NaN, dates by time. */
export function equals(expected: unknown): ValueMatch {
  const description = `equals ${show(expected)}`;
  return createMatch({ domain: 'value', description, evaluate: (value) => outcomeOf(isDeepEqual(value, expected), description, value) });
}

/** A string that holds `part`, literally and case-sensitively. @throws TypeError when `part` is empty. */
export function includes(part: string): ValueMatch {
  const description = `includes ${show(nonEmpty(part, 'includes'))}`;
  return createMatch({
    domain: 'value', description, evaluate: (value) => outcomeOf(typeof value === 'string' && value.includes(part), description, value),
  });
}

/** A string that does not hold `part`. Anything that is not a string is mismatched. */
export function excludes(part: string): ValueMatch {
  const description = `excludes ${show(nonEmpty(part, 'excludes'))}`;
  return createMatch({
    domain: 'value', description, evaluate: (value) => outcomeOf(typeof value === 'string' && !value.includes(part), description, value),
  });
}

/** A string in which the expression finds something. Flags `g` and `y` have no memory here. @throws TypeError unless it is a RegExp. */
export function pattern(expression: RegExp): ValueMatch {
  // Without this check a text would become an expression that matches everything.
  if (!(expression instanceof RegExp)) throw new TypeError(`pattern() needs a regular expression, for instance /passes?/, not ${show(expression)}.`);
  const { source, flags } = expression;
  const description = `matches /${source}/${flags}`;
  return createMatch({
    domain: 'value',
    description,
    evaluate: (value) => outcomeOf(typeof value === 'string' && new RegExp(source, flags).test(value), description, value),
  });
}

/** Neither `undefined` nor `null`. */
export function isDefined(label = 'is defined'): ValueMatch {
  return createMatch({ domain: 'value', description: label, evaluate: (value) => outcomeOf(value !== undefined && value !== null, label, value) });
}

/** Exactly `true`. */
export function isTrue(label = 'is true'): ValueMatch {
  return createMatch({ domain: 'value', description: label, evaluate: (value) => outcomeOf(value === true, label, value) });
}

/** Exactly `false`. */
export function isFalse(label = 'is false'): ValueMatch {
  return createMatch({ domain: 'value', description: label, evaluate: (value) => outcomeOf(value === false, label, value) });
}

/** The result of a command with exit code 0. A missing or null exit code is not success. */
export function commandSucceeded(): ValueMatch {
  const description = 'is a command that ended with exit code 0';
  return createMatch({
    domain: 'value',
    description,
    evaluate: (value) => {
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
export function satisfies(label: string, test: (value: unknown) => boolean | Promise<boolean>): ValueMatch {
  if (typeof label !== 'string' || label.trim() === '' || typeof test !== 'function') {
    throw new TypeError('satisfies(label, test) needs a label that is not blank and a function.');
  }
  return createMatch({
    domain: 'value',
    description: label,
    evaluate: async (value) => {
      const answer = await test(value);
      if (typeof answer !== 'boolean') throw new TypeError(`The condition "${label}" answered ${show(answer)}. It must answer true or false.`);
      return outcomeOf(answer, label, value);
    },
  });
}

function nonEmpty(part: string, factory: string): string {
  if (typeof part !== 'string' || part === '') throw new TypeError(`${factory}() needs a string that is not empty; every text holds the empty one.`);
  return part;
}
