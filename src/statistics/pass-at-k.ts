import { checkCount, checkPassed } from './input.js';

/** How many of how many Attempts passed, and how many tries are asked about. */
export interface Tries {
  readonly passed: number;
  readonly total: number;
  /** From 1. */
  readonly k: number;
}

/**
 * The probability that at least one of `k` Attempts passes, estimated without bias: `1 - C(total - passed, k) / C(total, k)`, Chen et
 * al., "Evaluating Large Language Models Trained on Code" (2021), section 2.1. `undefined`: there are fewer Attempts than `k`.
 *
 * @throws StatisticsInputError when the counts are none.
 */
export function passAtK({ passed, total, k }: Tries): number | undefined {
  if (!canTell(passed, total, k)) return undefined;
  if (total - passed < k) return 1;
  // The quotient as a product of 1 - k / i, its logarithms added up so that small probabilities keep their digits.
  let logOfNone = 0;
  for (let i = total - passed + 1; i <= total; i += 1) logOfNone += Math.log1p(-k / i);
  return passed === 0 ? 0 : -Math.expm1(logOfNone);
}

/**
 * The probability that all of `k` Attempts pass (pass^k), estimated without bias: `C(passed, k) / C(total, k)`, Yao et al.,
 * "tau-bench" (2024), section 3. `undefined`: there are fewer Attempts than `k`.
 *
 * @throws StatisticsInputError when the counts are none.
 */
export function passPowerK({ passed, total, k }: Tries): number | undefined {
  if (!canTell(passed, total, k)) return undefined;
  if (passed < k) return 0;
  let product = 1;
  for (let i = 0; i < k; i += 1) product *= (passed - i) / (total - i);
  return product;
}

function canTell(passed: number, total: number, k: number): boolean {
  checkPassed(passed, total);
  checkCount('k', k, 1);
  return k <= total;
}
