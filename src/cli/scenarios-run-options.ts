import { InvalidArgumentError, Option, type Command } from 'commander';
import { BACKEND_NAMES } from '../sandbox/backend.js';
import { collect, countFrom0, wholeNumber } from './option-values.js';

/** Tags that are given as one list, after those that were given before. */
export function tagList(value: string, before: readonly string[]): readonly string[] {
  return [...before, ...value.split(',').map((tag) => tag.trim()).filter((tag) => tag !== '')];
}

/** Adds the options of `niceeval scenarios run`. */
export function addScenariosRunOptions(command: Command): Command {
  return command
    .requiredOption('--scenarios <file>', 'the scenarios, JSON lines')
    .requiredOption('--output <file>', 'a result for each, JSON lines; -: standard output')
    .requiredOption('--summary <file>', 'the figures of all of them, JSON')
    .option('--report <file>', 'summary and results in one JSON file, for `scenarios compare`')
    .option('--workspace <folder>', 'is copied into every sandbox; nothing is written here', '.')
    .option('--profile <name>', 'of niceeval.config.ts, or fake; for scenarios that name none')
    .addOption(new Option('--agent <name>', 'instead of a profile').choices(['fake', 'claude-code', 'codex']).conflicts('profile'))
    .option('--model <id>', 'whatever the profile says, for scenarios that name no profile')
    .option('--tags <list>', 'only scenarios with one of these tags, by commas', tagList, [])
    .option('--tag <tag>', 'only scenarios with this tag; repeatable', collect, [])
    .option('--exclude-tag <tag>', 'no scenario with this tag; repeatable', collect, [])
    .option('--fail-fast', 'stop after the first that fails')
    .option('--include-trace', 'all events in each result')
    .option('--enable-mcp', 'let tool servers start (default: none does)')
    .option('--enable-hooks', 'let hooks run (default: none does)')
    .option('--approval-policy <policy>', 'never, on_request or always, for scenarios that say none (default: on_request)')
    .option('--sandbox-policy <policy>', 'read_only, workspace_write, full_access, or JSON, for scenarios that say none (default: workspace_write)')
    .option('--scenario-timeout-ms <n>', 'how long a scenario may take', wholeNumber)
    .option('--wait-timeout-ms <n>', 'how long the answer to one message may take', wholeNumber)
    .option('--allow-post-run-commands', 'run `post_run_commands`, in the sandbox (default: they fail)')
    .option('--auto-compact-threshold <part>', 'compact from this part of the context window on: 0 to 1', part)
    .option('--seed-synthetic-pairs <n>', 'begin with so many made-up questions and answers', countFrom0)
    .option('--fake-emit-tool-call', 'the agent of the profile fake makes one tool call first')
    .option('--fake-tool-id <id>', 'which: fs.list, fs.read, fs.write or shell.exec (default: fs.list)')
    .option('--fake-tool-arguments <json>', 'with what (default: {"path":"."})')
    .addOption(new Option('--sandbox <backend>', 'where scenarios run: docker, or local, which isolates nothing').choices(BACKEND_NAMES).default('docker'))
    .option('--concurrency <n>', 'how many run at once (default: 2)', wholeNumber);
}

function part(value: string): number {
  const number = Number(value);
  if (!/^\d*\.?\d+$/.test(value) || !(number > 0 && number <= 1)) throw new InvalidArgumentError('It must be a number above 0, and 1 at the most.');
  return number;
}
