import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { SandboxInputError } from '../errors.js';
import type { NamedCheck } from './stage.js';

/** What commands are given. */
export const inputChecks: readonly NamedCheck[] = [
  {
    name: 'gives a command its input and then the end of input',
    play: async ({ sandbox, equal }) => {
      const inputs = { text: 'one\ntwo', bytes: Buffer.from('one\ntwo'), stream: Readable.from(['one\n', 'two']), nothing: undefined };
      for (const [kind, stdin] of Object.entries(inputs)) {
        const { stdout } = await sandbox.runCommand('cat', [], stdin === undefined ? {} : { stdin });
        equal(`cat with ${kind} as input`, stdout, kind === 'nothing' ? '' : 'one\ntwo');
      }
    },
  },
  {
    name: 'tells the exit code of a command that does not read its input',
    play: async ({ sandbox, equal }) => {
      equal('1 MB for a script that reads nothing', (await sandbox.runCommand('sh', ['-c', 'exit 5'], { stdin: Buffer.alloc(1_000_000) })).exitCode, 5);
    },
  },
  {
    name: 'passes words to a program without a shell',
    play: async ({ sandbox, equal }) => {
      const words = ['a b', '$HOME', '*', '; exit 3', '', '"', "'", '\\', 'line\nline', '\u4e2d'];
      equal('words that a shell would read', (await sandbox.runCommand('printf', ['%s|', ...words])).stdout, words.map((word) => `${word}|`).join(''));
    },
  },
  {
    name: 'refuses a command without a program',
    play: async ({ sandbox, rejects }) => { await rejects('an empty word', sandbox.runCommand(''), SandboxInputError); },
  },
  {
    name: 'adds to the environment for one command only',
    play: async ({ sandbox, equal }) => {
      const script = 'printf "%s|%s" "$TOLD" "${PATH:+path}"';
      equal('a variable of the call', (await sandbox.runShell(script, { env: { TOLD: 'a = b\n"c"' } })).stdout, 'a = b\n"c"|path');
      equal('the next command', (await sandbox.runShell(script)).stdout, '|path');
    },
  },
  {
    name: 'keeps the environment of the harness from commands',
    play: async ({ sandbox, equal }) => {
      const name = `NICEEVAL_CONFORMANCE_${randomBytes(4).toString('hex').toUpperCase()}`;
      process.env[name] = 'of the harness';
      try {
        equal('a variable of this process', (await sandbox.runCommand('env')).stdout.includes(name), false);
      } finally {
        Reflect.deleteProperty(process.env, name);
      }
    },
  },
  {
    name: 'starts commands in the working directory, or below it',
    play: async ({ sandbox, equal, folder, at }) => {
      await sandbox.runCommandOrThrow('mkdir', [at('below')]);
      const where = async (cwd?: string): Promise<string> => (await sandbox.runCommand('pwd', [], cwd === undefined ? {} : { cwd })).stdout;
      equal('no folder', await where(), `${sandbox.workdir}\n`);
      equal('a relative folder', await where(`${folder.slice(sandbox.workdir.length + 1)}/below`), `${at('below')}\n`);
      equal('an absolute folder', await where(at('below')), `${at('below')}\n`);
    },
  },
  {
    name: 'has a working directory, a home and a folder for temporary files that the agent may write to',
    play: async ({ sandbox, equal }) => {
      for (const folder of [sandbox.workdir, sandbox.home, sandbox.temporaryFolder]) {
        equal(folder, (await sandbox.runCommand('sh', ['-c', 'cd "$1" && : > niceeval-written && rm niceeval-written', 'sh', folder])).exitCode, 0);
      }
      equal('HOME', (await sandbox.runCommand('sh', ['-c', 'printf %s "$HOME"'])).stdout, sandbox.home);
    },
  },
  {
    name: 'runs several commands at the same time and mixes nothing up',
    play: async ({ sandbox, equal }) => {
      const numbers = [1, 2, 3, 4, 5, 6];
      const results = await Promise.all(numbers.map((number) => sandbox.runShell(`sleep 0.2; echo ${number}; exit ${number}`)));
      equal('six scripts', results.map(({ exitCode, stdout }) => ({ exitCode, stdout })), numbers.map((number) => ({ exitCode: number, stdout: `${number}\n` })));
    },
  },
];
