import { listRuns, readRun, type RunRecord } from '../record/read-run.js';
import { RecordNotFoundError } from '../record/errors.js';
import { historyListing, historyOf } from '../report/history.js';
import { plainJsonLine } from '../report/plain-text.js';
import { EXIT } from './exit-codes.js';
import { say } from './output.js';
import { profileFrom } from './pricing-option.js';
import { recordsRoot } from './records-root.js';

/** Options of `niceeval history`. */
export interface HistoryFlags {
  readonly experiment?: string;
  readonly json?: boolean;
  readonly pricing?: string;
  readonly dir: string;
}

/** `niceeval history`. */
export async function historyCommand(evalId: string, { experiment, json, pricing, dir }: HistoryFlags): Promise<number> {
  const profile = await profileFrom(pricing);
  const runs: RunRecord[] = [];
  for (const { folder } of await listRuns(recordsRoot(dir))) runs.push(await readRun(folder));
  const entries = historyOf(runs, { evalId, pricing: profile, ...(experiment === undefined ? {} : { experimentId: experiment }) });
  if (entries.length === 0) throw new RecordNotFoundError(`No recorded run has an Attempt of the eval "${evalId}"${experiment === undefined ? '' : ` by the experiment "${experiment}"`} that ended. \`niceeval run ${evalId}\` makes one.`);
  await say(json === true ? entries.map((entry) => `${plainJsonLine(entry)}\n`).join('') : historyListing(entries));
  return EXIT.ok;
}
