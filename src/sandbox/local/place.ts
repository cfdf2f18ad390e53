import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { currentOwner, formatOwner } from '../owner.js';
import { endMarked } from './processes.js';

/** What every folder of the backend is called by. */
export const PLACE_PREFIX = 'niceeval-local-';
/** The file in each of them that names its owner. It is written before anything else. */
export const OWNER_FILE = 'owner';

/** A temporary folder of this machine with the processes that belong to it. */
export interface LocalPlace {
  /** Absolute, without links. Nobody but the present user may enter it. */
  readonly folder: string;
  /** The folder's own name, which no other has. Every process of the place carries it in its environment. */
  readonly marker: string;
  /** Process groups of the commands that were started here, for systems that tell nothing of environments. */
  readonly groups: Set<number>;
  /** Ends all its processes and removes the folder. Call once. */
  close(): Promise<void>;
}

/** Makes a folder in the system's folder for temporary files. @param runId Becomes part of its name. */
export async function openPlace(runId: string): Promise<LocalPlace> {
  const marker = `${PLACE_PREFIX}${runId}-${randomBytes(8).toString('hex')}`;
  const folder = join(await realpath(tmpdir()), marker);
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(folder, OWNER_FILE), formatOwner(currentOwner()));
  const groups = new Set<number>();
  return { folder, marker, groups, close: () => clearPlace(folder, groups) };
}

/** Ends what carries the folder's name, and removes the folder. */
export async function clearPlace(folder: string, groups: ReadonlySet<number> = new Set()): Promise<void> {
  await endMarked(basename(folder), groups);
  try {
    // What cannot be removed at the first try is a folder that somebody filled meanwhile.
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Or one that its owner may not enter or write to.
    await openFolders(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Lets the owner into every folder. Links are not followed. */
async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
  }
}
