import Table from 'cli-table3';
import type { Colors } from 'picocolors/types.js';
import type { RunEvent } from '../run/ports.js';
import type { AttemptResult } from '../run/result.js';
import type { AttemptSummary, NotRun, RunResult } from '../run/run-result.js';
import type { Verdict } from '../verdict/verdict.js';
import { explanationOf, type ExplanationOptions } from './explanation.js';
import { clip, plainLine } from './plain-text.js';

/** How many Attempts are explained below the table. */
const MOST_EXPLAINED = 100;
const COLUMNS = 120;

/** What a terminal reporter writes to. */
export interface TerminalOptions {
  readonly write: (text: string) => unknown;
  readonly colors: Colors;
  /** How wide its lines may be. Default: 120 columns. */
  readonly columns?: number;
}

/** Tells a run in lines: progress as it happens, a table and the reasons at the end. */
export function createTerminalReporter({ write, colors, columns }: TerminalOptions): (event: RunEvent) => void {
  let planned = 0;
  let done = 0;
  const explained: Explained[] = [];
  const line = (text: string): void => { write(`${text}\n`); };
  return (event) => {
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

/** The table of a run and, below it, what came of every claim that is not simply true, as far as it was `explained`. */
export function summaryOf(result: Omit<RunResult, 'notRun'> & Partial<Pick<RunResult, 'notRun'>>, { colors, explained }: { readonly colors: Colors; readonly explained: readonly Explained[] }): string {
  if (result.attempts.length === 0) return ['No Attempt was started.', ...notRunLines(result.notRun)].map((line) => `${line}\n`).join('');
  const table = new Table({ head: ['eval', 'experiment', '#', 'verdict', 'claims', 'tokens in/out', 'cost (est.)', 'changes', 'cpu/memory', 'time'], style: { head: [], border: [] } });
  for (const attempt of result.attempts) table.push(rowOf(attempt, colors));
  const lines = [table.toString()];
  const byId = new Map(explained.map((explanation) => [explanation.attempt, explanation.lines]));
  for (const attempt of result.attempts) {
    const explanation = byId.get(attempt.id);
    if (explanation !== undefined) lines.push(`${mark(attempt.verdict, colors)}  ${plainLine(attempt.evalId)} by ${plainLine(attempt.experimentId)} (${attempt.index})`, ...explanation);
  }
  const more = result.attempts.filter(({ id, verdict }) => (verdict === 'failed' || verdict === 'errored') && !byId.has(id)).length;
  if (more > 0) lines.push(`${more} more failed or errored: niceeval show ${result.runId}`);
  lines.push(...notRunLines(result.notRun));
  const { passed, failed, errored, skipped, infrastructure } = result.counts;
  const broken = infrastructure === 0 ? '' : ` (${infrastructure} by the infrastructure)`;
  lines.push(`${passed} passed, ${failed} failed, ${errored} errored${broken}, ${skipped} skipped in ${seconds(result.durationMs)}${result.interrupted ? ' (interrupted)' : ''}`);
  return `${lines.join('\n')}\n`;
}

/** One line for each reason. */
function notRunLines(notRun: readonly NotRun[] = []): readonly string[] {
  const counts = new Map<string, number>();
  for (const { reason, detail } of notRun) {
    const why = reason === 'early-exit' ? 'early exit: another Attempt of its eval passed, so that its pass rate is not one of independent tries' : detail;
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return [...counts].map(([why, count]) => `${count} not run: ${plainLine(why)}`);
}

function rowOf(attempt: AttemptSummary, colors: Colors): string[] {
  const { claims, usage: { inputTokens, outputTokens } } = attempt;
  return [
    plainLine(attempt.evalId),
    plainLine(attempt.experimentId),
    String(attempt.index),
    `${mark(attempt.verdict, colors)}${attempt.score === undefined ? '' : ` ${points(attempt.score.earned)} of ${points(attempt.score.possible)}`}`,
    claims.total === 0 ? 'no claims' : `${claims.matched}/${claims.decided}`,
    `${inputTokens ?? '-'}/${outputTokens ?? '-'}`,
    dollars(attempt.estimatedCostUSD),
    attempt.changedPaths === undefined ? '-' : String(attempt.changedPaths),
    usedBy(attempt),
    seconds(attempt.durationMs),
  ];
}

/** CPU seconds of all cores, and the most memory. A dash stands for what could not be read. */
function usedBy({ resources: { cpuSeconds, peakMemoryBytes } = {} }: AttemptSummary): string {
  if (cpuSeconds === undefined && peakMemoryBytes === undefined) return '-';
  return `${cpuSeconds === undefined ? '-' : `${cpuSeconds.toFixed(1)} s`}/${peakMemoryBytes === undefined ? '-' : `${Math.round(peakMemoryBytes / 1024 ** 2)} MiB`}`;
}

/** A verdict in its colour. */
export function mark(verdict: Verdict, colors: Colors): string {
  switch (verdict) {
    case 'passed': return colors.green('passed');
    case 'failed': return colors.red('failed');
    case 'errored': return colors.magenta('errored');
    case 'skipped': return colors.yellow('skipped');
  }
}

/** Points without the noise of adding binary fractions. */
export function points(number: number): string {
  return String(Number(number.toFixed(2)));
}

/** Small sums keep their first digits, so that a paid Attempt never looks free. */
export function dollars(usd: number | undefined): string {
  if (usd === undefined) return '-';
  return usd === 0 || usd >= 0.01 ? `$${usd.toFixed(2)}` : `$${Number(usd.toPrecision(2)).toFixed(Math.min(20, 1 - Math.floor(Math.log10(usd))))}`;
}

/** A duration, to a tenth. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
