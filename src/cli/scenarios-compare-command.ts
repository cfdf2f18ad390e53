import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseJson } from '../evidence/json.js';
import { messageOf } from '../lifetime/error.js';
import { AuthoringError } from '../plan/errors.js';
import { compareReports } from '../scenario/compare.js';
import { problemsOfLine } from '../scenario/line-problem.js';
import { scenarioReportSchema, type ScenarioReport } from '../scenario/result.js';
import { outputPlaceOf, writeWhole } from '../scenario/whole-file.js';
import { EXIT, SCENARIO_EXIT } from './exit-codes.js';
import { say } from './output.js';

/** Options of `niceeval scenarios compare`, as commander hands them over. */
export interface ScenariosCompareFlags {
  readonly baseline: string;
  readonly candidate: string;
  readonly output?: string;
}

/** `niceeval scenarios compare`. */
export async function scenariosCompareCommand({ baseline, candidate, output }: ScenariosCompareFlags): Promise<number> {
  const comparison = compareReports(await reportIn(baseline), await reportIn(candidate));
  const text = `${JSON.stringify(comparison, null, 2)}\n`;
  if (output !== undefined) {
    const unwritten = (error: unknown): never => { throw new AuthoringError([`--output ${output} cannot be written: ${messageOf(error)}.`], { cause: error }); };
    const place = await outputPlaceOf(resolve(output)).catch(unwritten);
    await writeWhole(place, text).catch(unwritten);
  }
  await say(text);
  return comparison.regressions.length > 0 ? SCENARIO_EXIT.regression : EXIT.ok;
}

async function reportIn(file: string): Promise<ScenarioReport> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new AuthoringError([`The report ${file} cannot be read: ${messageOf(error)}.`], { cause: error });
  });
  const value = parseJson(text);
  if (value === undefined) throw new AuthoringError([`${file} is no JSON. Give a file that \`niceeval scenarios run --report\` wrote.`]);
  const read = scenarioReportSchema.safeParse(value);
  const problem = read.success ? repeatedId(read.data) : problemsOfLine(read.error.issues, value)[0]?.replace(/^the line: /, '') ?? 'it does not fit';
  if (read.success && problem === undefined) return read.data;
  throw new AuthoringError([`${file} is no report of scenarios: ${problem}. Give a file that \`niceeval scenarios run --report\` wrote.`]);
}

/** Of two results of one id nobody knows which is meant. */
function repeatedId({ results }: ScenarioReport): string | undefined {
  const firstOf = new Map<string, number>();
  for (const [index, { scenario_id: id }] of results.entries()) {
    const first = firstOf.get(id);
    if (first !== undefined) return `results[${index}].scenario_id: it is also that of results[${first}]`;
    firstOf.set(id, index);
  }
  return undefined;
}
