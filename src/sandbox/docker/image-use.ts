import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Notes that an image is used now: the time of an empty file in the user's cache folder. Where that cannot be written, the
 * time of the image's creation is all that is known.
 *
 * @param id Of the image, as the engine gives it.
 */
export async function recordImageUse(id: string): Promise<void> {
  const file = fileOf(id);
  const now = new Date();
  try {
    await utimes(file, now, now);
  } catch {
    await mkdir(folder(), { recursive: true }).then(() => writeFile(file, '')).catch(() => undefined);
  }
}

/** When an image was last used from this machine. `undefined`: nothing is known of it. */
export async function lastImageUse(id: string): Promise<Date | undefined> {
  return stat(fileOf(id)).then(({ mtime }) => mtime, () => undefined);
}

/** Forgets all images but these. */
export async function forgetOtherImages(ids: readonly string[]): Promise<void> {
  const kept = new Set(ids.map(nameOf));
  for (const name of await readdir(folder()).catch(() => [])) if (!kept.has(name)) await rm(join(folder(), name), { force: true });
}

function fileOf(id: string): string {
  return join(folder(), nameOf(id));
}

function nameOf(id: string): string {
  return id.replace(/^sha256:/, '').replace(/[^0-9A-Za-z]/g, '-').slice(0, 64);
}

/** A relative XDG_CACHE_HOME is to be ignored, says its specification. */
function folder(): string {
  const cache = process.env['XDG_CACHE_HOME'];
  return join(cache !== undefined && isAbsolute(cache) ? cache : join(homedir(), '.cache'), 'niceeval', 'images');
}
