import { join } from 'node:path';
import type { PriorOutcome, PriorOutcomes } from '../plan/reuse.js';
import type { AttemptSummary } from '../run/run-result.js';
import { listRuns, readRun, type RunRecord } from './read-run.js';

/** Earlier outcomes, with what is known of each. */
export interface RecordedOutcomes extends PriorOutcomes {
  /** What a run came to in one Attempt. `undefined`: it is not known. */
  summaryOf(place: { readonly runId: string; readonly attemptId: string }): AttemptSummary | undefined;
}

/**
 * Reads what runs came to. Verdicts of evidence that was judged again are left out: nobody carried these Attempts out.
 *
 * @param options.only The id of the one run that counts. Default: all of them.
 */
export async function readOutcomes(root: string, options: { readonly only?: string } = {}): Promise<RecordedOutcomes> {
  const names = options.only === undefined ? (await listRuns(root)).map(({ id }) => id).reverse() : [options.only];
  const byPair = new Map<string, PriorOutcome[]>();
  const summaries = new Map<string, AttemptSummary>();
  for (const name of names) {
    const run = await readRun(join(root, name));
    for (const summary of run.attempts.filter(({ regradedFrom }) => regradedFrom === undefined)) {
      const outcome = outcomeOf(run, summary);
      const key = keyOf(summary.experimentId, summary.evalId);
      const known = byPair.get(key) ?? [];
      known.push(outcome);
      byPair.set(key, known);
      summaries.set(keyOf(run.id, summary.id), summary);
      // Where it was made may be gone; what it came to is known here too.
      if (summary.reusedFrom !== undefined) summaries.set(keyOf(summary.reusedFrom.runId, summary.reusedFrom.attemptId), summary);
    }
  }
  return {
    of: (experimentId, evalId) => byPair.get(keyOf(experimentId, evalId)) ?? [],
    summaryOf: ({ runId, attemptId }) => summaries.get(keyOf(runId, attemptId)),
  };
}

function outcomeOf({ id: runId }: RunRecord, { id, evalId, experimentId, index, identity, verdict, durationMs, failure, reusedFrom }: AttemptSummary): PriorOutcome {
  return {
    runId, attemptId: id, evalId, experimentId, index, verdict, durationMs, interrupted: failure?.kind === 'interrupted',
    ...(identity === undefined ? {} : { identity }),
    ...(reusedFrom === undefined ? {} : { reusedFrom }),
  };
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
