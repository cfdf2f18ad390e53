import { SandboxCommandExitError } from '../errors.js';
import type { CommandResult } from '../sandbox.js';
import type { NamedCheck } from './stage.js';

/** Of both ends of the range, and those that shells give a meaning. */
const EXIT_CODES = [0, 1, 3, 125, 126, 127, 255] as const;

const factsOf = ({ exitCode, ending, stdout }: CommandResult): object => ({ exitCode, ending, stdout });

/** How commands end. */
export const endingChecks: readonly NamedCheck[] = [
  {
    name: 'tells each exit code exactly, and that the command ended by itself',
    play: async ({ sandbox, equal }) => {
      for (const exitCode of EXIT_CODES) equal(`exit ${exitCode}`, factsOf(await sandbox.runShell(`exit ${exitCode}`)), { exitCode, ending: undefined, stdout: '' });
    },
  },
  {
    name: 'says of a command that a signal ended that it was killed',
    play: async ({ sandbox, equal }) => {
      equal('kill -9 $$', factsOf(await sandbox.runCommand('sh', ['-c', 'kill -9 $$'])), { exitCode: 137, ending: 'killed', stdout: '' });
      equal('kill -15 $$', factsOf(await sandbox.runCommand('sh', ['-c', 'kill -15 $$'])), { exitCode: 143, ending: 'killed', stdout: '' });
    },
  },
  {
    name: 'counts any other signal as 128 and its number',
    play: async ({ sandbox, equal }) => {
      equal('kill -USR1 $$', factsOf(await sandbox.runCommand('sh', ['-c', 'kill -10 $$'])), { exitCode: 138, ending: undefined, stdout: '' });
    },
  },
  {
    name: 'says that a program is not there',
    play: async ({ sandbox, equal, at }) => {
      for (const program of ['niceeval-no-such-program', at('no/such/program'), './no-such-program']) {
        equal(program, factsOf(await sandbox.runCommand(program)), { exitCode: 127, ending: 'not-found', stdout: '' });
      }
    },
  },
  {
    name: 'says that a file may not be executed',
    play: async ({ sandbox, equal, at, folder }) => {
      await sandbox.writeText(at('plain'), '#!/bin/sh\necho ran\n');
      for (const program of [at('plain'), folder]) {
        equal(program, factsOf(await sandbox.runCommand(program)), { exitCode: 126, ending: 'not-executable', stdout: '' });
      }
    },
  },
  {
    name: 'says that a file is no program',
    play: async ({ sandbox, equal, at }) => {
      await sandbox.writeText(at('words'), 'echo neither a script nor a program\n');
      await sandbox.runCommandOrThrow('chmod', ['755', at('words')]);
      equal('a file without a first line that names its interpreter', factsOf(await sandbox.runCommand(at('words'))), { exitCode: 126, ending: 'not-executable', stdout: '' });
    },
  },
  {
    name: 'says that a command could not be started in a folder that is missing',
    play: async ({ sandbox, equal, at }) => {
      equal('true in a missing folder', factsOf(await sandbox.runCommand('true', [], { cwd: at('nowhere') })), { exitCode: 126, ending: 'not-started', stdout: '' });
    },
  },
  {
    name: 'takes no words of a program for its own',
    play: async ({ sandbox, equal }) => {
      const words = 'OCI runtime exec failed: exec failed: "sh": executable file not found in $PATH';
      equal('a program that says it was not found', factsOf(await sandbox.runCommand('sh', ['-c', 'printf %s "$1"; exit 127', 'sh', words])), { exitCode: 127, ending: undefined, stdout: words });
    },
  },
  {
    name: 'throws with the result when a command had to succeed',
    play: async ({ sandbox, equal, rejects }) => {
      const { result } = await rejects('a script that ends with 3', sandbox.runShellOrThrow('echo out; echo why >&2; exit 3'), SandboxCommandExitError);
      equal('the result in the error', { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr }, { exitCode: 3, stdout: 'out\n', stderr: 'why\n' });
      await rejects('a command that ends with 1', sandbox.runCommandOrThrow('sh', ['-c', 'exit 1']), SandboxCommandExitError);
    },
  },
];
