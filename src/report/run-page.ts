import type { Colors } from 'picocolors/types.js';
import type { RunRecord } from '../record/read-run.js';
import { plainLine } from './plain-text.js';
import { summaryOf, type Explained } from './terminal.js';

/** A recorded run as it was told at its end, and what of it has no end. */
export function runPage(run: RunRecord, options: { readonly colors: Colors; readonly explained: readonly Explained[] }): string {
  const { id, state, sandbox = '', startedAt = '', interrupted = false, counts, attempts, inFlight, notStarted, problems } = run;
  const durationMs = run.durationMs ?? spanOf(run);
  const lines = [
    `run ${plainLine(id)}: ${startedAt === '' ? 'nobody knows when it started' : `started ${plainLine(startedAt)}`}${sandbox === '' ? '' : `, sandbox ${plainLine(sandbox)}`}${state === 'incomplete' ? ', incomplete' : ''}`,
    summaryOf({ runId: id, sandbox, startedAt, durationMs, interrupted, counts, attempts }, options).trimEnd(),
    ...inFlight.map((attempt) => `in flight    ${plainLine(attempt.id)}`),
    ...notStarted.map((attempt) => `not started  ${plainLine(attempt.evalId)} by ${plainLine(attempt.experimentId)} (${attempt.index})`),
    ...problems.map((problem) => `problem      ${plainLine(problem)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Without an end the last Attempt that ended says how long it took at least. */
function spanOf({ startedAt = '', attempts }: RunRecord): number {
  const ends = attempts.map((attempt) => Date.parse(attempt.startedAt) + attempt.durationMs - Date.parse(startedAt)).filter((ms) => Number.isFinite(ms));
  return ends.reduce((most, ms) => Math.max(most, ms), 0);
}
