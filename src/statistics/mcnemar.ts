import { checkCount } from './input.js';

/** How many pairs came out differently, and in whose favour. */
export interface DiscordantPairs {
  /** Pairs in which only A passed. */
  readonly onlyA: number;
  /** Pairs in which only B passed. */
  readonly onlyB: number;
}

/** How one completed Attempt came out. */
export interface PairedOutcome {
  readonly evalId: string;
  /** Which Attempt of the eval, as it is told from its repetitions. */
  readonly index: number;
  readonly passed: boolean;
}

/** Attempts of two sides, put together by eval and index. */
export interface OutcomePairs extends DiscordantPairs {
  readonly pairs: number;
  /** Attempts that have nothing to be compared with. */
  readonly unpaired: number;
}

/**
 * The two-sided p-value of McNemar's test, exact: how likely the discordant pairs are divided at least as unevenly when neither side is
 * better, twice the smaller tail of the binomial distribution with probability 1/2 and at most 1 (McNemar 1947; exact form as in
 * Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13:91, 2013). Pairs must be independent: one for each eval.
 * 1 when nothing is discordant.
 *
 * @throws StatisticsInputError when a count is none.
 */
export function mcnemarExact({ onlyA, onlyB }: DiscordantPairs): number {
  checkCount('onlyA', onlyA);
  checkCount('onlyB', onlyB);
  const n = onlyA + onlyB;
  const fewer = Math.min(onlyA, onlyB);
  // C(n, fewer) / 2^n, then down to C(n, 0) / 2^n by quotients: no number is too large, and small tails keep their digits.
  let logOfMost = -n * Math.LN2;
  for (let i = 1; i <= fewer; i += 1) logOfMost += Math.log((n - fewer + i) / i);
  let share = 1;
  let sum = 0;
  for (let i = fewer; i >= 0; i -= 1) {
    sum += share;
    share *= i / (n - i + 1);
  }
  return Math.min(1, 2 * Math.exp(logOfMost) * sum);
}

/**
 * Puts the Attempts of two sides together by eval and index. Several Attempts of one eval are not independent of each other: where
 * there are, `comparePassRates` says more.
 */
export function outcomePairs(a: readonly PairedOutcome[], b: readonly PairedOutcome[]): OutcomePairs {
  const keyOf = ({ evalId, index }: PairedOutcome): string => `${index} ${evalId}`;
  const ofB = new Map(b.map((outcome) => [keyOf(outcome), outcome.passed]));
  const ofA = new Map(a.map((outcome) => [keyOf(outcome), outcome.passed]));
  const both = [...ofA].flatMap(([key, passed]) => {
    const other = ofB.get(key);
    return other === undefined ? [] : [{ a: passed, b: other }];
  });
  return {
    pairs: both.length,
    onlyA: both.filter((pair) => pair.a && !pair.b).length,
    onlyB: both.filter((pair) => pair.b && !pair.a).length,
    unpaired: ofA.size + ofB.size - 2 * both.length,
  };
}
