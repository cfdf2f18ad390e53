import { InvalidArgumentError, type Command } from 'commander';
import type { ConfigDefinition } from '../define/config.js';
import { limitsOf, type Limits } from '../define/limits.js';
import type { RunOptions } from '../run/run.js';
import { countFrom0, wholeNumber } from './option-values.js';

/** Options of `niceeval run` about what may be spent and what is done about failures, as commander hands them over. */
export interface SpendingFlags {
  readonly retries?: number;
  readonly maxInfraFailures?: number;
  readonly budget?: number;
  readonly budgetTokens?: number;
  readonly budgetRequests?: number;
  readonly budgetTime?: number;
  readonly earlyExit?: boolean;
  readonly buildConcurrency?: number;
}

/** Adds the options to a command. */
export function addSpendingOptions(command: Command): Command {
  return command
    .option('--budget <usd>', 'US dollars, by the price list, that the run may spend; then nothing more is begun', dollars)
    .option('--budget-tokens <n>', 'input and output tokens that the run may spend', wholeNumber)
    .option('--budget-requests <n>', 'requests to models that the run may make', wholeNumber)
    .option('--budget-time <ms>', 'milliseconds after which nothing more is begun', wholeNumber)
    .option('--retries <n>', 'how often an Attempt that the infrastructure broke is begun again (default: 2)', countFrom0)
    .option('--max-infra-failures <n>', 'with more Attempts than that broken by the infrastructure nothing more is begun', countFrom0)
    .option('--early-exit', 'after one passed Attempt of an eval the others are not begun')
    .option('--no-early-exit', 'whatever experiments say, all Attempts are carried out')
    .option('--build-concurrency <n>', 'how many images are made at once (default: 2)', wholeNumber);
}

/** What the flags and the configuration come to; a flag wins. */
export function spendingOf(flags: SpendingFlags, config: ConfigDefinition): Pick<RunOptions, 'budget' | 'retries' | 'defaultRetries' | 'maxInfraFailures' | 'earlyExit'> {
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
    ...(flags.earlyExit === undefined ? {} : { earlyExit: flags.earlyExit }),
  };
}

function dollars(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || number <= 0) throw new InvalidArgumentError('It must be a number above 0.');
  return number;
}
