import { Argument, Option, type Command } from 'commander';
import { BACKEND_NAMES } from '../sandbox/backend.js';
import type { CompareFlags } from './compare-command.js';
import type { ExportFlags } from './export-command.js';
import type { HistoryFlags } from './history-command.js';
import type { ListFlags } from './list-command.js';
import { collect, openShare, wholeNumber } from './option-values.js';
import type { RegradeFlags } from './regrade-command.js';
import type { RunsFlags } from './runs-command.js';
import type { ShowFlags } from './show-command.js';

/** The names of what `niceeval schema` tells; written out, so that `--help` loads nothing. */
const SCHEMA_NAMES = [
  'run', 'attempt', 'claims', 'changes', 'events', 'trace', 'scenario', 'scenario-result', 'scenario-summary', 'scenario-report', 'scenario-comparison',
] as const;

const PRICING = 'a pricing profile (JSON) that costs are worked out by; default: list prices';

/** Adds the commands that look at a project and its records. Each tells its exit code to `end`. */
export function addRecordCommands(program: Command, end: (exitCode: number) => void): void {
  program.command('list')
    .description('List the evals and experiments of the project.')
    .option('--tag <tag>', 'only evals with this tag; repeatable', collect, [])
    .option('--json', 'one JSON object on standard output')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', '\nExample:\n  niceeval list --tag small')
    .action(async (flags: ListFlags) => end(await (await import('./list-command.js')).listCommand(flags)));

  program.command('runs')
    .description('List the recorded runs of the project, oldest first.')
    .option('--limit <n>', 'only the last n', wholeNumber)
    .option('--json', 'JSON lines on standard output')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', '\nExample:\n  niceeval runs --limit 5')
    .action(async (flags: RunsFlags) => end(await (await import('./runs-command.js')).runsCommand(flags)));

  program.command('show')
    .description('Tell what a recorded run or Attempt came to.')
    .argument('<name>', 'a run: its id, the beginning of it, or latest; an Attempt: the same of its id, or RUN/ATTEMPT')
    .option('--events', 'what happened, one line for each event')
    .option('--grep <regex>', 'only events whose JSON text fits a regular expression')
    .option('--diff [path]', 'what the agent changed, as a patch; of one path or of all')
    .option('--claims', 'every claim and how it came out')
    .option('--logs', 'what the test logged, remarks, names of raw output')
    .option('--trace', 'turns and requests to the model in time')
    .option('--json', 'JSON on standard output: one object, for events one a line')
    .option('--pricing <file>', PRICING)
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', ['', 'Examples:', '  niceeval show latest', '  niceeval show latest/fix-sum --events --grep \'"name":"Bash"\''].join('\n'))
    .action(async (name: string, flags: ShowFlags) => end(await (await import('./show-command.js')).showCommand(name, flags)));

  program.command('regrade')
    .description('Judge a recorded run again by the evals of today, without an agent. What it comes to is a run of its own.')
    .argument('<run>', 'its id, the beginning of it, or latest')
    .option('--concurrency <n>', 'how many are judged at once (default: 2)', wholeNumber)
    .option('--reparse', 'read the raw output with the parser of today first')
    .addOption(new Option('--sandbox <backend>', 'where tests work that do something in the sandbox (default: where the run was)').choices(BACKEND_NAMES))
    .option('--json', 'JSON lines on standard output')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', '\nExamples:\n  niceeval regrade latest\n  niceeval regrade latest --reparse --json\n\nExit codes: 0 all pass now, 1 some do not or could not be judged again, 2 a bad command or definition.')
    .action(async (run: string, flags: RegradeFlags) => end(await (await import('./regrade-command.js')).regradeCommand(run, flags)));

  program.command('history')
    .description('Tell what an eval came to in each recorded run, oldest first.')
    .argument('<eval>', 'the id of an eval')
    .option('--experiment <id>', 'only by this experiment')
    .option('--pricing <file>', PRICING)
    .option('--json', 'JSON lines on standard output')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', '\nExample:\n  niceeval history fix-sum --experiment codex')
    .action(async (evalId: string, flags: HistoryFlags) => end(await (await import('./history-command.js')).historyCommand(evalId, flags)));

  program.command('compare')
    .description('Tell how the Attempts of one side differ from those of another: pass rates, time, tokens, cost, and what can be said for sure.')
    .argument('<a>', 'RUN or RUN:EXPERIMENT; a run as for `show`')
    .argument('<b>', 'the same; told as what B has more or less than A')
    .addOption(new Option('--by <what>', 'eval: all Attempts of a side together; experiment: each experiment with the one of the same name').choices(['eval', 'experiment']).default('eval'))
    .option('--level <share>', 'of the intervals, between 0 and 1', openShare, 0.95)
    .option('--pricing <file>', PRICING)
    .option('--json', 'one JSON object with all numbers on standard output')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', ['', 'Examples:', '  niceeval compare 20261130-1557 latest', '  niceeval compare latest:claude-code latest:codex --level 0.9'].join('\n'))
    .action(async (a: string, b: string, flags: CompareFlags) => end(await (await import('./compare-command.js')).compareCommand([a, b], flags)));

  program.command('export')
    .description('Write the Attempts of recorded runs for other programs: JSON lines, CSV, or trajectories in ATIF.')
    .argument('<runs...>', 'ids of runs, beginnings of them, or latest')
    .addOption(new Option('--format <format>', 'jsonl and csv: a line for each Attempt; atif: a file for each').choices(['jsonl', 'csv', 'atif']).makeOptionMandatory())
    .option('--output <path>', 'a file, for atif a folder; -: standard output', '-')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', ['', 'Examples:', '  niceeval export latest --format csv --output attempts.csv', '  niceeval export latest --format atif --output trajectories'].join('\n'))
    .action(async (runs: string[], flags: ExportFlags) => end(await (await import('./export-command.js')).exportCommand(runs, flags)));

  program.command('schema')
    .description('Print the JSON Schema of the files of a record.')
    .addArgument(new Argument('[name]', 'one of them; none: all, by name').choices(SCHEMA_NAMES))
    .addHelpText('after', '\nExample:\n  niceeval schema attempt > attempt.schema.json')
    .action(async (name: typeof SCHEMA_NAMES[number] | undefined) => end(await (await import('./schema-command.js')).schemaCommand(name)));
}
