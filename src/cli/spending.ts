import type { ConfigDefinition } from '../define/config.js';
import { limitsOf, type Limits } from '../define/limits.js';
import type { RunOptions } from '../run/run.js';
import { attemptsForWidth, isNarrowEnough } from '../statistics/width.js';
import type { SpendingFlags } from './run-options.js';

/** What the flags and the configuration come to; a flag wins. */
export function spendingOf(flags: SpendingFlags, config: ConfigDefinition): Pick<RunOptions, 'budget' | 'retries' | 'defaultRetries' | 'maxInfraFailures' | 'earlyExit' | 'isEnough'> {
  const { repeatUntilCi: width } = flags;
  const budget: Limits = {
    ...(config.budget === undefined ? {} : limitsOf(config.budget)),
    ...(flags.budget === undefined ? {} : { usd: flags.budget }),
    ...(flags.budgetTokens === undefined ? {} : { tokens: flags.budgetTokens }),
    ...(flags.budgetRequests === undefined ? {} : { requests: flags.budgetRequests }),
    ...(flags.budgetTime === undefined ? {} : { wallMs: flags.budgetTime }),
  };
  return {
    budget,
    ...(flags.retries === undefined ? {} : { retries: flags.retries }),
    ...(config.retries === undefined ? {} : { defaultRetries: config.retries }),
    ...(flags.maxInfraFailures === undefined ? {} : { maxInfraFailures: flags.maxInfraFailures }),
    ...(width === undefined ? {} : { isEnough: ({ passed, failed }) => isNarrowEnough({ passed, total: passed + failed, width }) }),
    ...(flags.earlyExit === undefined ? {} : { earlyExit: flags.earlyExit }),
  };
}

/** So many Attempts of each eval are planned: what is said, else so many as are enough however they come out. `undefined`: what experiments say. */
export function plannedAttempts({ attempts, repeatUntilCi: width }: SpendingFlags & { readonly attempts?: number }): number | undefined {
  return attempts ?? (width === undefined ? undefined : attemptsForWidth({ passed: 0, total: 0, width }));
}
