import { lstat, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownerStateOf, parseOwner } from '../owner.js';
import type { ReapReport } from '../sandbox.js';
import { clearPlace, OWNER_FILE, PLACE_PREFIX } from './place.js';

/** Removes folders of ours, and ends the processes that carry their names, whose owner is certainly dead. Others are kept and named. */
export async function reapFolders(options: { readonly dryRun?: boolean } = {}): Promise<ReapReport> {
  const folders: string[] = [];
  const kept: string[] = [];
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PLACE_PREFIX)) continue;
    const folder = join(tmpdir(), name);
    if (!(await isOurs(folder))) continue;
    const owner = parseOwner(await readFile(join(folder, OWNER_FILE), 'utf8').catch(() => undefined));
    if (owner === undefined || ownerStateOf(owner) !== 'dead') {
      kept.push(folder);
      continue;
    }
    // One that cannot be removed must not keep the others, or the next run, from anything.
    const isGone = options.dryRun === true || await clearPlace(folder).then(() => true, () => false);
    (isGone ? folders : kept).push(folder);
  }
  return { containers: [], networks: [], folders, kept };
}

/** Anybody may make a folder with such a name there; only one of the present user's is taken for ours. */
async function isOurs(folder: string): Promise<boolean> {
  const facts = await lstat(folder).catch(() => undefined);
  return facts?.isDirectory() === true && facts.uid === process.getuid?.();
}
