import { chmod, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxInputError, SandboxPathError, UnsafeArchiveError } from '../errors.js';
import type { NamedCheck } from './stage.js';
import { listingOf } from './tar-listing.js';

const ODD_NAME = '-dash  and "quotes"\nnewline';

/** Files and folders from the host and to it. */
export const transferChecks: readonly NamedCheck[] = [
  {
    name: 'uploads a file with its permission bits',
    play: async ({ sandbox, equal, at, hostFolder }) => {
      const file = join(await hostFolder(), 'run');
      await writeFile(file, '#!/bin/sh\necho ran\n');
      await chmod(file, 0o755);
      await sandbox.uploadFile(file, at('below/run'));
      equal('a script that was uploaded', (await sandbox.runCommand(at('below/run'))).stdout, 'ran\n');
    },
  },
  {
    name: 'uploads a folder with modes, links, empty folders and odd names, and leaves out what it is told to',
    play: async ({ sandbox, equal, at, hostFolder }) => {
      const host = await hostFolder();
      await mkdir(join(host, 'empty'));
      await mkdir(join(host, 'node_modules/x'), { recursive: true });
      await writeFile(join(host, 'node_modules/x/i.js'), 'no');
      for (const [name, mode] of [['run.sh', 0o755], ['secret', 0o600], ['.hidden', 0o644], [ODD_NAME, 0o644], [`${'long'.repeat(60)}.txt`, 0o644]] as const) {
        await writeFile(join(host, name), name);
        await chmod(join(host, name), mode);
      }
      await chmod(join(host, 'empty'), 0o755);
      await symlink('run.sh', join(host, 'link'));
      await symlink('/nowhere/at/all', join(host, 'away'));
      await sandbox.uploadDirectory(host, at('up'), { ignore: ['node_modules', 'node_modules/**'] });
      const entry = (name: string, type: string, mode: number, link = ''): object => ({ name: `up/${name}`, type, mode, link, text: type === 'file' ? name : '' });
      const found = (await listingOf(await sandbox.archive(at('up')))).filter(({ name }) => name !== 'up');
      const byName = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
      equal('what was uploaded', [...found].sort(byName), [
        entry('empty', 'directory', 0o755), entry('run.sh', 'file', 0o755), entry('secret', 'file', 0o600), entry('.hidden', 'file', 0o644), entry(ODD_NAME, 'file', 0o644),
        entry(`${'long'.repeat(60)}.txt`, 'file', 0o644), entry('link', 'symlink', 0o777, 'run.sh'), entry('away', 'symlink', 0o777, '/nowhere/at/all'),
      ].sort(byName));
    },
  },
  {
    name: 'uploads into a folder that is there, and keeps what is in it',
    play: async ({ sandbox, equal, at, hostFolder }) => {
      const host = await hostFolder();
      await writeFile(join(host, 'both'), 'new');
      await sandbox.writeText(at('there/both'), 'old');
      await sandbox.writeText(at('there/own'), 'own');
      await sandbox.uploadDirectory(host, at('there'));
      equal('both files', [await sandbox.readText(at('there/both')), await sandbox.readText(at('there/own'))], ['new', 'own']);
    },
  },
  {
    name: 'says which host path cannot be uploaded',
    play: async ({ sandbox, equal, rejects, at, hostFolder }) => {
      const missing = join(await hostFolder(), 'nowhere');
      for (const upload of [() => sandbox.uploadFile(missing, at('x')), () => sandbox.uploadDirectory(missing, at('x'))]) {
        const error = await rejects('a host path that is missing', upload(), SandboxInputError);
        equal('the host path in the message', error.message.includes(missing), true);
      }
    },
  },
  {
    name: 'downloads a file',
    play: async ({ sandbox, equal, rejects, at, hostFolder }) => {
      const target = join(await hostFolder(), 'deep/er/file');
      await sandbox.writeText(at('file'), 'content');
      await sandbox.downloadFile(at('file'), target);
      equal('the file', await readFile(target, 'utf8'), 'content');
      await rejects('a file that is missing', sandbox.downloadFile(at('nowhere'), target), SandboxPathError);
    },
  },
  {
    name: 'downloads a folder with its links and modes, without what is neither file nor folder nor link',
    play: async ({ sandbox, equal, at, hostFolder }) => {
      const host = join(await hostFolder(), 'down');
      await sandbox.runShellOrThrow('mkdir -p down/sub down/empty && echo a > down/sub/a && chmod 700 down/sub/a && ln -s sub/a down/l && ln down/sub/a down/hard && mkfifo down/pipe', { cwd: at('') });
      await sandbox.downloadDirectory(at('down'), host);
      equal('the names', (await readdir(host)).sort(), ['empty', 'hard', 'l', 'sub']);
      equal('the files', {
        a: await readFile(join(host, 'sub/a'), 'utf8'), hard: await readFile(join(host, 'hard'), 'utf8'), link: await readlink(join(host, 'l')), mode: (await lstat(join(host, 'sub/a'))).mode & 0o777,
      }, { a: 'a\n', hard: 'a\n', link: 'sub/a', mode: 0o700 });
    },
  },
  {
    name: 'refuses to download a link that leads out of the folder, and writes nothing outside',
    play: async ({ sandbox, equal, rejects, at, hostFolder }) => {
      const host = await hostFolder();
      await sandbox.runShellOrThrow('mkdir -p absolute climbing/d parent/sub && ln -s /etc/passwd absolute/l && ln -s ../../x climbing/d/l && ln -s .. parent/up && echo x > parent/sub/x', { cwd: at('') });
      for (const evil of ['absolute', 'climbing', 'parent']) {
        await rejects(`a folder with a link of the kind "${evil}"`, sandbox.downloadDirectory(at(evil), join(host, 'target')), UnsafeArchiveError);
        equal(`the host folder after "${evil}"`, await readdir(host), ['target']);
      }
    },
  },
];
