// Loads nothing but the command line's own library, so that `--help` is quick.
import { InvalidArgumentError, Option, type Command } from 'commander';
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

/** Options of `niceeval run` about outcomes of earlier runs, as commander hands them over. */
export interface ReuseFlags {
  readonly resume?: string;
  readonly reuse?: boolean;
  readonly rerun?: 'failed' | 'errored' | 'all';
}

/** Adds the options to a command. */
export function addReuseOptions(command: Command): Command {
  return command
    .option('--resume <run>', 'take over what a run came to, and carry out only what it did not: its id, the beginning of it, or latest')
    .option('--reuse', 'take over what the newest run of each eval and experiment came to, where nothing has changed since')
    .addOption(new Option('--rerun <which>', 'as --reuse, but carry these out again; errored ones always are').choices(['failed', 'errored', 'all']));
}

/** Options of `niceeval run` about answers of model services, as commander hands them over. */
export interface CassetteFlags {
  readonly record?: string;
  readonly replay?: string;
  readonly replayOrForward?: string;
}

/** Adds the options to a command. */
export function addCassetteOptions(command: Command): Command {
  const alone = ['record', 'replay', 'replayOrForward'];
  const option = (flags: string, description: string, own: string): Option => new Option(flags, description).conflicts(alone.filter((name) => name !== own));
  return command
    .addOption(option('--record <dir>', 'keep what model services answer, as cassettes', 'record'))
    .addOption(option('--replay <dir>', 'answer from cassettes; no service is asked, and no key is needed', 'replay'))
    .addOption(option('--replay-or-forward <dir>', 'answer from cassettes, ask for what they lack, and add it', 'replayOrForward'));
}

function dollars(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || number <= 0) throw new InvalidArgumentError('It must be a number above 0.');
  return number;
}
