import { passAtK, passPowerK } from '../statistics/pass-at-k.js';
import { passRates, type PassRate, type PassRates } from '../statistics/pass-rates.js';
import type { EvalTally } from '../statistics/flakes.js';
import type { AttemptSummary } from '../run/run-result.js';

/** The little of an Attempt that rates are made of. */
export type Counted = Pick<AttemptSummary, 'evalId' | 'experimentId' | 'verdict' | 'failure' | 'claims'>;

export function ratesOf(attempts: readonly Pick<Counted, 'verdict'>[], level?: number): PassRates {
  const count = (verdict: Counted['verdict']): number => attempts.filter((attempt) => attempt.verdict === verdict).length;
  return passRates({ passed: count('passed'), failed: count('failed'), errored: count('errored') }, level);
}

/** How the completed Attempts of each eval came out, in the order of their first Attempts. An eval without any has zeros. */
export function talliesOf(attempts: readonly Pick<Counted, 'evalId' | 'verdict'>[]): readonly EvalTally[] {
  const tallies = new Map<string, { readonly evalId: string; passed: number; failed: number }>();
  for (const { evalId, verdict } of attempts) {
    const tally = tallies.get(evalId) ?? { evalId, passed: 0, failed: 0 };
    tallies.set(evalId, tally);
    if (verdict === 'passed' || verdict === 'failed') tally[verdict] += 1;
  }
  return [...tallies.values()];
}

/** A share of 0 to 1 in whole percent, but never 0 or 100 for what is not. */
export function percent(share: number): string {
  const rounded = Math.round(100 * share);
  if (rounded === 0 && share > 0) return '<1';
  return rounded === 100 && share < 1 ? '>99' : String(rounded);
}

/** `75 %, 95 % interval 30 to 95 %`; of nothing, a dash. */
export function shareText({ rate, interval }: PassRate, level = 0.95): string {
  if (rate === undefined || interval === undefined) return '-';
  return `${percent(rate)} %, ${Number((100 * level).toFixed(2))} % interval ${percent(interval.low)} to ${percent(interval.high)} %`;
}

/** What the Attempts of one experiment came to, in a sentence. */
export function rateSentence(attempts: readonly Counted[]): string {
  const { ofCompleted, ofAll } = ratesOf(attempts);
  const errored = ofAll.total - ofCompleted.total;
  const broken = attempts.filter(({ failure }) => failure?.infrastructure === true).length;
  const unclaimed = attempts.filter(({ verdict, claims }) => verdict === 'passed' && claims.total === 0).length;
  const skipped = attempts.length - ofAll.total;
  const rates = [
    ofCompleted.total === 0 ? 'none completed' : `${ofCompleted.passed} of ${ofCompleted.total} completed passed (${shareText(ofCompleted)})`,
    ...(errored === 0 ? [] : [`${ofAll.passed} of ${ofAll.total} of all (${shareText(ofAll)})`]),
  ];
  return [
    ofAll.total === 0 ? 'nothing to rate' : rates.join(', '),
    ...(errored === 0 ? [] : [brokenText(errored, broken)]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ...(unclaimed === 0 ? [] : [`${unclaimed} passed without any claim`]),
    ...triesText(attempts),
  ].join('; ');
}

function brokenText(errored: number, broken: number): string {
  if (broken === 0) return `${errored} errored`;
  return broken === errored ? `${broken} broken by the infrastructure` : `${errored} errored, ${broken} of them broken by the infrastructure`;
}

/** Means over the evals, for as many tries as every eval that was completed at all has. */
function triesText(attempts: readonly Counted[]): readonly string[] {
  const tallies = talliesOf(attempts).filter(({ passed, failed }) => passed + failed > 0);
  const k = tallies.reduce((least, { passed, failed }) => Math.min(least, passed + failed), Infinity);
  if (!Number.isFinite(k) || k < 2) return [];
  const meanOf = (chanceOf: typeof passAtK): string => percent(tallies.reduce((sum, { passed, failed }) => sum + (chanceOf({ passed, total: passed + failed, k }) ?? 0), 0) / tallies.length);
  return [`pass@${k} ${meanOf(passAtK)} %, pass^${k} ${meanOf(passPowerK)} % over ${tallies.length} ${tallies.length === 1 ? 'eval' : 'evals'}`];
}
