import type { z } from 'zod';
import { SCRIPT_KEYS } from './script-schema.js';

type Path = readonly PropertyKey[];

/** Tells what is wrong in a script, where, and how to mend it. One line for each fault. */
export function scriptProblemsOf(issues: readonly z.core.$ZodIssue[], script: unknown): readonly string[] {
  const misspelt = new Set(issues.filter(({ code }) => code === 'unrecognized_keys').map(({ path }) => placeOf(path)));
  // A misspelt key is also a key that is missing; told once is enough.
  return issues.filter(({ code, path }) => code !== 'custom' || !misspelt.has(placeOf(path))).flatMap((issue) => problemsOf(issue, script));
}

function problemsOf(issue: z.core.$ZodIssue, script: unknown): readonly string[] {
  const place = placeOf(issue.path);
  const found = valueAt(script, issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => `${placeOf([...issue.path, key])} is not a known key. ${keyRemedy(key, issue.path)}`);
    case 'custom':
      return [`${place} ${issue.message}`];
    case 'invalid_union':
      return [`${place} is ${nameOf(found)}. Write an object, or a string for a free-form tool.`];
    case 'invalid_value':
      return [`${place} is ${nameOf(found)}. Write ${oneOf(issue.values.map((value) => JSON.stringify(value)))}.`];
    case 'invalid_format':
      return [`${place} is ${nameOf(found)}. Write a name that matches ${issue.pattern ?? issue.format}.`];
    default:
      if (found === undefined) return [`${place} is missing. Add it: ${wanted(issue)}.`];
      return [`${place} is ${nameOf(found)}. Write ${wanted(issue)}.`];
  }
}

function placeOf(path: Path): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return text === '' ? 'the script' : text.replace(/^\./, '');
}

function oneOf(choices: readonly string[]): string {
  const last = choices.at(-1) ?? '';
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(', ')} or ${last}`;
}

function keyRemedy(key: string, path: Path): string {
  const holder = path.findLast((step) => typeof step === 'string') ?? '';
  const known = SCRIPT_KEYS[String(holder)] ?? [];
  const bare = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const meant = known.find((name) => bare(name) === bare(key));
  return meant === undefined ? `Remove it, or use one of: ${known.join(', ')}.` : `Write it "${meant}".`;
}

const KINDS: { readonly [kind: string]: string } = {
  object: 'an object', array: 'an array', string: 'a string', number: 'a number', int: 'a whole number', boolean: 'true or false',
};

function wanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? `a value of type ${issue.expected}`;
    case 'too_small':
      if (issue.origin === 'string') return 'a text that is not empty';
      if (issue.origin === 'array') return 'an array with at least one entry';
      return `a number of at least ${issue.minimum}`;
    case 'too_big':
      return `a number of at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

function valueAt(script: unknown, path: Path): unknown {
  const within = (value: unknown, step: PropertyKey): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  return path.reduce(within, script);
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
