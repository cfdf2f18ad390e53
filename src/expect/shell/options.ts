import { literalWord, type Word } from './word.js';

/** The options of a program, by name without dashes and separated by spaces: one letter is a short option. */
export interface OptionTable {
  /** Those without a value. */
  readonly flags?: string;
  /** Those with a value. */
  readonly values?: string;
  /** Those with a value that only counts when it is attached. */
  readonly attached?: string;
  /** `-10` is an option. */
  readonly numeric?: boolean;
}

/** The options that were given, and where the operands start. */
export interface GivenOptions {
  readonly next: number;
  /** By name; a flag has an empty word. */
  readonly given: ReadonlyMap<string, Word>;
}

const NO_VALUE = literalWord('');
const split = (names: string | undefined): readonly string[] => (names === undefined || names === '' ? [] : names.split(' '));

/** Skips the options that start at `from`. Absent: an option that the table does not know, or that expansion decides. */
export function skipOptions(words: readonly Word[], from: number, table: OptionTable): GivenOptions | undefined {
  const [flags, values, attached] = [split(table.flags), split(table.values), split(table.attached)];
  const given = new Map<string, Word>();
  let next = from;
  /** Takes the word after the option as its value. */
  const take = (name: string): boolean => {
    const value = words[next + 1];
    if (value === undefined || value.splits) return false;
    given.set(name, value);
    next += 2;
    return true;
  };
  for (let word = words[next]; word !== undefined; word = words[next]) {
    const [start] = word.pieces;
    if (word.literal === undefined) {
      // It may be an option, or vanish, unless it starts with something else.
      if (word.splits || typeof start !== 'string' || start === '' || start.startsWith('-')) return undefined;
      return { next, given };
    }
    const { literal } = word;
    if (literal === '--') return { next: next + 1, given };
    if (!literal.startsWith('-') || (literal === '-' && !flags.includes('-'))) return { next, given };
    if (literal === '-' || (table.numeric === true && /^--?\d+$/.test(literal))) {
      next += 1;
    } else if (literal.startsWith('--')) {
      const equals = literal.indexOf('=');
      const name = literal.slice(2, equals === -1 ? undefined : equals);
      if (name.length < 2) return undefined;
      if (equals !== -1) {
        if (![...values, ...attached].includes(name)) return undefined;
        given.set(name, literalWord(literal.slice(equals + 1)));
        next += 1;
      } else if (flags.includes(name) || attached.includes(name)) {
        given.set(name, NO_VALUE);
        next += 1;
      } else if (!values.includes(name) || !take(name)) {
        return undefined;
      }
    } else if (!skipCluster(literal.slice(1))) {
      return undefined;
    }
  }
  return { next, given };

  function skipCluster(letters: string): boolean {
    for (let at = 0; at < letters.length; at += 1) {
      const name = letters.charAt(at);
      const rest = letters.slice(at + 1);
      if (flags.includes(name)) {
        given.set(name, NO_VALUE);
      } else if (attached.includes(name) || (values.includes(name) && rest !== '')) {
        given.set(name, literalWord(rest.replace(/^=/, '')));
        break;
      } else {
        return values.includes(name) && take(name);
      }
    }
    next += 1;
    return true;
  }
}
