import { open, rename } from 'node:fs/promises';

/** Writes a whole file or nothing: into a sibling first, flushed to disk, then renamed into its place. */
export async function writeAtomic(path: string, text: string): Promise<void> {
  const sibling = `${path}.${process.pid}.part`;
  const file = await open(sibling, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(sibling, path);
}
