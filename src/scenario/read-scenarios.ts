import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf } from '../lifetime/error.js';
import { AuthoringError } from '../plan/errors.js';
import { boundedLines, type BoundedLine } from './bounded-lines.js';
import { fieldOf, problemsOfLine } from './line-problem.js';
import { patternProblem } from './pattern.js';
import { repeatedKeyIn } from './repeated-key.js';
import { scenarioSchema, type Scenario } from './scenario.js';

/** A scenario and its line in the file, from 1. */
export interface ScenarioLine {
  readonly line: number;
  readonly scenario: Scenario;
}

const MOST_LINE_BYTES = 8 * 1024 ** 2;
const MOST_PROBLEMS = 20;

/**
 * Reads a file of scenarios: one a line, in JSON; blank lines and lines that begin with `#` are comments.
 *
 * @throws AuthoringError with every problem: file, line, field. No text of a line is in it but names of fields.
 */
export async function readScenarios(file: string): Promise<readonly ScenarioLine[]> {
  const name = basename(file);
  await mustBeReadable(file);
  const lines: ScenarioLine[] = [];
  const problems: string[] = [];
  const firstOf = new Map<string, number>();
  try {
    for await (const line of boundedLines(createReadStream(file) as AsyncIterable<Buffer>, MOST_LINE_BYTES)) {
      const read = scenarioOf(line);
      if (read === undefined) continue;
      const found = read.problems ?? await patternProblems(read.scenario);
      problems.push(...found.map((problem) => `${name}:${line.number}: ${problem}.`));
      if (read.scenario === undefined) continue;
      const twin = firstOf.get(read.scenario.id);
      if (twin !== undefined) problems.push(`${name}:${line.number}: id: it is also that of line ${twin}. Give each scenario an id of its own.`);
      else firstOf.set(read.scenario.id, line.number);
      lines.push({ line: line.number, scenario: read.scenario });
    }
  } catch (error) {
    throw new AuthoringError([`${file} cannot be read: ${messageOf(error)}.`], { cause: error });
  }
  if (problems.length > 0) throw new AuthoringError([...problems.slice(0, MOST_PROBLEMS), ...(problems.length > MOST_PROBLEMS ? [`... and ${problems.length - MOST_PROBLEMS} problems more.`] : [])]);
  if (lines.length === 0) throw new AuthoringError([`${file} has no scenario. Write one a line, for instance {"id":"hello","prompt":"Say hello.","profile":"fake"}.`]);
  return lines;
}

async function mustBeReadable(file: string): Promise<void> {
  const facts = await stat(file).catch((error: unknown) => {
    throw new AuthoringError([`The file of scenarios ${file} cannot be read: ${messageOf(error)}.`], { cause: error });
  });
  if (facts.isDirectory()) throw new AuthoringError([`${file} is a folder, and must be a file of scenarios: JSON lines.`]);
}

type Read = { readonly scenario: Scenario; readonly problems?: never } | { readonly scenario?: never; readonly problems: readonly string[] };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BYTE_ORDER_MARK = '\uFEFF';

/** `undefined`: the line is a comment. */
function scenarioOf(line: BoundedLine): Read | undefined {
  if (line.tooLong === true) return { problems: [`the line: it has more than ${MOST_LINE_BYTES / 1024 ** 2} MiB`] };
  let text: string;
  try {
    text = utf8.decode(line.bytes);
  } catch {
    return { problems: ['the line: it is no UTF-8'] };
  }
  if (line.number === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
  text = text.trim();
  if (text === '' || text.startsWith('#')) return undefined;
  const parsed = parsedJson(text);
  if (parsed.problem !== undefined) return { problems: [parsed.problem] };
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problems: ['the line: it must be a JSON object'] };
  const twice = repeatedKeyIn(text);
  if (twice !== undefined) return { problems: [`${twice.slice(0, 200)}: it is there twice`] };
  const torn = tornTextIn(value, []);
  if (torn !== undefined) return { problems: [`${fieldOf(torn)}: it has half of a character (a lone surrogate)`] };
  const read = scenarioSchema.safeParse(value);
  return read.success ? { scenario: read.data } : { problems: problemsOfLine(read.error.issues, value) };
}

function parsedJson(text: string): { readonly value: unknown; readonly problem?: never } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    // The engine's own words quote the line.
    const position = /at position (\d+)/.exec(messageOf(error))?.[1];
    return { problem: `the line: it is no JSON${position === undefined ? '' : `, from character ${Number(position) + 1} on`}; comments begin with #` };
  }
}

/** Where a text is that no encoding can carry. */
function tornTextIn(value: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] | undefined {
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const entries: readonly (readonly [PropertyKey, unknown])[] = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value);
  for (const [key, inner] of entries) {
    if (typeof key === 'string' && LONE_SURROGATE.test(key)) return path;
    const torn = tornTextIn(inner, [...path, key]);
    if (torn !== undefined) return torn;
  }
  return undefined;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

async function patternProblems({ expected }: Scenario): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [index, source] of (expected?.assistant_matches_regex ?? []).entries()) {
    const problem = await patternProblem(source);
    if (problem !== undefined) problems.push(`expected.assistant_matches_regex[${index}]: it is no regular expression of Rust: ${problem}`);
  }
  return problems;
}
