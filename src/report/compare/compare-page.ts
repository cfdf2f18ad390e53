import type { Comparison } from '../../statistics/compare.js';
import type { KnownValues } from '../../statistics/known-values.js';
import type { PassRate } from '../../statistics/pass-rates.js';
import { inColumns } from '../columns.js';
import { plainLine } from '../plain-text.js';
import { percent } from '../rates.js';
import { medianText } from '../summary-table.js';
import { dollars, seconds } from '../words.js';
import { levelText, pointsText } from './conclusion.js';
import type { EvalChange, SideComparison } from './comparison.js';
import type { SideFacts } from './side.js';

const MOST_NAMED = 20;

/** A comparison for people: both sides, what differs, what can be said. */
export function comparePage(comparison: SideComparison): string {
  const { a, b, passRate, durationMs, inputTokens, outputTokens, costUSD, changes, pairs, level } = comparison;
  const unchanged = passRate.evals - changes.length;
  return [
    inColumns([['A', ...headCells(a)], ['B', ...headCells(b)]]),
    ...[['A', a] as const, ['B', b] as const].flatMap(([side, { remarks }]) => remarks.map((remark) => `${side}: ${plainLine(remark)}\n`)),
    '\n',
    inColumns([
      ['', 'A', 'B', 'B less A, eval by eval'],
      ['passed of completed', rateCell(a.rates.ofCompleted), rateCell(b.rates.ofCompleted), differenceCell(passRate, pointsText, ' points')],
      ['passed of all', rateCell(a.rates.ofAll), rateCell(b.rates.ofAll), ''],
      ['errored', erroredCell(a), erroredCell(b), ''],
      ['flaky evals', flakeCell(a), flakeCell(b), ''],
      ['median time', medianText(a.durationMs), medianText(b.durationMs), differenceCell(durationMs, seconds)],
      ['median input tokens', knownCell(a.inputTokens, tokens), knownCell(b.inputTokens, tokens), differenceCell(inputTokens, tokens)],
      ['median output tokens', knownCell(a.outputTokens, tokens), knownCell(b.outputTokens, tokens), differenceCell(outputTokens, tokens)],
      ['median cost', knownCell(a.costUSD, dollars), knownCell(b.costUSD, dollars), differenceCell(costUSD, dollars)],
    ]),
    `Intervals are of ${levelText(level)}; costs by ${plainLine(comparison.pricing)}.\n`,
    ...(pairs === undefined ? ['No pairs: the sides have different experiments, of which one has several.\n'] : [pairsLine(pairs)]),
    ...(changes.length === 0 ? [] : ['\nEvals that differ, worse first:\n', inColumns(changes.map(changeRow))]),
    changes.length === 0 ? `No eval differs of the ${passRate.evals} that both sides completed.\n` : `${unchanged} more ${unchanged === 1 ? 'does' : 'do'} not differ.\n`,
    namesLine('only in A', passRate.onlyA), namesLine('only in B', passRate.onlyB), namesLine('without a completed Attempt on a side', passRate.unusable),
    `\n${comparison.conclusion}\n`,
  ].join('');
}

function headCells({ name, agents, models, sandbox, attempts, evals, experiments, skipped }: SideFacts): readonly string[] {
  return [
    name,
    `${agents.join(', ')}${models.length === 0 ? '' : ` (${models.join(', ')})`}`,
    `${attempts} Attempts at ${evals} evals by ${experiments.length === 1 ? experiments[0] ?? '' : `${experiments.length} experiments`}${skipped === 0 ? '' : `, ${skipped} skipped`}`,
    sandbox ?? '',
  ];
}

function rateCell({ passed, total, rate, interval }: PassRate): string {
  return rate === undefined || interval === undefined ? '-' : `${passed} of ${total}: ${percent(rate)} % (${percent(interval.low)} to ${percent(interval.high)})`;
}

function erroredCell({ errored, infrastructure }: SideFacts): string {
  const kinds = Object.entries(infrastructure).sort();
  if (kinds.length === 0) return String(errored);
  return `${errored} (infrastructure: ${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')})`;
}

function flakeCell({ flakes: { flaky, repeated } }: SideFacts): string {
  return repeated === 0 ? '-' : `${flaky.length} of ${repeated} repeated`;
}

function knownCell({ median, known, total }: KnownValues, text: (value: number) => string): string {
  return median === undefined ? '-' : `${text(median)}${known === total ? '' : ` (${known} of ${total} known)`}`;
}

function differenceCell({ difference, interval, evals }: Comparison, text: (value: number) => string, unit = ''): string {
  if (difference === undefined) return '-';
  const signed = (value: number): string => `${value < 0 ? '-' : value > 0 ? '+' : ''}${text(Math.abs(value))}`;
  return `${signed(difference)}${unit}${interval === undefined ? '' : ` (${signed(interval.low)} to ${signed(interval.high)})`}, ${evals} ${evals === 1 ? 'eval' : 'evals'}`;
}

function pairsLine({ pairs, onlyA, onlyB, pValue, independent }: NonNullable<SideComparison['pairs']>): string {
  if (pValue === undefined) return 'No pairs: no Attempt was completed on both sides.\n';
  const doubt = independent ? '' : ' (too small: Attempts of one eval are alike)';
  return `${pairs} ${pairs === 1 ? 'pair' : 'pairs'} by eval and index: ${onlyA} passed only in A, ${onlyB} only in B; McNemar's exact p = ${pValue === 1 ? '1' : pValue.toPrecision(2)}${doubt}.\n`;
}

function changeRow({ evalId, a, b, change }: EvalChange): readonly string[] {
  return [`  ${evalId}`, `${a.passed}/${a.completed}`, `${b.passed}/${b.completed}`, `${change < 0 ? '-' : '+'}${pointsText(Math.abs(change))} points`];
}

function namesLine(what: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${what} (${names.length}): ${names.slice(0, MOST_NAMED).map(plainLine).join(', ')}${more}\n`;
}

function tokens(count: number): string {
  return String(Math.round(count));
}
