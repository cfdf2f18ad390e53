import { InvalidArgumentError, type Command } from 'commander';
import type { ConfigDefinition } from '../define/config.js';
import { limitsOf, type Limits } from '../define/limits.js';
import type { RunOptions } from '../run/run.js';
import { attemptsForWidth, isNarrowEnough } from '../statistics/width.js';
import { countFrom0, openShare, wholeNumber } from './option-values.js';

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
  readonly repeatUntilCi?: number;
}

/** Adds the options to a command. */
export function addSpendingOptions(command: Command): Command {
  return command
    .option('--budget <usd>', 'US dollars, by the price list, that the run may spend; then nothing more is begun', dollars)
    .option('--budget-tokens <n>', 'input and output tokens that the run may spend', wholeNumber)
    .option('--budget-requests <n>', 'requests to models that the run may make', wholeNumber)
    .option('--budget-time <ms>', 'milliseconds after which nothing more is begun', wholeNumber)
    .option('--retries <n>', 'how often an Attempt is begun again that the engine, the network or the model service broke (default: 2)', countFrom0)
    .option('--max-infra-failures <n>', 'with more Attempts than that broken by the infrastructure nothing more is begun', countFrom0)
    .option('--early-exit', 'after one passed Attempt of an eval the others are not begun')
    .option('--no-early-exit', 'whatever experiments say, all Attempts are carried out')
    .option('--repeat-until-ci <width>', 'repeat each eval until the 95 % interval of its pass rate is no wider, for instance 0.2; --attempts is the most then', openShare)
    .option('--build-concurrency <n>', 'how many images are made at once (default: 2)', wholeNumber);
}

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

function dollars(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || number <= 0) throw new InvalidArgumentError('It must be a number above 0.');
  return number;
}
