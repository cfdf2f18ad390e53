import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { readFileSync } from 'node:fs';
import { BACKEND_NAMES, type BackendName } from '../sandbox/backend.js';
import type { CheckFlags } from './check-command.js';
import { EXIT, SCENARIO_EXIT } from './exit-codes.js';
import type { CollectFlags } from './images-command.js';
import { collect, wholeNumber } from './option-values.js';
import type { ParseFlags } from './parse-command.js';
import { addProjectCommands } from './project-program.js';
import { addRecordCommands } from './record-program.js';
import { addReportOptions, type ReportFlags } from './report-options.js';
import { addCassetteOptions, addReuseOptions, addSpendingOptions, type CassetteFlags, type ReuseFlags, type SpendingFlags } from './run-options.js';
import { addScenarioCommands } from './scenarios-program.js';
import type { ShellFlags } from './shell-command.js';

const DAY_MS = 24 * 60 * 60_000;

/** The command line as a value. */
export interface Program {
  /** Runs it and gives the exit code. Never rejects. */
  run(argv: readonly string[]): Promise<number>;
}

/** Options of `niceeval run`, as commander hands them over. */
export interface RunFlags extends SpendingFlags, ReuseFlags, CassetteFlags, ReportFlags {
  readonly sandbox: BackendName;
  readonly experiment: readonly string[];
  readonly profile: readonly string[];
  readonly tag: readonly string[];
  readonly attempts?: number;
  readonly concurrency?: number;
  readonly timeout?: number;
  readonly keepSandbox?: 'all' | 'failed';
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly dir: string;
}

