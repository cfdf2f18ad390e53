import { checkCount } from './input.js';
import { DEFAULT_LEVEL, wilsonInterval, type Interval } from './wilson.js';

/** How many Attempts came to what. Skipped Attempts are in no rate. */
export interface VerdictCounts {
  readonly passed: number;
  readonly failed: number;
  readonly errored: number;
}

/** A share of Attempts that passed, with what it is a share of. */
export interface PassRate {
  readonly passed: number;
  readonly total: number;
  /** 0 to 1. Absent, as the interval: there are none to speak of. */
  readonly rate?: number;
  /** The Wilson interval. */
  readonly interval?: Interval;
}

/** One number of passes over both denominators. */
export interface PassRates {
  /** passed / (passed + failed): of what the agent did when nothing around it broke. */
  readonly ofCompleted: PassRate;
  /** passed / (passed + failed + errored): of everything that was tried; an error counts like a failure. */
  readonly ofAll: PassRate;
}

/**
 * The pass rate of completed Attempts and that of all.
 *
 * @param level Of the intervals. Default: 0.95.
 * @throws StatisticsInputError when a count or the level is none.
 */
export function passRates({ passed, failed, errored }: VerdictCounts, level: number = DEFAULT_LEVEL): PassRates {
  checkCount('passed', passed);
  checkCount('failed', failed);
  checkCount('errored', errored);
  return { ofCompleted: rateOf(passed, passed + failed, level), ofAll: rateOf(passed, passed + failed + errored, level) };
}

function rateOf(passed: number, total: number, level: number): PassRate {
  const interval = wilsonInterval({ passed, total, level });
  return interval === undefined ? { passed, total } : { passed, total, rate: passed / total, interval };
}
