import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../lifetime/error.js';
import { AuthoringError } from '../plan/errors.js';
import { locateRun } from '../record/locate.js';
import { readAttempt, resultOf } from '../record/read-attempt.js';
import { readRun, type RunRecord } from '../record/read-run.js';
import type { EventLine } from '../record/schema.js';
import { trajectoryOf } from '../report/atif.js';
import { attemptCsv, attemptJsonLines } from '../report/attempt-rows.js';
import { plainLine } from '../report/plain-text.js';
import { EXIT } from './exit-codes.js';
import { remark, say } from './output.js';
import { recordsRoot } from './records-root.js';

/** Options of `niceeval export`. */
export interface ExportFlags {
  readonly format: 'jsonl' | 'csv' | 'atif';
  readonly output: string;
  readonly dir: string;
}

/** `niceeval export`. */
export async function exportCommand(names: readonly string[], { format, output, dir }: ExportFlags): Promise<number> {
  if (format === 'atif' && output === '-') throw new AuthoringError(['--format atif writes a file for each Attempt: name a folder by --output.']);
  const root = recordsRoot(dir);
  const folders = new Set<string>();
  for (const name of names) folders.add((await locateRun(root, name)).folder);
  const runs: RunRecord[] = [];
  for (const folder of folders) runs.push(await readRun(folder));
  for (const { id, problems, inFlight } of runs) {
    for (const problem of problems) remark(plainLine(`${id}: ${problem}`));
    if (inFlight.length > 0) remark(`${plainLine(id)}: ${inFlight.length} Attempts have no end and are left out`);
  }
  if (format === 'atif') return exportTrajectories(runs, output);
  const text = format === 'csv' ? attemptCsv(runs) : runs.map(attemptJsonLines).join('');
  if (output === '-') await say(text);
  else await writeFile(output, text).catch((error: unknown) => { throw new AuthoringError([`The export cannot be written to ${output}: ${messageOf(error)}`], { cause: error }); });
  return EXIT.ok;
}

async function exportTrajectories(runs: readonly RunRecord[], output: string): Promise<number> {
  for (const run of runs) {
    const folder = join(output, run.id);
    await mkdir(folder, { recursive: true });
    for (const attempt of run.attempts) {
      const record = await readAttempt(join(run.folder, 'attempts', attempt.id));
      const read = await resultOf(record);
      if (read === undefined) {
        remark(plainLine(`${run.id}/${attempt.id}: ${record.problems[0] ?? 'it cannot be read'}; left out`));
        continue;
      }
      const events: EventLine[] = [];
      for await (const event of record.events()) {
        if (event.problem === undefined) events.push(event);
        else remark(plainLine(`${run.id}/${attempt.id}: ${event.problem}`));
      }
      await writeFile(join(folder, `${record.id}.trajectory.json`), `${JSON.stringify(trajectoryOf(events, { runId: run.id, result: read.result }), null, 2)}\n`);
    }
  }
  return EXIT.ok;
}
