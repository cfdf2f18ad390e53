import type { RateComparison } from '../../statistics/compare.js';
import { moreAttemptsNeeded } from '../../statistics/sample-size.js';
import type { PairedTest } from './comparison.js';
import type { SideFacts } from './side.js';

interface Compared {
  readonly a: SideFacts;
  readonly b: SideFacts;
  readonly passRate: RateComparison;
  readonly pairs?: PairedTest;
  readonly level: number;
}

/** What can be said of the pass rates of two sides, and no more. B is told by what it does compared with A. */
export function conclusionOf({ a, b, passRate, pairs, level }: Compared): string {
  const { difference, interval, evals } = passRate;
  if (difference === undefined) return 'Nothing can be compared: no eval was completed on both sides.';
  const over = `over ${evals} ${evals === 1 ? 'eval' : 'evals'}`;
  const seen = `${moreOrLess(difference)} ${over}`;
  if (interval !== undefined) {
    const range = `${levelText(level)} interval ${signedPoints(interval.low)} to ${signedPoints(interval.high)}`;
    if (interval.low > 0 || interval.high < 0) return `${moreOrLess(difference)} ${over}; ${range}.`;
    return `These cannot be told apart: ${lower(seen)}, ${range}${moreText(a, b, level)}.`;
  }
  const why = evals < 10 ? `fewer than ten evals are too few for an interval` : 'all evals differ alike, which gives no interval';
  if (pairs?.pValue !== undefined && pairs.independent && pairs.pValue < 1 - level) {
    return `${seen}; the exact test of pairs says p = ${pairs.pValue.toPrecision(2)} (${why}).`;
  }
  return `These cannot be told apart: ${lower(seen)}, and ${why}${moreText(a, b, level)}.`;
}

function moreText(a: SideFacts, b: SideFacts, level: number): string {
  const { rates: { ofCompleted: ofA } } = a;
  const { rates: { ofCompleted: ofB } } = b;
  const more = moreAttemptsNeeded(ofA, ofB, { level });
  if (more === undefined) return '; the rates are the same, so no number of Attempts can be named that would tell them apart';
  const most = Math.max(more.a, more.b);
  // So many Attempts would have done, had they been independent: they are not, or evals differ much.
  if (most === 0) return '; more evals are needed, not more Attempts of the same';
  return `; about ${most} more ${most === 1 ? 'Attempt' : 'Attempts'} per side ${most === 1 ? 'is' : 'are'} needed, were the rates seen the true ones`;
}

function moreOrLess(difference: number): string {
  if (difference === 0) return 'Both pass alike';
  const points = pointsText(Math.abs(difference));
  return `B passes ${points} ${points === '1' ? 'point' : 'points'} ${difference > 0 ? 'more' : 'less'}`;
}

function lower(text: string): string {
  return text.startsWith('Both') ? `b${text.slice(1)}` : text;
}

function signedPoints(share: number): string {
  return `${share < 0 ? '-' : ''}${pointsText(Math.abs(share))}`;
}

/** Percentage points, whole but where they would look like none. */
export function pointsText(share: number): string {
  const points = 100 * share;
  return points > 0 && points < 0.95 ? String(Number(points.toFixed(1))) : String(Math.round(points));
}

export function levelText(level: number): string {
  return `${Number((100 * level).toFixed(2))} %`;
}
