import { SandboxPathError } from '../errors.js';
import type { NamedCheck } from './stage.js';
import { listingOf } from './tar-listing.js';

/** The tar streams that changes are worked out from. */
export const archiveChecks: readonly NamedCheck[] = [
  {
    name: 'archives a folder under its own name, with all that is in it',
    play: async ({ sandbox, equal, at }) => {
      await sandbox.runShellOrThrow('mkdir -p top/sub && printf a > top/sub/a && chmod 640 top/sub/a && chmod 750 top/sub && ln -s a top/sub/l', { cwd: at('') });
      const found = await listingOf(await sandbox.archive(at('top')));
      equal('the first entry', { name: found[0]?.name, type: found[0]?.type }, { name: 'top', type: 'directory' });
      equal('the others', [...found].filter(({ name }) => name !== 'top').sort((a, b) => (a.name < b.name ? -1 : 1)), [
        { name: 'top/sub', type: 'directory', mode: 0o750, link: '', text: '' },
        { name: 'top/sub/a', type: 'file', mode: 0o640, link: '', text: 'a' },
        { name: 'top/sub/l', type: 'symlink', mode: 0o777, link: 'a', text: '' },
      ]);
    },
  },
  {
    name: 'archives names that are no text as the bytes they are',
    play: async ({ sandbox, equal, at }) => {
      await sandbox.runShellOrThrow('mkdir odd && : > "$(printf \'odd/caf\\351\')" && : > "odd/new\nline"', { cwd: at('') });
      const names = (await listingOf(await sandbox.archive(at('odd')))).map(({ name }) => name).sort();
      equal('the names', names, ['odd', 'odd/caf\u00e9', 'odd/new\nline']);
    },
  },
  {
    name: 'archives what the agent closed to others',
    play: async ({ sandbox, equal, at }) => {
      await sandbox.runShellOrThrow('mkdir shut && printf hidden > shut/a && chmod 000 shut/a', { cwd: at('') });
      const found = (await listingOf(await sandbox.archive(at('shut')))).find(({ name }) => name === 'shut/a');
      equal('a file of mode 000', { mode: found?.mode, text: found?.text }, { mode: 0, text: 'hidden' });
    },
  },
  {
    name: 'archives the state that the sandbox was started from',
    play: async ({ sandbox, equal, rejects, at, folder }) => {
      await sandbox.writeText(at('later'), 'x');
      const names = (await listingOf(await sandbox.archive(sandbox.workdir, { from: 'image' }))).map(({ name }) => name);
      equal('the check\'s own folder in it', names.filter((name) => name.includes(folder.slice(folder.lastIndexOf('/') + 1))), []);
      equal('the working directory in it', names.length > 0, true);
      await rejects('a file that was not there', sandbox.archive(at('later'), { from: 'image' }), SandboxPathError);
    },
  },
  {
    name: 'refuses to archive what is missing',
    play: async ({ sandbox, rejects, at }) => { await rejects('a path that is missing', sandbox.archive(at('nowhere')), SandboxPathError); },
  },
];
