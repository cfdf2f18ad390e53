import { distance } from 'fastest-levenshtein';
import { createMatch, createScoreMatch, outcomeOf, show, type ScoreMatch, type ValueMatch } from './match.js';
import { stripComments } from './strip-comments.js';

/** How a text is read before it is compared. */
export interface TextOptions {
  /** Leaves the comments of JavaScript and TypeScript out, so that code which is commented out counts for nothing. Default: false. */
  readonly stripComments?: boolean;
}

/** A string that holds `part`, literally and case-sensitively. Anything that is not a string is mismatched. @throws TypeError when `part` is empty. */
export function includes(part: string, options: TextOptions = {}): ValueMatch {
  const read = readerOf('includes', options);
  const description = `includes ${show(nonEmpty(part, 'includes'))}${wordsOf(options)}`;
  return textMatch(description, (text) => read(text).includes(part));
}

/** A string that does not hold `part`. Anything that is not a string is mismatched. */
export function excludes(part: string, options: TextOptions = {}): ValueMatch {
  const read = readerOf('excludes', options);
  const description = `excludes ${show(nonEmpty(part, 'excludes'))}${wordsOf(options)}`;
  return textMatch(description, (text) => !read(text).includes(part));
}

/** A string in which the expression finds something. Flags `g` and `y` have no memory here. @throws TypeError unless it is a RegExp. */
export function pattern(expression: RegExp, options: TextOptions = {}): ValueMatch {
  // Without this check a text would become an expression that matches everything.
  if (!(expression instanceof RegExp)) throw new TypeError(`pattern() needs a regular expression, for instance /passes?/, not ${show(expression)}.`);
  const read = readerOf('pattern', options);
  const own = new RegExp(expression.source, expression.flags);
  return textMatch(`matches ${String(own)}${wordsOf(options)}`, (text) => {
    own.lastIndex = 0;
    return own.test(read(text));
  });
}

/** Beyond this the comparison, which takes time by the product of the lengths, would hold up everything else for seconds. */
const LONGEST_COMPARED = 100_000;

/**
 * How alike two texts are: 1 - Levenshtein distance / length of the longer one, in UTF-16 units.
 *
 * @throws TypeError when measured on anything but a string, or on texts of more than 100,000 units.
 */
export function similarity(expected: string): ScoreMatch<string> {
  if (typeof expected !== 'string') throw new TypeError(`similarity() needs a string, not ${show(expected)}.`);
  const description = `similarity to ${show(expected)}`;
  return createScoreMatch<string>({
    domain: 'score',
    description,
    score: (text) => {
      if (typeof text !== 'string') throw new TypeError(`The ${description} can only be measured of a string, not of ${show(text)}.`);
      const longest = Math.max(text.length, expected.length);
      if (longest > LONGEST_COMPARED) throw new TypeError(`The ${description} cannot be measured of texts of more than ${LONGEST_COMPARED} characters; one has ${longest}.`);
      return longest === 0 ? 1 : 1 - distance(text, expected) / longest;
    },
  });
}

/** A string with at least so many different http or https URLs. */
export function includesUrl(least = 1): ValueMatch {
  const description = `includes at least ${checkedLeast('includesUrl', least)} URL${least === 1 ? '' : 's'}`;
  return createMatch({
    domain: 'value', description, evaluate: (value: unknown) => {
      if (typeof value !== 'string') return outcomeOf(false, description, value);
      const found = urlsOf(value);
      return outcomeOf(found.length >= least, description, found);
    },
  });
}

/** A Markdown text with at least so many headings (`#` to `######`). Lines inside fenced code are none. */
export function hasSections(least = 2): ValueMatch {
  const description = `has at least ${checkedLeast('hasSections', least)} heading${least === 1 ? '' : 's'}`;
  return createMatch({
    domain: 'value', description, evaluate: (value: unknown) => {
      if (typeof value !== 'string') return outcomeOf(false, description, value);
      const found = headingsOf(value);
      return outcomeOf(found.length >= least, description, found);
    },
  });
}

function textMatch(description: string, test: (text: string) => boolean): ValueMatch {
  return createMatch({ domain: 'value', description, evaluate: (value: unknown) => outcomeOf(typeof value === 'string' && test(value), description, value) });
}

function urlsOf(text: string): readonly string[] {
  // What closes a sentence or a bracket around a URL is not part of it.
  const candidates = (text.match(/\bhttps?:\/\/[^\s<>"'`\\^{}|]+/gi) ?? []).map((url) => url.replace(/[.,;:!?)\]*_]+$/, ''));
  return [...new Set(candidates.flatMap((url) => (URL.canParse(url) ? [new URL(url).href] : [])))];
}

function headingsOf(text: string): readonly string[] {
  const headings: string[] = [];
  let fence: string | undefined;
  for (const line of text.split(/\r?\n|\r/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = undefined;
    } else if (mark !== undefined) {
      fence = mark;
    } else if (/^ {0,3}#{1,6}[ \t]+\S/.test(line)) {
      headings.push(line.trim());
    }
  }
  return headings;
}

function readerOf(factory: string, options: TextOptions): (text: string) => string {
  const unknown = Object.keys(options).find((key) => key !== 'stripComments');
  if (unknown !== undefined) throw new TypeError(`${factory}() does not know the option "${unknown}". It knows stripComments.`);
  const strips: unknown = options.stripComments;
  if (strips !== undefined && typeof strips !== 'boolean') throw new TypeError(`${factory}(): \`stripComments\` must be true or false, not ${show(strips)}.`);
  return strips === true ? stripComments : (text) => text;
}

function wordsOf({ stripComments: strips }: TextOptions): string {
  return strips === true ? ' outside comments' : '';
}

function nonEmpty(part: string, factory: string): string {
  if (typeof part !== 'string' || part === '') throw new TypeError(`${factory}() needs a string that is not empty; every text holds the empty one.`);
  return part;
}

function checkedLeast(factory: string, least: number): number {
  if (!Number.isInteger(least) || least < 1) throw new TypeError(`${factory}() needs a whole number from 1, not ${show(least)}.`);
  return least;
}
