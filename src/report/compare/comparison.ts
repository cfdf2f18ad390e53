import { compareNumbers, comparePassRates, type Comparison, type RateComparison } from '../../statistics/compare.js';
import { mcnemarExact, outcomePairs, type OutcomePairs, type PairedOutcome } from '../../statistics/mcnemar.js';
import type { AttemptSummary } from '../../run/run-result.js';
import type { PricingProfile } from '../pricing/profile.js';
import { talliesOf } from '../rates.js';
import { evalDurations, evalNumbers, isCompleted, sideFactsOf, type ComparedSide, type SideFacts } from './side.js';
import { conclusionOf } from './conclusion.js';

/** An eval whose pass rates differ. */
export interface EvalChange {
  readonly evalId: string;
  readonly a: { readonly passed: number; readonly completed: number };
  readonly b: { readonly passed: number; readonly completed: number };
  /** Rate of B less that of A, -1 to 1. */
  readonly change: number;
}

/** McNemar's exact test over the Attempts of two sides, paired by eval and index. */
export interface PairedTest extends OutcomePairs {
  /** Absent: there are no pairs. */
  readonly pValue?: number;
  /** False: some eval has several pairs, which are alike, so that `pValue` is smaller than it should be. */
  readonly independent: boolean;
}

/** How B differs from A. */
export interface SideComparison {
  readonly level: number;
  /** The name of the profile. */
  readonly pricing: string;
  readonly a: SideFacts;
  readonly b: SideFacts;
  readonly passRate: RateComparison;
  /** Absent: the sides have different experiments of which one has several, so that nothing says which Attempts belong together. */
  readonly pairs?: PairedTest;
  /** Medians of the evals. */
  readonly durationMs: Comparison;
  readonly inputTokens: Comparison;
  readonly outputTokens: Comparison;
  readonly costUSD: Comparison;
  /** Only evals that differ, the worse first. */
  readonly changes: readonly EvalChange[];
  /** What can be said, in a sentence. */
  readonly conclusion: string;
}

/** Compares two sides over the evals that both have. `level`: of all intervals. */
export function compareSides(a: ComparedSide, b: ComparedSide, { level, pricing }: { readonly level: number; readonly pricing: PricingProfile }): SideComparison {
  const tallies = { a: talliesOf(a.attempts), b: talliesOf(b.attempts) };
  const passRate = comparePassRates(tallies.a, tallies.b, { level });
  const pairs = pairsOf(a.attempts, b.attempts);
  const facts = { a: sideFactsOf(a, { level, pricing }), b: sideFactsOf(b, { level, pricing }) };
  const numbers = (measure: Parameters<typeof evalNumbers>[1]): Comparison => compareNumbers(evalNumbers(a.attempts, measure, pricing), evalNumbers(b.attempts, measure, pricing), { level });
  return {
    level,
    pricing: pricing.name,
    ...facts,
    passRate,
    ...(pairs === undefined ? {} : { pairs }),
    durationMs: compareNumbers(evalDurations(a.attempts), evalDurations(b.attempts), { level }),
    inputTokens: numbers('inputTokens'),
    outputTokens: numbers('outputTokens'),
    costUSD: numbers('costUSD'),
    changes: changesOf(tallies.a, tallies.b),
    conclusion: conclusionOf({ a: facts.a, b: facts.b, passRate, ...(pairs === undefined ? {} : { pairs }), level }),
  };
}

function pairsOf(a: readonly AttemptSummary[], b: readonly AttemptSummary[]): PairedTest | undefined {
  const experiments = (attempts: readonly AttemptSummary[]): readonly string[] => [...new Set(attempts.map(({ experimentId }) => experimentId))].sort();
  const [ofA, ofB] = [experiments(a), experiments(b)];
  const single = ofA.length <= 1 && ofB.length <= 1;
  if (!single && JSON.stringify(ofA) !== JSON.stringify(ofB)) return undefined;
  const outcomes = (attempts: readonly AttemptSummary[]): readonly PairedOutcome[] => attempts.filter(isCompleted).map(({ evalId, experimentId, index, verdict }) => (
    { evalId: single ? evalId : JSON.stringify([evalId, experimentId]), index, passed: verdict === 'passed' }));
  const found = outcomePairs(outcomes(a), outcomes(b));
  // Pairs of one eval are no independent draws.
  const ofOther = new Set(outcomes(b).map(({ evalId, index }) => JSON.stringify([evalId, index])));
  const paired = outcomes(a).filter(({ evalId, index }) => ofOther.has(JSON.stringify([evalId, index]))).map(({ evalId }) => evalId);
  return { ...found, independent: new Set(paired).size === paired.length, ...(found.pairs === 0 ? {} : { pValue: mcnemarExact(found) }) };
}

function changesOf(a: ReturnType<typeof talliesOf>, b: ReturnType<typeof talliesOf>): readonly EvalChange[] {
  const ofB = new Map(b.map((tally) => [tally.evalId, tally]));
  const changes = a.flatMap((one): readonly EvalChange[] => {
    const other = ofB.get(one.evalId);
    const [completed, completedB] = [one.passed + one.failed, other === undefined ? 0 : other.passed + other.failed];
    if (other === undefined || completed === 0 || completedB === 0) return [];
    const change = other.passed / completedB - one.passed / completed;
    return change === 0 ? [] : [{ evalId: one.evalId, a: { passed: one.passed, completed }, b: { passed: other.passed, completed: completedB }, change }];
  });
  return changes.sort((one, other) => one.change - other.change || (one.evalId < other.evalId ? -1 : 1));
}
