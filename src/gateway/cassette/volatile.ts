import { createContext, Script, type Context } from 'node:vm';
import { messageOf } from '../../lifetime/error.js';
import { CassetteError } from '../errors.js';

/** Replaces what a user's patterns match. */
export interface Volatile {
  /** Milliseconds that the patterns may take for one request, all of its texts together. */
  readonly budgetMs: number;
  /**
   * @param timeoutMs What is left of the budget.
   * @throws CassetteError when the patterns take longer.
   */
  replaced(texts: readonly string[], timeoutMs: number): readonly string[];
}

/** The most patterns, and the longest one, in UTF-16 code units. */
const MOST_PATTERNS = 50;
const LONGEST_PATTERN = 1_000;
const BASE_BUDGET_MS = 2_000;
const BUDGET_OF_PATTERN_MS = 1_000;

/** Why a text cannot be a pattern of `volatile`, or `undefined` when it can. */
export function volatileProblem(source: string): string | undefined {
  if (source.length > LONGEST_PATTERN) return `it is longer than ${LONGEST_PATTERN} characters`;
  try {
    return new RegExp(source, 'gmu').test('') ? 'it matches the empty text, so it would be found everywhere' : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const opened = new WeakMap<readonly string[], Volatile>();

/**
 * Patterns with the flags `gmu`. A list that was opened before is not compiled again.
 *
 * @throws CassetteError when one of them is no regular expression or would match everywhere.
 */
export function openVolatile(sources: readonly string[]): Volatile {
  const before = opened.get(sources);
  if (before !== undefined) return before;
  if (sources.length > MOST_PATTERNS) throw problemWith(`has ${sources.length} patterns`, `Write at most ${MOST_PATTERNS}; \`a|b\` is one.`);
  for (const source of sources) {
    const problem = volatileProblem(source);
    if (problem !== undefined) throw problemWith(`cannot use the pattern ${JSON.stringify(source.slice(0, 200))}: ${problem}`, 'Correct it or take it out.');
  }
  const made: Volatile = sources.length === 0 ? { budgetMs: 0, replaced: (texts) => texts } : bounded(sources);
  opened.set(sources, made);
  return made;
}

// A pattern that backtracks without an end can only be stopped from outside of it: the engine looks at the clock of a script.
function bounded(sources: readonly string[]): Volatile {
  const context: Context & { texts?: readonly string[] } = createContext({ patterns: sources.map((source) => new RegExp(source, 'gmu')) });
  const script = new Script('texts.map((text) => patterns.reduce((normal, pattern) => normal.replace(pattern, "<volatile>"), text))');
  return {
    budgetMs: BASE_BUDGET_MS + sources.length * BUDGET_OF_PATTERN_MS,
    replaced(texts, timeoutMs) {
      context.texts = texts;
      try {
        return script.runInContext(context, { timeout: Math.max(1, Math.ceil(timeoutMs)) }) as readonly string[];
      } catch (error) {
        throw problemWith('has a pattern that takes too long', 'Write it without repetitions inside repetitions, such as `(a+)+`.', error);
      } finally {
        delete context.texts;
      }
    },
  };
}

function problemWith(problem: string, remedy: string, cause?: unknown): CassetteError {
  return new CassetteError({ file: '`volatile`', problem, remedy }, cause === undefined ? undefined : { cause });
}
