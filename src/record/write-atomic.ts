import { open, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/**
 * Writes a whole file or nothing: into a sibling first, then renamed into its place.
 *
 * @param options.durable `name`: it is on disk when this settles, its name as well. `content`: its bytes are on disk before it has its name,
 *   so after a crash of the machine it is whole or has not been written.
 */
export async function writeAtomic(path: string, text: string, options: { readonly durable: 'name' | 'content' }): Promise<void> {
  const sibling = `${path}.${process.pid}.part`;
  const file = await open(sibling, 'w');
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(sibling, path);
  if (options.durable === 'name') await syncFolder(dirname(path));
}

/** Marks a folder as whole. Nothing is written to it afterwards. */
export async function writeMarker(path: string, options: { readonly durable: boolean }): Promise<void> {
  await (await open(path, 'w')).close();
  if (options.durable) await syncFolder(dirname(path));
}

/** True for a file that a writer that died left beside the one that it was for. */
export function isPart(path: string): boolean {
  return /\.\d+\.part$/.test(basename(path));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
