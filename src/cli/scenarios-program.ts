import { Option, type Command } from 'commander';
import { collect } from './option-values.js';
import type { ScenariosCompareFlags } from './scenarios-compare-command.js';
import type { ScenariosListFlags } from './scenarios-list-command.js';
import type { ScenariosRunFlags } from './scenarios-run-command.js';
import { addScenariosRunOptions, tagList } from './scenarios-run-options.js';

/** Adds the commands of scenario files. Each tells its exit code to `end`. */
export function addScenarioCommands(program: Command, end: (exitCode: number) => void): void {
  const scenarios = program.command('scenarios')
    .description('Run scenarios of a JSON lines file without a project of evals: a result line for each, and a summary.')
    .addHelpText('after', '\nExample:\n  niceeval scenarios run --scenarios smoke.jsonl --output results.jsonl --summary summary.json');

  addScenariosRunOptions(scenarios.command('run').description('Carry scenarios out, each in a fresh sandbox, and write a result line for each in the order of the file.'))
    .addHelpText('after', [
      '',
      'Examples:',
      '  niceeval scenarios run --scenarios smoke.jsonl --output target/results.jsonl --summary target/summary.json --workspace .',
      '  niceeval scenarios run --scenarios smoke.jsonl --output - --summary s.json --agent codex --model gpt-5.2 --tags smoke',
      '',
      'The summary is printed on standard output (with --output -: on standard error), progress on standard error.',
      'Exit codes: 0 all passed, 2 a scenario failed, 1 a bad command or file, or a broken machine, 130 interrupted.',
    ].join('\n'))
    .action(async (flags: ScenariosRunFlags) => end(await (await import('./scenarios-run-command.js')).scenariosRunCommand(flags)));

  scenarios.command('list')
    .description('Print the ids of the scenarios of a file.')
    .requiredOption('--scenarios <file>', 'the scenarios, JSON lines')
    .option('--tags <list>', 'only scenarios with one of these tags, by commas', tagList, [])
    .option('--tag <tag>', 'only scenarios with this tag; repeatable', collect, [])
    .option('--exclude-tag <tag>', 'no scenario with this tag; repeatable', collect, [])
    .addOption(new Option('--format <format>', 'one id a line, or a JSON array').choices(['text', 'json']).default('text'))
    .option('--validate', 'print no ids; look at every line, whatever its tags, and at the profile that it names')
    .addHelpText('after', '\nExample:\n  niceeval scenarios list --scenarios smoke.jsonl --validate\n\nExit codes: 0 every line is a scenario, 1 a bad command or file.')
    .action(async (flags: ScenariosListFlags) => end(await (await import('./scenarios-list-command.js')).scenariosListCommand(flags)));

  scenarios.command('compare')
    .description('Compare two reports of `scenarios run --report`, scenario by scenario.')
    .requiredOption('--baseline <report>', 'what was before')
    .requiredOption('--candidate <report>', 'what is now')
    .option('--output <file>', 'also into this file')
    .addHelpText('after', '\nExample:\n  niceeval scenarios compare --baseline main.json --candidate branch.json\n\nExit codes: 0 nothing got worse, 3 something did, 1 a bad command or report.')
    .action(async (flags: ScenariosCompareFlags) => end(await (await import('./scenarios-compare-command.js')).scenariosCompareCommand(flags)));
}
