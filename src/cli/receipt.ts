import { plainJsonLine } from '../report/plain-text.js';
import type { RunResult } from '../run/run-result.js';

/** What a receipt says besides the run's own end. */
export interface ReceiptFacts {
  readonly planned: number;
  /** The folder of the record. */
  readonly record: string;
  /** Reports that could not be written, one sentence each. */
  readonly problems: readonly string[];
  readonly exitCode: number;
}

/** The last line of `niceeval run --json`: all that a caller must know to go on. */
export function receiptLine({ runId, sandbox, startedAt, durationMs, interrupted, counts: { infrastructure, ...counts }, attempts }: RunResult, { planned, record, problems, exitCode }: ReceiptFacts): string {
  const notRun = Math.max(0, planned - attempts.length);
  return `${plainJsonLine({ type: 'receipt', runId, record, sandbox, startedAt, durationMs, interrupted, planned, notRun, counts, infrastructure, problems, exitCode })}\n`;
}
