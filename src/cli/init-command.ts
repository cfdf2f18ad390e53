import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AuthoringError } from '../plan/errors.js';
import { plainLine } from '../report/plain-text.js';
import { EXIT } from './exit-codes.js';
import { filesOf } from './init-files.js';
import { say } from './output.js';

const MOST_NAMED = 10;

/** `niceeval init`: writes a project that passes as it is. Files of the same names are replaced only with `force`. */
export async function initCommand(folder: string, { force = false }: { readonly force?: boolean }): Promise<number> {
  const root = resolve(folder);
  const own = fileURLToPath(new URL('../..', import.meta.url));
  const { version } = JSON.parse(await readFile(join(own, 'package.json'), 'utf8')) as { readonly version: string };
  // A copy that was not installed by npm may be of no version that a registry has.
  const isInstalled = own.split(sep).includes('node_modules');
  const files = filesOf({ name: nameOf(root), niceeval: isInstalled ? `^${version}` : `file:${own.replace(/[/\\]$/, '')}` });
  await checkIsFree(root, { force, names: Object.keys(files) });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  const where = folder === '.' ? '' : folder;
  await say(`${Object.keys(files).map((name) => `wrote ${plainLine(join(where, name))}\n`).join('')}next: ${where === '' ? '' : `cd ${plainLine(where)} && `}npm install && npm run eval\n`);
  return EXIT.ok;
}

/** @throws AuthoringError with what is in the way. */
async function checkIsFree(root: string, { force, names }: { readonly force: boolean; readonly names: readonly string[] }): Promise<void> {
  let there: readonly string[];
  try {
    there = (await readdir(root)).filter((name) => name !== '.git').sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new AuthoringError([`${root} cannot be made a project: it is no folder, or cannot be read.`], { cause: error });
  }
  if (there.length === 0 || force) return;
  const taken = await Promise.all(names.map((name) => access(join(root, name)).then(() => [name], () => [])));
  const more = there.length > MOST_NAMED ? ` and ${there.length - MOST_NAMED} more` : '';
  throw new AuthoringError([`${root} is not empty: it has ${there.slice(0, MOST_NAMED).join(', ')}${more}. ${taken.flat().length === 0 ? '--force writes the project beside that.' : `--force replaces ${taken.flat().join(', ')}.`}`]);
}

/** As npm takes it. */
function nameOf(root: string): string {
  return basename(root).toLowerCase().replace(/[^a-z0-9._-]+/g, '-').replace(/^[-._]+|-+$/g, '') || 'evals';
}
