import { checkCount } from './input.js';

/** How the completed Attempts of one eval came out. Errored and skipped Attempts are in neither number. */
export interface EvalTally {
  readonly evalId: string;
  readonly passed: number;
  readonly failed: number;
}

/** How many evals do not always come out alike. */
export interface FlakeRate {
  /** The evals that both passed and failed, in the order they were given. */
  readonly flaky: readonly string[];
  /** Evals with at least two completed Attempts; of the others nobody can tell. */
  readonly repeated: number;
  /** `flaky` of `repeated`, 0 to 1. Absent: nothing was repeated. */
  readonly rate?: number;
}

/** True when an eval both passed and failed under the same experiment. `undefined`: it has fewer than two completed Attempts. */
export function isFlaky({ passed, failed }: Pick<EvalTally, 'passed' | 'failed'>): boolean | undefined {
  checkCount('passed', passed);
  checkCount('failed', failed);
  return passed + failed < 2 ? undefined : passed > 0 && failed > 0;
}

/**
 * The share of flaky evals: of the evals with at least two completed (passed or failed) Attempts, those with at least one of each. It
 * grows with the number of repetitions and is a lower bound: an eval that passes 9 times of 10 passes twice in a row more often than not.
 *
 * @throws StatisticsInputError when a count is none.
 */
export function flakeRate(tallies: readonly EvalTally[]): FlakeRate {
  const repeated = tallies.filter((tally) => isFlaky(tally) !== undefined);
  const flaky = repeated.filter((tally) => isFlaky(tally)).map(({ evalId }) => evalId);
  return { flaky, repeated: repeated.length, ...(repeated.length === 0 ? {} : { rate: flaky.length / repeated.length }) };
}
