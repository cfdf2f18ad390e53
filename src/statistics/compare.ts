import { clusterBootstrap, type BootstrapMean, type BootstrapOptions } from './bootstrap.js';
import { StatisticsInputError } from './errors.js';
import type { EvalTally } from './flakes.js';
import { checkCount } from './input.js';
import { mcnemarExact, type DiscordantPairs } from './mcnemar.js';

/** One number of an eval on one side: a cost, tokens, the median of its durations. */
export interface EvalNumber {
  readonly evalId: string;
  /** Absent: not known. */
  readonly value?: number;
  /** True: cut off, so that the number is larger than `value`. Default: false. */
  readonly censored?: boolean;
}

/** How side B differs from side A, over the evals that both have. */
export interface Comparison extends Omit<BootstrapMean, 'clusters' | 'mean' | 'interval'> {
  /** How many evals are compared. */
  readonly evals: number;
  /** Means over those evals, each of which counts the same. Absent, as the difference: no eval is on both sides. */
  readonly meanA?: number;
  readonly meanB?: number;
  /** `meanB - meanA`: above 0, B has more. */
  readonly difference?: number;
  /** Of the difference, by `clusterBootstrap`, which says when there is none. */
  readonly interval?: BootstrapMean['interval'];
  /** Evals that only one side has. */
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
  /** Evals that both sides have but that say nothing on one: no completed Attempt, a number that is not known or was cut off. */
  readonly unusable: readonly string[];
}

/** How the pass rates of side B differ from those of side A. */
export interface RateComparison extends Comparison {
  /** McNemar's exact test. Absent: some eval has more than one completed Attempt on a side, or nothing is compared. */
  readonly mcnemar?: DiscordantPairs & { readonly pValue: number };
}

/**
 * Compares pass rates of completed Attempts eval by eval: the mean of the evals' own rates on each side, and the interval of their
 * difference by resampling evals (`clusterBootstrap`). An eval counts once however often it was tried.
 *
 * @throws StatisticsInputError when a count is none or an eval is twice on one side.
 */
export function comparePassRates(a: readonly EvalTally[], b: readonly EvalTally[], options: BootstrapOptions = {}): RateComparison {
  const pairing = pairsOf(a, b, rateOf);
  const single = pairing.pairs.every((pair) => completedIn(pair.a) === 1 && completedIn(pair.b) === 1);
  const compared = comparisonOf(pairing, options);
  if (!single || pairing.pairs.length === 0) return compared;
  const onlyA = pairing.pairs.filter((pair) => pair.a.passed > pair.b.passed).length;
  const onlyB = pairing.pairs.filter((pair) => pair.b.passed > pair.a.passed).length;
  return { ...compared, mcnemar: { onlyA, onlyB, pValue: mcnemarExact({ onlyA, onlyB }) } };
}

/**
 * Compares one number of each eval in the same way, where both sides know it and neither was cut off.
 *
 * @throws StatisticsInputError when a number is not finite or an eval is twice on one side.
 */
export function compareNumbers(a: readonly EvalNumber[], b: readonly EvalNumber[], options: BootstrapOptions = {}): Comparison {
  return comparisonOf(pairsOf(a, b, ({ value, censored }) => (censored === true ? undefined : value)), options);
}

interface Pair<Side> {
  readonly a: Side;
  readonly b: Side;
  readonly valueA: number;
  readonly valueB: number;
}

interface Pairing<Side> extends Pick<Comparison, 'onlyA' | 'onlyB' | 'unusable'> {
  readonly pairs: readonly Pair<Side>[];
}

function pairsOf<Side extends { readonly evalId: string }>(a: readonly Side[], b: readonly Side[], valueOf: (side: Side) => number | undefined): Pairing<Side> {
  const ofA = byEval(a, 'A');
  const ofB = byEval(b, 'B');
  const pairs: Pair<Side>[] = [];
  const unusable: string[] = [];
  for (const [evalId, sideA] of ofA) {
    const sideB = ofB.get(evalId);
    if (sideB === undefined) continue;
    const valueA = valueOf(sideA);
    const valueB = valueOf(sideB);
    if (valueA === undefined || valueB === undefined) unusable.push(evalId);
    else pairs.push({ a: sideA, b: sideB, valueA, valueB });
  }
  return { pairs, unusable, onlyA: [...ofA.keys()].filter((id) => !ofB.has(id)), onlyB: [...ofB.keys()].filter((id) => !ofA.has(id)) };
}

/** In the order of their ids, so that the same evals are resampled alike however they are listed. */
function byEval<Side extends { readonly evalId: string }>(sides: readonly Side[], name: string): ReadonlyMap<string, Side> {
  const found = new Map<string, Side>();
  for (const side of [...sides].sort((one, other) => (one.evalId < other.evalId ? -1 : 1))) {
    if (found.has(side.evalId)) throw new StatisticsInputError(`The eval "${side.evalId}" is twice on side ${name}. Add its counts up first.`);
    found.set(side.evalId, side);
  }
  return found;
}

function comparisonOf<Side>({ pairs, ...lists }: Pairing<Side>, options: BootstrapOptions): Comparison {
  const { clusters, mean: difference, ...told } = clusterBootstrap(pairs.map(({ valueA, valueB }) => valueB - valueA), options);
  const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    evals: clusters,
    ...(difference === undefined ? {} : { meanA: meanOf(pairs.map(({ valueA }) => valueA)), meanB: meanOf(pairs.map(({ valueB }) => valueB)), difference }),
    ...told,
    ...lists,
  };
}

function completedIn({ passed, failed }: EvalTally): number {
  return passed + failed;
}

function rateOf(tally: EvalTally): number | undefined {
  checkCount('passed', tally.passed);
  checkCount('failed', tally.failed);
  return completedIn(tally) === 0 ? undefined : tally.passed / completedIn(tally);
}
