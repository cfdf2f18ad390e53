import picomatch from 'picomatch';
import { createMatch, MATCHED, mismatch, show, type ValueMatch } from './match.js';

/**
 * A value in which some text names one of these paths, at any depth: a path by itself, or inside a longer text such as a
 * shell command. Globs are real ones (`*`, `**`, `?`, `[...]`, `{a,b}`; dots are matched). A relative pattern also matches
 * inside an absolute path, at the borders of its components, and what is inside a folder names the folder. Only what the
 * text says counts: a path put together while running is not seen.
 *
 * @throws TypeError for no pattern at all, the same one twice, or one that is empty or negated.
 */
export function referencesAnyPath(patterns: readonly string[]): ValueMatch {
  const finders = checkedPatterns(patterns).map(finderOf);
  const description = `references ${patterns.join(' or ')}`;
  return createMatch({
    domain: 'value',
    description,
    evaluate: (value: unknown) => {
      const texts = textsOf(value);
      return texts.some((text) => finders.some((finds) => finds(text))) ? MATCHED : mismatch(description, value);
    },
  });
}

function checkedPatterns(patterns: readonly string[]): readonly string[] {
  const given: unknown = patterns;
  if (!Array.isArray(given) || given.length === 0) throw new TypeError('referencesAnyPath() needs a list of paths or globs, for instance ["secrets/**"].');
  const stranger = given.find((pattern: unknown) => typeof pattern !== 'string' || componentsOf(pattern).length === 0 || pattern.startsWith('!')) as unknown;
  if (stranger !== undefined) throw new TypeError(`referencesAnyPath() cannot look for ${show(stranger)}. Give it a path or a glob such as "secrets/**".`);
  const twice = patterns.find((pattern, index) => patterns.findIndex((other) => componentsOf(other).join('/') === componentsOf(pattern).join('/')) < index);
  if (twice !== undefined) throw new TypeError(`referencesAnyPath() was given ${show(twice)} twice.`);
  return patterns;
}

/** Tells whether a text names a path of one pattern. */
function finderOf(pattern: string): (text: string) => boolean {
  const components = componentsOf(pattern);
  const anchored = /^[/\\]/.test(pattern);
  if (!picomatch.scan(literalGroups(pattern)).isGlob) {
    // Found where it stands, so that names with spaces and quotes are found too.
    const literal = `${anchored ? '[/\\\\]+' : ''}${components.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[/\\\\]+(?:\\.[/\\\\]+)*')}`;
    const expression = new RegExp(`(?<![\\p{L}\\p{N}_.-])(?<!${anchored ? '[/\\\\~})*?]' : '(?!)'})${literal}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}_-])`, 'u');
    return (text) => expression.test(text) || expression.test(unescaped(text));
  }
  const glob = `${anchored ? '/' : ''}${pattern.split('/').filter((part) => part !== '' && part !== '.').join('/')}`;
  const globs = [literalGroups(glob), `${literalGroups(glob)}/**`];
  const asWritten = picomatch(globs, { dot: true, flags: 's' });
  const withBrackets = picomatch(globs, { dot: true, nobracket: true, flags: 's' }); // A folder may be called `[...slug]`.
  const fits = (path: string): boolean => asWritten(path) || withBrackets(path);
  // A component that every path of the pattern has: a text without it needs no closer look.
  const [sure = ''] = /[[\]()\\]/.test(glob) ? [] : picomatch.scan(glob).base.split('/').filter((part) => part !== '');
  const mayName = (text: string): boolean => text.includes(sure) || (text.includes('\\') && unescaped(text).includes(sure));
  return (text) => mayName(text) && candidatesOf(text).some((candidate) => endsOf(candidate, anchored).some((end) => fits(end)));
}

/**
 * Texts that may be a path: all of it, what stands between quotes, between the characters that end a word in a shell, and
 * between those that end one in code; the latter two differ for folders that are called `[slug]` or `(shop)`.
 */
function candidatesOf(text: string): readonly string[] {
  const quoted = [...text.matchAll(/"([^"]*)"|'([^']*)'|`([^`]*)`/g)].map(([, double, single, back]) => double ?? single ?? back ?? '');
  const escaped = text.split(/(?<!\\)[\s"'`;|&<>]+/).map(unescaped);
  const all = [text, ...quoted, ...escaped, ...text.split(/[\s"'`;|&<>]+/), ...text.split(/[\s"'`;|&<>()=,:[\]{}]+/)];
  return [...new Set(all)].filter((candidate) => candidate !== '' && candidate.length <= LONGEST_PATH);
}

/** As a shell reads a path with `\ ` for a space. Before a letter a backslash is a separator of Windows. */
function unescaped(text: string): string {
  return text.replace(/\\([\s"'`;|&<>()[\]{}$])/g, '$1');
}

/** A glob in which a parenthesis without a mark before it is one: folders are called `(shop)`. */
export function literalGroups(glob: string): string {
  return glob.replace(/(?<![!@+?*\\])\(([^()]*)\)/g, '\\($1\\)');
}

const LONGEST_PATH = 4096;

/** The path from each of its components on; for a pattern from the root, an absolute path as a whole. */
function endsOf(path: string, anchored: boolean): readonly string[] {
  const components = componentsOf(path);
  if (anchored) return /^[/\\]/.test(path) ? [`/${components.join('/')}`] : [];
  return components.map((_component, start) => components.slice(start).join('/'));
}

function componentsOf(path: string): readonly string[] {
  return path.split(/[/\\]+/).filter((part) => part !== '' && part !== '.');
}

/** All texts of a JSON-like value, keys included. */
function textsOf(value: unknown): readonly string[] {
  const texts: string[] = [];
  const open: unknown[] = [value];
  const seen = new Set<object>();
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node === 'string') texts.push(node);
    if (typeof node !== 'object' || node === null) continue;
    if (seen.has(node)) continue;
    seen.add(node);
    for (const [key, child] of Object.entries(node)) {
      if (!Array.isArray(node)) texts.push(key); // Codex lists the changed files of a patch as keys.
      open.push(child);
    }
  }
  return texts;
}