/** Commands load what they need when they run, so that `--help` loads nothing. */
export function createProgram(): Program {
  let exitCode: number = EXIT.ok;
  const program = new Command('niceeval')
    .description('Evaluates coding agents: a fresh container per Attempt, standard events, attributed changes, honest verdicts.')
    .version(versionOf())
    .exitOverride()
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for what there is)');

  addCassetteOptions(addSpendingOptions(addReuseOptions(addReportOptions(program.command('run'))
    .description('Run evals by experiments and write the record to .niceeval/runs/.')
    .argument('[selectors...]', 'ids of evals, or prefixes of ids; none: all')
    .addOption(new Option('--sandbox <backend>', 'where Attempts run: docker, or local, which isolates nothing').choices(BACKEND_NAMES).default('docker'))
    .option('--experiment <id>', 'only this experiment, or all below this prefix; repeatable', collect, [])
    .option('--profile <name>', 'instead of experiments, this profile of niceeval.config.ts; repeatable', collect, [])
    .option('--tag <tag>', 'only evals with this tag; repeatable', collect, [])
    .option('--attempts <n>', 'Attempts per eval and experiment', wholeNumber)
    .option('--concurrency <n>', 'how many Attempts run at once (default: 2)', wholeNumber)
    .option('--timeout <ms>', 'milliseconds that one Attempt may take', wholeNumber))))
    .addOption(new Option('--keep-sandbox [which]', 'leave sandboxes alive for 24 hours, to look inside by `niceeval shell`').choices(['all', 'failed']).preset('all'))
    .option('--json', 'JSON lines on standard output, and nothing else there')
    .option('--dry-run', 'only tell what would run')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', [
      '',
      'Examples:',
      '  niceeval run                          everything in evals/ by everything in experiments/',
      '  niceeval run fix-sum --attempts 5     one eval, five times by each experiment',
      '  niceeval run --experiment codex --json',
      '  niceeval run --resume latest          go on with a run that was interrupted or killed',
      '  niceeval run --record tapes           keep what the models answer; then --replay tapes needs no key and costs nothing',
      '  niceeval run --sandbox local          on this machine, as you, without an engine; for agents you trust',
      '',
      'Exit codes: 0 all passed (with early exit: each eval once), 1 an Attempt failed, errored or was not run, or a report could not be written, 2 a bad command or definition, 3 no container engine, 130 interrupted.',
    ].join('\n'))
    .action(async (selectors: string[], flags: RunFlags) => {
      const { runCommand } = await import('./run-command.js');
      exitCode = await runCommand(selectors, flags);
    });

  addProjectCommands(program, (code) => { exitCode = code; });
  addRecordCommands(program, (code) => { exitCode = code; });
  addScenarioCommands(program, (code) => { exitCode = code; });

  program.command('check')
    .description('Look for everything that would keep a run from starting, and start nothing.')
    .argument('[selectors...]', 'ids of evals, or prefixes of ids; none: all')
    .option('--experiment <id>', 'only this experiment, or all below this prefix; repeatable', collect, [])
    .option('--tag <tag>', 'only evals with this tag; repeatable', collect, [])
    .option('--json', 'JSON lines on standard output, and nothing else there')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', '\nExample:\n  niceeval check fix-sum --experiment codex\n\nExit codes: 0 a run would start (there may be warnings), 2 something is to be mended first.')
    .action(async (selectors: string[], flags: CheckFlags) => {
      const { checkCommand } = await import('./check-command.js');
      exitCode = await checkCommand(selectors, flags);
    });

  program.command('shell')
    .description('Look inside a living sandbox: one that was kept, or one whose Attempt is under way.')
    .argument('[attempt]', 'the id of its Attempt, or the beginning of it; none: list what lives')
    .argument('[command...]', 'what to run (default: bash, or sh)')
    .option('--user <user>', 'a user of the image (default: the agent\'s)')
    .option('--list', 'only list the living sandboxes')
    .passThroughOptions()
    .addHelpText('after', [
      '',
      'Examples:',
      '  niceeval run fix-sum --keep-sandbox=failed',
      '  niceeval shell fix-sum              a shell in the working directory of the Attempt fix-sum...',
      '  niceeval shell fix-sum git status   one command; its exit code is the command\'s',
    ].join('\n'))
    .action(async (attempt: string | undefined, argv: string[], flags: ShellFlags) => {
      const { shellCommand } = await import('./shell-command.js');
      exitCode = await shellCommand(attempt, argv, flags);
    });

  program.command('clean')
    .description('Remove containers, networks, folders and processes that a killed run left behind. Living runs are left alone.')
    .addOption(new Option('--sandbox <backend>', 'only what this backend left; default: all').choices(BACKEND_NAMES))
    .option('--dry-run', 'only tell what would be removed')
    .option('--kept', 'sandboxes too that were kept by --keep-sandbox')
    .addHelpText('after', '\nExample:\n  niceeval clean --dry-run')
    .action(async (flags: { readonly sandbox?: BackendName; readonly dryRun?: boolean; readonly kept?: boolean }) => {
      const { cleanCommand } = await import('./clean-command.js');
      exitCode = await cleanCommand(flags);
    });

  program.command('doctor')
    .description('Look at what a run needs: the engine, its disk, limits and hardening, the image, keys. Says how to mend what is wrong.')
    .option('--json', 'one JSON object on standard output')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', '\nExample:\n  niceeval doctor --json\n\nExit codes: 0 nothing failed (there may be warnings), 1 something failed, 3 no container engine.')
    .action(async (flags: { readonly dir: string; readonly json?: boolean }) => {
      const { doctorCommand } = await import('./doctor-command.js');
      exitCode = await doctorCommand(flags);
    });

  const images = program.command('images')
    .description('Build the sandbox image now, list the images that niceeval made, or remove what nothing uses.')
    .addHelpText('after', '\nExample:\n  niceeval images list');

  images.command('build', { isDefault: true })
    .description('Build the sandbox image now, so that no run has to wait for it.')
    .addHelpText('after', '\nExample:\n  niceeval images build')
    .action(async () => {
      const { buildImagesCommand } = await import('./images-command.js');
      exitCode = await buildImagesCommand();
    });

  images.command('list')
    .description('Tell the images that niceeval made: what each takes beyond the one below it, and when it was last used from here.')
    .addHelpText('after', '\nExample:\n  niceeval images list')
    .action(async () => {
      const { listImagesCommand } = await import('./images-command.js');
      exitCode = await listImagesCommand();
    });

  images.command('gc')
    .description('Remove images that niceeval made and nothing used for some time. Those of the present recipe, and those that a container or another image needs, stay.')
    .option('--dry-run', 'only tell what would be removed')
    .addOption(new Option('--older-than <time>', 'not used for this long: days or hours, as 14d or 12h').argParser(timeSpan).default(14 * DAY_MS, '14d'))
    .option('--keep <n>', 'so many of those used last stay whatever their age', wholeNumberFromZero, 0)
    .addHelpText('after', '\nExample:\n  niceeval images gc --dry-run --older-than 30d')
    .action(async (flags: CollectFlags) => {
      const { collectImagesCommand } = await import('./images-command.js');
      exitCode = await collectImagesCommand(flags);
    });

  program.command('parse')
    .description('Tell what a transcript of a coding agent says: events, usage, how complete they are, what was not understood.')
    .argument('<paths...>', 'files or folders that one run left: stdout, session files, rollouts')
    .addOption(new Option('--format <format>', 'for files that are not recognised by their content')
      .choices(['auto', 'claude-code', 'claude-session', 'codex-exec', 'codex-rollout', 'codex-app-server']).default('auto'))
    .option('--json', 'one JSON object on standard output, and nothing else there')
    .option('--exit-code <n>', 'how the process ended', exitCodeNumber)
    .option('--stderr <file>', 'what it wrote to standard error')
    .addHelpText('after', '\nExample:\n  niceeval parse stdout.jsonl --exit-code 0\n\nExit codes: 0 parsed, 2 refused (no known format, nothing to read), 3 parsed with lines that could not be read.')
    .action(async (paths: string[], flags: ParseFlags) => {
      const { parseCommand } = await import('./parse-command.js');
      exitCode = await parseCommand(paths, flags);
    });

  return {
    run: async (argv) => {
      try {
        await program.parseAsync([...argv], { from: 'user' });
        return exitCode;
      } catch (error) {
        const isOfScenarios = argv[0] === 'scenarios';
        if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : isOfScenarios ? SCENARIO_EXIT.broken : EXIT.usage;
        const { failureCode } = await import('./failure.js');
        const failed = failureCode(error);
        return isOfScenarios ? SCENARIO_EXIT.broken : failed;
      }
    },
  };
}

function wholeNumberFromZero(value: string): number {
  return value === '0' ? 0 : wholeNumber(value);
}

/** A number of days or hours, in milliseconds. */
function timeSpan(value: string): number {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(value) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It must be a whole number of days or hours, for instance 14d or 12h.');
  return Number(count) * (unit === 'd' ? DAY_MS : DAY_MS / 24);
}

function exitCodeNumber(value: string): number {
  if (!/^\d{1,3}$/.test(value) || Number(value) > 255) throw new InvalidArgumentError('It must be a whole number from 0 to 255.');
  return Number(value);
}

function versionOf(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
