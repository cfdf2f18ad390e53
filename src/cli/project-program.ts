import { Argument, Option, type Command } from 'commander';
import { BACKEND_NAMES } from '../sandbox/backend.js';
import type { Shell } from './completion.js';
import type { ConfigFlags } from './config-command.js';
import { countFrom0, wholeNumber } from './option-values.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[];

/** Adds the commands that make a project and tell how it is set up. Each tells its exit code to `end`. */
export function addProjectCommands(program: Command, end: (exitCode: number) => void): void {
  program.command('init')
    .description('Write a small project that passes as it is: an eval, an experiment, a configuration.')
    .argument('[folder]', 'made if it is not there', '.')
    .option('--force', 'also into a folder that is not empty; files of the same names are replaced')
    .addHelpText('after', '\nExample:\n  niceeval init my-evals')
    .action(async (folder: string, flags: { readonly force?: boolean }) => end(await (await import('./init-command.js')).initCommand(folder, flags)));

  program.command('config')
    .description('Tell every setting with its value and where it comes from, as a run with these flags would take it.')
    .addOption(new Option('--sandbox <backend>', 'as for `run`').choices(BACKEND_NAMES))
    .option('--attempts <n>', 'as for `run`', wholeNumber)
    .option('--concurrency <n>', 'as for `run`', wholeNumber)
    .option('--build-concurrency <n>', 'as for `run`', wholeNumber)
    .option('--retries <n>', 'as for `run`', countFrom0)
    .option('--timeout <ms>', 'as for `run`', wholeNumber)
    .option('--json', 'one JSON object on standard output')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', '\nExample:\n  niceeval config --timeout 60000')
    .action(async (flags: ConfigFlags) => end(await (await import('./config-command.js')).configCommand(flags)));

  program.command('completion')
    .description('Print what makes a shell complete commands, options and their values.')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText('after', ['', 'Examples:', '  source <(niceeval completion bash)            in ~/.bashrc', '  source <(niceeval completion zsh)             in ~/.zshrc', '  niceeval completion fish > ~/.config/fish/completions/niceeval.fish'].join('\n'))
    .action(async (shell: Shell) => {
      const { completionOf } = await import('./completion.js');
      process.stdout.write(completionOf(program, shell));
      end(0);
    });
}
