import { randomBytes } from 'node:crypto';
import { SandboxInputError, SandboxPathError } from '../errors.js';
import { everyByte } from './outputs.js';
import type { NamedCheck } from './stage.js';

const LARGE_BYTES = 3_000_000;

/** Single files. */
export const fileChecks: readonly NamedCheck[] = [
  {
    name: 'writes and reads text below folders that are missing',
    play: async ({ sandbox, equal, at }) => {
      const text = 'na\u00efve \u201cquotes\u201d \u4e2d\n';
      await sandbox.writeText(at('deep/er/a.txt'), text);
      equal('the text', await sandbox.readText(at('deep/er/a.txt')), text);
      await sandbox.writeText(at('deep/er/a.txt'), 'shorter');
      equal('the text that replaced it', await sandbox.readText(at('deep/er/a.txt')), 'shorter');
    },
  },
  {
    name: 'writes files and folders that belong to the agent',
    play: async ({ sandbox, equal, at }) => {
      await sandbox.writeText(at('made/by/us'), 'a');
      equal('a change by the agent', (await sandbox.runShell(`cd "${at('made/by')}" && echo b >> us && : > other && rm other`)).exitCode, 0);
      const modes = (await sandbox.runCommand('sh', ['-c', 'ls -ld "$1" "$1/by/us" | cut -c1-10', 'sh', at('made')])).stdout;
      equal('the modes', modes, 'drwxr-xr-x\n-rw-r--r--\n');
    },
  },
  {
    name: 'writes and reads every byte, and megabytes of them',
    play: async ({ sandbox, equal, at }) => {
      for (const bytes of [Uint8Array.of(), everyByte, randomBytes(LARGE_BYTES)]) {
        await sandbox.writeBytes(at('bytes'), bytes);
        equal(`${bytes.length} bytes`, Buffer.compare(await sandbox.readBytes(at('bytes')), bytes), 0);
      }
    },
  },
  {
    name: 'takes a relative path for one in the working directory',
    play: async ({ sandbox, equal, at, folder }) => {
      await sandbox.writeText(`${folder.slice(sandbox.workdir.length + 1)}/relative`, 'here');
      equal('the same file by its absolute path', await sandbox.readText(at('relative')), 'here');
    },
  },
  {
    name: 'takes any name for a name',
    play: async ({ sandbox, equal, at }) => {
      for (const name of ['-rf', ' *\n"$(touch x)\' \\', '\u4e2d', 'long'.repeat(60)]) {
        await sandbox.writeText(at(name), name);
        equal(JSON.stringify(name), { text: await sandbox.readText(at(name)), isThere: await sandbox.pathExists(at(name)) }, { text: name, isThere: true });
      }
    },
  },
  {
    name: 'tells whether a path exists',
    play: async ({ sandbox, equal, at, folder }) => {
      await sandbox.writeText(at('here'), '');
      const told = await Promise.all([at('here'), folder, at('nowhere'), at('nowhere/else'), at('here/below')].map((path) => sandbox.pathExists(path)));
      equal('a file, a folder, and three paths that lead nowhere', told, [true, true, false, false, false]);
    },
  },
  {
    name: 'follows links when it reads',
    play: async ({ sandbox, equal, rejects, at }) => {
      await sandbox.runShellOrThrow('echo target > t && ln -s t one && ln -s "$PWD/one" two && ln -s loop loop && ln -s nowhere dangling', { cwd: at('') });
      equal('a link to a link', await sandbox.readText(at('two')), 'target\n');
      for (const name of ['loop', 'dangling']) await rejects(`a link that is ${name}`, sandbox.readText(at(name)), SandboxPathError);
    },
  },
  {
    name: 'refuses to read what is no file',
    play: async ({ sandbox, rejects, at, folder }) => {
      await sandbox.runCommandOrThrow('mkfifo', [at('pipe')]);
      for (const path of [at('nowhere'), at('nowhere/else'), folder, at('pipe')]) await rejects(path, sandbox.readText(path), SandboxPathError);
    },
  },
  {
    name: 'replaces a link by the file that is written in its place',
    play: async ({ sandbox, equal, at }) => {
      await sandbox.runShellOrThrow('echo kept > target && ln -s target link', { cwd: at('') });
      await sandbox.writeText(at('link'), 'mine');
      equal('both files', [await sandbox.readText(at('link')), await sandbox.readText(at('target'))], ['mine', 'kept\n']);
    },
  },
  {
    name: 'does not write through a link on the way',
    play: async ({ sandbox, equal, rejects, at, hostFolder }) => {
      await sandbox.runShellOrThrow('mkdir -p real && ln -s real way', { cwd: at('') });
      await rejects('a file below a link', sandbox.writeText(at('way/mine'), 'x'), SandboxPathError);
      await rejects('a folder below a link', sandbox.uploadDirectory(await hostFolder(), at('way/mine')), SandboxPathError);
      equal('the folder behind the link', await sandbox.pathExists(at('real/mine')), false);
    },
  },
  {
    name: 'refuses a path with a NUL byte',
    play: async ({ sandbox, rejects, at }) => {
      const path = at('a\0b');
      for (const work of [() => sandbox.readText(path), () => sandbox.writeText(path, 'x'), () => sandbox.pathExists(path)]) {
        await rejects('a path with a NUL byte', Promise.resolve().then<unknown>(work), SandboxInputError);
      }
    },
  },
];
