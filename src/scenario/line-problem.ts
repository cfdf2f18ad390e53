import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { clip, plainJsonLine } from '../report/plain-text.js';
import { DOMAIN_EVENT_NAMES, STREAM_EVENT_NAMES } from './event-names.js';

/** The issues that a line of scenarios or a report of them has, one text each: the field, and what is wrong with it. No text of the line is in them but names of fields. */
export function problemsOfLine(issues: readonly z.core.$ZodIssue[], value: unknown): readonly string[] {
  return issues.flatMap((issue) => problemsOf(issue, value));
}

function problemsOf(issue: z.core.$ZodIssue, value: unknown): readonly string[] {
  const field = fieldOf(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys': {
      const shape = shapeOf(issue.path);
      const keys = issue.keys.filter((key) => key !== '__proto__'); // Told already, wherever it is.
      if (EVENT_MAPS.has(shape)) return keys.map((key) => `${fieldOf([...issue.path, key])}: there is no event of that name${nearest(key, EVENTS)}`);
      const names = KNOWN_FIELDS.get(shape) ?? [];
      return keys.map((key) => `${fieldOf([...issue.path, key])}: there is no such field${nearest(key, names)}`);
    }
    case 'invalid_type': return [`${field}: ${valueAt(value, issue.path) === undefined ? 'it is missing' : `it must be ${aOrAn(issue.expected)}`}`];
    case 'invalid_value': {
      const given = valueAt(value, issue.path);
      if (EVENT_LISTS.has(shapeOf(issue.path)) && typeof given === 'string') return [`${field}: there is no event of that name${nearest(given, EVENTS)}`];
      return [`${field}: it must be one of ${issue.values.map(String).join(', ')}`];
    }
    case 'too_small': return [issue.origin === 'string' ? `${field}: it is empty` : `${field}: it must be at least ${String(issue.minimum)}`];
    case 'too_big': return [`${field}: it must be ${String(issue.maximum)} at the most`];
    default: return [`${field}: ${issue.message}`];
  }
}

const A_KIND: Readonly<Record<string, string>> = { int: 'a whole number', number: 'a number', string: 'a text', array: 'a list', object: 'an object', record: 'an object', boolean: 'true or false' };

function aOrAn(expected: string): string {
  return A_KIND[expected] ?? `of the kind ${expected}`;
}

/** `expected.workspace_files[0].path`. Names that come from the line are shortened, and those that are more than a word are quoted. */
export function fieldOf(path: readonly PropertyKey[]): string {
  const text = path.slice(0, MOST_PARTS).map((part, index) => {
    if (typeof part === 'number') return `[${part}]`;
    const name = clip(String(part), MOST_NAME_CHARACTERS);
    return /^\w+(\.{3})?$/.test(name) ? `${index === 0 ? '' : '.'}${name}` : `[${plainJsonLine(name)}]`;
  }).join('');
  return text === '' ? 'the line' : path.length > MOST_PARTS ? `${text}...` : text;
}

const MOST_NAME_CHARACTERS = 60;
/** The deepest field of a scenario has five. */
const MOST_PARTS = 8;

function shapeOf(path: readonly PropertyKey[]): string {
  return path.filter((part) => typeof part === 'string').join('.');
}

/** The fields of each object, for the nearest of a misspelt one. */
const KNOWN_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['', ['id', 'prompt', 'turns', 'system_instructions', 'profile', 'approval_policy', 'sandbox_policy', 'tags', 'expected']],
  ['sandbox_policy', ['kind', 'network_access']],
  ['expected', [
    'assistant_contains', 'assistant_not_contains', 'assistant_matches_regex', 'event_types', 'forbidden_event_types', 'min_events_of_type', 'max_events_of_type', 'min_tool_invocations',
    'max_tool_failures', 'max_elapsed_ms', 'max_context_input_tokens', 'max_turns', 'trajectory_actions', 'max_trajectory_steps', 'workspace_files', 'post_run_commands',
  ]],
  ['expected.workspace_files', ['path', 'contains', 'not_contains']],
  ['expected.post_run_commands', ['program', 'args', 'cwd', 'exit_code', 'timeout_ms', 'stdout_contains', 'stderr_contains']],
]);

const EVENT_MAPS: ReadonlySet<string> = new Set(['expected.min_events_of_type', 'expected.max_events_of_type']);
const EVENT_LISTS: ReadonlySet<string> = new Set(['expected.event_types', 'expected.forbidden_event_types']);
const EVENTS: readonly string[] = [...DOMAIN_EVENT_NAMES, ...STREAM_EVENT_NAMES];

function nearest(name: string, names: readonly string[]): string {
  const short = name.slice(0, MOST_NAME_CHARACTERS);
  const best = names.map((known) => ({ known, apart: distance(short, known) })).sort((a, b) => a.apart - b.apart)[0];
  if (best !== undefined && best.apart <= Math.max(1, best.known.length / 3)) return `; did you mean "${best.known}"?`;
  return names.length === 0 ? '' : `; there are ${names.join(', ')}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, part) => (typeof inner === 'object' && inner !== null ? (inner as Readonly<Record<PropertyKey, unknown>>)[part] : undefined), value);
}
