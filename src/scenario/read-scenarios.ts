import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { isJsonObject } from '../evidence/json.js';
import { messageOf } from '../lifetime/error.js';
import { AuthoringError } from '../plan/errors.js';
import { boundedLines, type BoundedLine } from './bounded-lines.js';
import { fieldOf, problemsOfLine } from './line-problem.js';
import { oddValuesIn } from './odd-values.js';
import { patternProblem } from './pattern.js';
import { repeatedKeysIn } from './repeated-key.js';
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
  let untold = 0;
  const firstOf = new Map<string, number>();
  try {
    for await (const line of boundedLines(createReadStream(file) as AsyncIterable<Buffer>, MOST_LINE_BYTES)) {
      const tell = (problem: string): void => {
        if (problems.length < MOST_PROBLEMS) problems.push(`${name}:${line.number}: ${problem}${problem.endsWith('?') ? '' : '.'}`);
        else untold += 1;
      };
      const read = scenarioOf(line);
      if (read === undefined) continue;
      for (const problem of read.problems ?? await patternProblems(read.scenario)) tell(problem);
      const id = read.scenario?.id ?? read.id;
      const twin = id === undefined ? undefined : firstOf.get(id);
      if (twin !== undefined) tell(`id: it is also that of line ${twin}; give each scenario an id of its own`);
      else if (id !== undefined) firstOf.set(id, line.number);
      if (read.scenario !== undefined && problems.length === 0) lines.push({ line: line.number, scenario: read.scenario });
    }
  } catch (error) {
    if (!isOfFileSystem(error)) throw error;
    throw new AuthoringError([`${file} cannot be read: ${messageOf(error)}.`], { cause: error });
  }
  if (problems.length > 0) throw new AuthoringError([...problems, ...(untold > 0 ? [`... and ${untold} problem${untold === 1 ? '' : 's'} more.`] : [])]);
  if (lines.length === 0) throw new AuthoringError([`${file} has no scenario. Write one a line, for instance {"id":"hello","prompt":"Say hello.","profile":"fake"}.`]);
  return lines;
}

function isOfFileSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

async function mustBeReadable(file: string): Promise<void> {
  const facts = await stat(file).catch((error: unknown) => {
    throw new AuthoringError([`The file of scenarios ${file} cannot be read: ${messageOf(error)}.`], { cause: error });
  });
  if (facts.isDirectory()) throw new AuthoringError([`${file} is a folder, and must be a file of scenarios: JSON lines.`]);
}

type Read =
  | { readonly scenario: Scenario; readonly problems?: never; readonly id?: never }
  | { readonly scenario?: never; readonly problems: readonly string[]; /** Where there is one all the same. */ readonly id?: string };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BYTE_ORDER_MARK = '\uFEFF';

/** `undefined`: the line is a comment. */
function scenarioOf(line: BoundedLine): Read | undefined {
  if (line.tooLong === true) return { problems: [`the line: it has more than ${MOST_LINE_BYTES / 1024 ** 2} MiB; shorten it`] };
  let text: string;
  try {
    text = utf8.decode(line.bytes);
  } catch {
    return { problems: ['the line: it is no UTF-8; save the file as UTF-8'] };
  }
  if (line.number === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.startsWith('#')) return undefined;
  const { value, problem } = parsedJson(trimmed);
  if (problem !== undefined) return { problems: [problem] };
  if (!isJsonObject(value)) return { problems: ['the line: it must be a JSON object'] };
  const twice = repeatedKeysIn(trimmed).map((path) => `${fieldOf(path)}: it is there twice; leave one out`);
  // Only a text with an escape or this name can have them: a file of many scenarios is not walked through twice for nothing.
  const odd = !/\\u|__proto__/.test(trimmed) ? [] : oddValuesIn(value).map(({ path, what }) => `${fieldOf(path)}: ${what}`);
  const read = scenarioSchema.safeParse(value);
  const problems = [...twice, ...odd, ...(read.success ? [] : problemsOfLine(read.error.issues, value))];
  if (read.success && problems.length === 0) return { scenario: read.data };
  return { problems, ...(typeof value.id === 'string' ? { id: value.id } : {}) };
}

function parsedJson(text: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    // The engine's own words quote the line.
    const position = /at position (\d+)/.exec(messageOf(error))?.[1];
    return { problem: `the line: it is no JSON${position === undefined ? '' : `, from character ${Number(position) + 1} on`}; comments begin with #` };
  }
}

async function patternProblems({ expected }: Scenario): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [index, source] of (expected?.assistant_matches_regex ?? []).entries()) {
    const problem = await patternProblem(source);
    if (problem !== undefined) problems.push(`expected.assistant_matches_regex[${index}]: it is no regular expression of Rust: ${problem}`);
  }
  return problems;
}
