import type { Colors } from 'picocolors/types.js';
import type { RunEvent } from '../run/ports.js';
import type { AttemptResult } from '../run/result.js';
import type { NotRun, RunResult } from '../run/run-result.js';
import { explanationOf, type ExplanationOptions } from './explanation.js';
import { clip, plainLine } from './plain-text.js';
import { rateSentence } from './rates.js';
import { byExperiment } from './run-report.js';
import { ESTIMATES, summaryTable, type CostColumn } from './summary-table.js';
import { dollars, mark, seconds } from './words.js';

/** How many Attempts are explained below the table. */
const MOST_EXPLAINED = 100;
const COLUMNS = 120;
const PASSING: ReadonlySet<RunEvent['type']> = new Set(['image.progress', 'attempt.started', 'attempt.progress']);

/** What a terminal reporter writes to. */
export interface TerminalOptions {
  readonly write: (text: string) => unknown;
  readonly colors: Colors;
  /** How wide its lines may be. Default: 120 columns. */
  readonly columns?: number;
  /** True: only what lasts is told, since something else shows what goes on. Default: false. */
  readonly onlyLasting?: boolean;
}

/** Tells a run in lines: progress as it happens, a table and the reasons at the end. */
export function createTerminalReporter({ write, colors, columns, onlyLasting = false }: TerminalOptions): (event: RunEvent) => void {
  let planned = 0;
  let done = 0;
  const explained: Explained[] = [];
  const line = (text: string): void => { write(`${text}\n`); };
  return (event) => {
    if (onlyLasting && PASSING.has(event.type)) return;
    switch (event.type) {
      case 'run.started':
        planned = event.planned;
        line(`run ${event.runId}: ${planned} ${planned === 1 ? 'Attempt' : 'Attempts'}`);
        break;
      case 'image.progress':
        line(colors.dim(`  image: ${clip(plainLine(event.line), 160)}`));
        break;
      case 'attempt.started':
        line(colors.dim(`  started  ${plainLine(event.evalId)} by ${plainLine(event.experimentId)}`));
        break;
      case 'attempt.progress': {
        const { message, current, total } = event.progress;
        const count = current === undefined ? '' : ` (${current}${total === undefined ? '' : ` of ${total}`})`;
        line(colors.dim(`  ${plainLine(event.evalId)} by ${plainLine(event.experimentId)}: ${clip(plainLine(message), 160)}${count}`));
        break;
      }
      case 'attempt.finished':
        done += 1;
        line(`  ${mark(event.result.verdict, colors)}  ${plainLine(event.result.evalId)} by ${plainLine(event.result.experimentId)} in ${seconds(event.result.timings.totalMs)} (${done} of ${planned})`);
        if (explained.length < MOST_EXPLAINED) explained.push(...explainedOf(event.result, { colors, columns: columns ?? COLUMNS }));
        break;
      case 'attempt.retrying':
        line(colors.yellow(`  again in ${seconds(event.afterMs)}: ${plainLine(event.evalId)} by ${plainLine(event.experimentId)}, try ${event.try} broke (${event.kind}): ${clip(plainLine(event.message), 160)}`));
        break;
      case 'attempt.reused':
        done += 1;
        line(`  ${mark(event.summary.verdict, colors)}  ${plainLine(event.summary.evalId)} by ${plainLine(event.summary.experimentId)}, taken from an earlier run (${done} of ${planned})`);
        break;
      case 'attempt.not-run':
        done += 1;
        break;
      case 'experiment.progress':
        line(colors.dim(`  ${plainLine(event.experimentId)}: ${clip(plainLine(event.message), 160)}`));
        break;
      case 'run.warning':
        line(colors.yellow(`  warning: ${plainLine(event.message)}`));
        break;
      case 'run.finished':
        write(summaryOf(event.result, { colors, explained }));
        break;
    }
  };
}

/** Why an Attempt came to what it came to, laid out. */
export interface Explained {
  readonly attempt: string;
  readonly lines: readonly string[];
}

/** Nothing where there is nothing to explain. */
export function explainedOf(result: AttemptResult, options: ExplanationOptions): readonly Explained[] {
  const lines = explanationOf(result, options);
  return lines.length === 0 ? [] : [{ attempt: result.id, lines }];
}

/** How a summary is made. */
export interface SummaryOptions {
  readonly colors: Colors;
  readonly explained: readonly Explained[];
  /** Default: what the run itself estimated. */
  readonly cost?: CostColumn;
}

/**
 * The table of a run and, below it, what came of every claim that is not simply true, as far as it was `explained`; then the rates of
 * each experiment and the counts of all.
 */
export function summaryOf(result: Omit<RunResult, 'notRun'> & Partial<Pick<RunResult, 'notRun'>>, { colors, explained, cost = ESTIMATES }: SummaryOptions): string {
  if (result.attempts.length === 0) return ['No Attempt was started.', ...notRunLines(result.notRun)].map((line) => `${line}\n`).join('');
  const lines = [summaryTable(result.attempts, { colors, cost })];
  const byId = new Map(explained.map((explanation) => [explanation.attempt, explanation.lines]));
  for (const attempt of result.attempts) {
    const explanation = byId.get(attempt.id);
    if (explanation !== undefined) lines.push(`${mark(attempt.verdict, colors)}  ${plainLine(attempt.evalId)} by ${plainLine(attempt.experimentId)} (${attempt.index})`, ...explanation);
  }
  const more = result.attempts.filter(({ id, verdict }) => (verdict === 'failed' || verdict === 'errored') && !byId.has(id)).length;
  if (more > 0) lines.push(`${more} more failed or errored: niceeval show ${result.runId}`);
  for (const [experimentId, attempts] of byExperiment(result.attempts)) lines.push(`${plainLine(experimentId)}: ${rateSentence(attempts)}`);
  lines.push(...retriedLines(result.attempts), ...notRunLines(result.notRun));
  const { passed, failed, errored, skipped, infrastructure } = result.counts;
  const broken = infrastructure === 0 ? '' : ` (${infrastructure} by the infrastructure)`;
  lines.push(`${passed} passed, ${failed} failed, ${errored} errored${broken}, ${skipped} skipped in ${seconds(result.durationMs)}${result.interrupted ? ' (interrupted)' : ''}`);
  return `${lines.join('\n')}\n`;
}

/** Money that is in no row of the table. */
function retriedLines(attempts: RunResult['attempts']): readonly string[] {
  const tries = attempts.reduce((sum, { retries = [] }) => sum + retries.length, 0);
  if (tries === 0) return [];
  const known = attempts.flatMap(({ retriesCostUSD }) => retriesCostUSD ?? []);
  const cost = known.length === 0 ? '' : `, which cost ${dollars(known.reduce((sum, usd) => sum + usd, 0))} more by estimate`;
  return [`${tries} ${tries === 1 ? 'try was' : 'tries were'} broken by the infrastructure and begun again${cost}`];
}

/** One line for each reason. */
function notRunLines(notRun: readonly NotRun[] = []): readonly string[] {
  const counts = new Map<string, number>();
  for (const { reason, detail } of notRun) {
    const why = reason === 'enough' ? 'enough Attempts of their evals came before them' : reason === 'early-exit' ? 'early exit: another Attempt of its eval passed, so that its pass rate is not one of independent tries' : detail;
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return [...counts].map(([why, count]) => `${count} not run: ${plainLine(why)}`);
}
