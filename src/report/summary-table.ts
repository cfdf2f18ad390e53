import Table from 'cli-table3';
import type { Colors } from 'picocolors/types.js';
import { bucketOf } from '../evidence/usage.js';
import { durationSummary, type DurationSummary } from '../statistics/durations.js';
import type { AttemptSummary } from '../run/run-result.js';
import { plainLine } from './plain-text.js';
import { dollars, mark, points, seconds } from './words.js';

/** Where the costs of a table come from. */
export interface CostColumn {
  readonly title: string;
  readonly of: (attempts: readonly AttemptSummary[]) => string;
}

/** What the run itself estimated: for the end of a run, not for reports of records. */
export const ESTIMATES: CostColumn = {
  title: 'cost (est.)',
  of: (attempts) => {
    const known = attempts.flatMap(({ estimatedCostUSD }) => (estimatedCostUSD === undefined ? [] : [estimatedCostUSD]));
    const sum = known.length === 0 ? undefined : known.reduce((total, usd) => total + usd, 0);
    return `${sum !== undefined && known.length < attempts.length ? '>=' : ''}${dollars(sum)}`;
  },
};

/** From more Attempts than these on, a table has a row for each eval and experiment. */
const MOST_ROWS = 40;

/** The Attempts of a run as a table. */
export function summaryTable(attempts: readonly AttemptSummary[], { colors, cost }: { readonly colors: Colors; readonly cost: CostColumn }): string {
  const isLong = attempts.length > MOST_ROWS;
  const head = isLong
    ? ['eval', 'experiment', 'passed', 'failed', 'errored', 'skipped', 'tokens in/out', cost.title, 'median time']
    : ['eval', 'experiment', '#', 'verdict', 'claims', 'tokens in/out', cost.title, 'changes', 'cpu/memory', 'time'];
  const table = new Table({ head, style: { head: [], border: [] } });
  if (isLong) for (const group of groupsOf(attempts)) table.push(groupRow(group, cost));
  else for (const attempt of attempts) table.push(rowOf(attempt, colors, cost));
  return table.toString();
}

function groupsOf(attempts: readonly AttemptSummary[]): Iterable<readonly AttemptSummary[]> {
  const groups = new Map<string, AttemptSummary[]>();
  for (const attempt of attempts) {
    const key = JSON.stringify([attempt.experimentId, attempt.evalId]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [attempt]);
    else group.push(attempt);
  }
  return groups.values();
}

function groupRow(group: readonly AttemptSummary[], cost: CostColumn): string[] {
  const count = (verdict: AttemptSummary['verdict']): string => String(group.filter((attempt) => attempt.verdict === verdict).length);
  const sumOf = (bucket: 'inputTokens' | 'outputTokens'): string => {
    const known = group.flatMap(({ usage }) => bucketOf(usage, bucket) ?? []);
    return known.length === 0 ? '-' : `${known.length < group.length ? '>=' : ''}${known.reduce((sum, tokens) => sum + tokens, 0)}`;
  };
  return [
    plainLine(group[0]?.evalId ?? ''), plainLine(group[0]?.experimentId ?? ''), `${count('passed')}/${group.length}`, count('failed'), count('errored'), count('skipped'),
    `${sumOf('inputTokens')}/${sumOf('outputTokens')}`, cost.of(group), medianText(durationsOf(group)),
  ];
}

/** How long the Attempts took that came to an end by themselves, and those that were cut off. */
export function durationsOf(attempts: readonly AttemptSummary[]): DurationSummary {
  const isCut = ({ timedOut, failure }: AttemptSummary): boolean => timedOut || failure?.kind === 'interrupted';
  const told = attempts.filter((attempt) => isCut(attempt) || attempt.verdict === 'passed' || attempt.verdict === 'failed');
  return durationSummary(told.map((attempt) => ({ value: attempt.durationMs, censored: isCut(attempt) })));
}

/** A median in seconds, and how many were cut off. */
export function medianText({ total, censored, median }: DurationSummary): string {
  if (total === 0) return '-';
  return `${median === undefined ? 'not reached' : seconds(median)}${censored === 0 ? '' : ` (${censored} of ${total} cut off)`}`;
}

function rowOf(attempt: AttemptSummary, colors: Colors, cost: CostColumn): string[] {
  const { claims, usage: { inputTokens, outputTokens } } = attempt;
  return [
    plainLine(attempt.evalId),
    plainLine(attempt.experimentId),
    String(attempt.index),
    `${mark(attempt.verdict, colors)}${attempt.score === undefined ? '' : ` ${points(attempt.score.earned)} of ${points(attempt.score.possible)}`}`,
    claims.total === 0 ? 'no claims' : `${claims.matched}/${claims.decided}`,
    `${inputTokens ?? '-'}/${outputTokens ?? '-'}`,
    cost.of([attempt]),
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
