import type { RunListing } from '../record/read-run.js';
import { inColumns } from './columns.js';
import { plainLine } from './plain-text.js';
import { seconds } from './words.js';

/** Runs, one line each, and below them what could not be read. */
export function runListing(runs: readonly RunListing[]): string {
  const rows = runs.map(({ id, state, startedAt, planned, counts, durationMs, sandbox, interrupted, regradedFrom }) => [
    id,
    state === 'incomplete' ? 'incomplete' : interrupted === true ? 'interrupted' : 'complete',
    startedAt ?? '-',
    counts === undefined ? `${planned ?? '-'} planned` : `${counts.passed} passed, ${counts.failed} failed, ${counts.errored} errored, ${counts.skipped} skipped`,
    durationMs === undefined ? '-' : seconds(durationMs),
    regradedFrom === undefined ? sandbox ?? '-' : `judged again: ${regradedFrom}`,
  ]);
  const problems = runs.flatMap(({ id, problems: own }) => own.map((problem) => `${plainLine(`${id}: ${problem}`)}\n`));
  return `${inColumns([['run', 'state', 'started', 'Attempts', 'time', 'sandbox'], ...rows])}${problems.join('')}`;
}
