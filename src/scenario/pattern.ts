import type * as Rregex from 'rregex';

/** A regular expression in the syntax of Rust, with its meaning there. */
export interface Pattern {
  readonly source: string;
  /** Whether it matches somewhere. */
  matches(text: string): boolean;
}

let engine: Promise<typeof Rregex> | undefined;

/** Most scenarios have no pattern: the engine is a megabyte of WebAssembly, and is only loaded for one that has. */
function loadedEngine(): Promise<typeof Rregex> {
  engine ??= import('rregex');
  return engine;
}

const MOST_CHARACTERS = 100_000;
/** Sources that were found to be right; a file of many scenarios often has one many times. */
const known = new Set<string>();
const MOST_KNOWN = 10_000;

/** Why a source is no pattern, for instance since it looks around, which Rust cannot. `undefined`: it is one. */
export async function patternProblem(source: string): Promise<string | undefined> {
  if (known.has(source)) return undefined;
  if (source.length > MOST_CHARACTERS) return `it has more than ${MOST_CHARACTERS} characters`;
  const { RRegex } = await loadedEngine();
  try {
    new RRegex(source).free();
  } catch (error) {
    const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n');
    return (lines.at(-1) ?? '').replace(/^error: /, '').replace(/\.$/, '');
  }
  if (known.size < MOST_KNOWN) known.add(source);
  return undefined;
}

/** Sources without a problem as patterns. What one needs of memory is held only while it is used. */
export async function compilePatterns(sources: readonly string[]): Promise<readonly Pattern[]> {
  if (sources.length === 0) return [];
  const { RRegex } = await loadedEngine();
  return sources.map((source) => ({
    source,
    matches(text) {
      const pattern = new RRegex(source);
      try {
        return pattern.isMatch(text);
      } finally {
        pattern.free();
      }
    },
  }));
}
