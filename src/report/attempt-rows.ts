import { stringify } from 'csv-stringify/sync';
import { bucketOf } from '../evidence/usage.js';
import type { RunRecord } from '../record/read-run.js';
import type { AttemptSummary } from '../run/run-result.js';
import { plainJsonLine } from './plain-text.js';

const COLUMNS = [
  'run', 'attempt', 'eval', 'experiment', 'index', 'agent', 'model', 'verdict', 'failure', 'infrastructure', 'pointsEarned', 'pointsPossible', 'claims', 'claimsDecided', 'claimsMatched',
  'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'requests', 'costUSD', 'estimatedCostUSD', 'changedPaths', 'cpuSeconds', 'peakMemoryBytes', 'startedAt', 'durationMs', 'timedOut',
] as const;

type Row = { readonly [column in typeof COLUMNS[number]]: string | number | boolean | undefined };

/** The Attempts of a run as JSON lines, with all that is summed up of them. */
export function attemptJsonLines(run: RunRecord): string {
  return run.attempts.map((attempt) => `${plainJsonLine({ runId: run.id, ...(run.sandbox === undefined ? {} : { sandbox: run.sandbox }), ...attempt })}\n`).join('');
}

/**
 * The Attempts of runs as CSV (RFC 4180, lines end with CRLF). What is not known is empty. A text that a spreadsheet would take for a
 * formula gets a `'` before it.
 */
export function attemptCsv(runs: readonly RunRecord[]): string {
  const rows = runs.flatMap((run) => run.attempts.map((attempt) => rowOf(run, attempt)));
  return stringify(rows, { header: true, columns: [...COLUMNS], record_delimiter: 'windows', escape_formulas: true, cast: { boolean: (value) => String(value) } });
}

function rowOf(run: RunRecord, attempt: AttemptSummary): Row {
  const { usage, score, claims, failure, resources } = attempt;
  return {
    run: run.id, attempt: attempt.id, eval: attempt.evalId, experiment: attempt.experimentId, index: attempt.index, agent: attempt.agent, model: attempt.model,
    verdict: attempt.verdict, failure: failure?.kind, infrastructure: failure?.infrastructure, pointsEarned: score?.earned, pointsPossible: score?.possible,
    claims: claims.total, claimsDecided: claims.decided, claimsMatched: claims.matched,
    inputTokens: bucketOf(usage, 'inputTokens'), outputTokens: bucketOf(usage, 'outputTokens'), cacheReadTokens: bucketOf(usage, 'cacheReadTokens'),
    cacheCreationTokens: bucketOf(usage, 'cacheCreationTokens'), requests: bucketOf(usage, 'requests'), costUSD: bucketOf(usage, 'costUSD'),
    estimatedCostUSD: attempt.estimatedCostUSD, changedPaths: attempt.changedPaths, cpuSeconds: resources?.cpuSeconds, peakMemoryBytes: resources?.peakMemoryBytes,
    startedAt: attempt.startedAt, durationMs: attempt.durationMs, timedOut: attempt.timedOut,
  };
}
