import { listRuns } from '../record/read-run.js';
import { plainJsonLine } from '../report/plain-text.js';
import { runListing } from '../report/run-listing.js';
import { EXIT } from './exit-codes.js';
import { remark, say } from './output.js';
import { recordsRoot } from './records-root.js';

/** Options of `niceeval runs`. */
export interface RunsFlags {
  readonly json?: boolean;
  readonly limit?: number;
  readonly dir: string;
}

/** `niceeval runs`: the last ones, oldest first. */
export async function runsCommand({ json, limit, dir }: RunsFlags): Promise<number> {
  const runs = (await listRuns(recordsRoot(dir))).slice(limit === undefined ? 0 : -limit);
  if (json === true) await say(runs.map((run) => `${plainJsonLine(run)}\n`).join(''));
  else if (runs.length === 0) remark('no run is recorded here; `niceeval run` makes a record');
  else await say(runListing(runs));
  return EXIT.ok;
}
