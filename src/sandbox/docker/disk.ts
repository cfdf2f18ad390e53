import { statfs } from 'node:fs/promises';
import { ImageError } from '../errors.js';
import { sizeText } from '../size-text.js';
import type { Engine } from './engine.js';

/** What making an image may take, with room to go on. */
export const BUILD_BYTES = 3 * 1024 ** 3;

/** Free bytes in the folder where the engine keeps its data. `undefined`: the folder cannot be seen from here. */
export async function freeBytesIn(rootFolder: unknown): Promise<number | undefined> {
  return typeof rootFolder === 'string' ? statfs(rootFolder).then(({ bavail, bsize }) => bavail * bsize, () => undefined) : undefined;
}

/**
 * Looks whether there is room to make an image. Where that cannot be seen from here nothing is claimed.
 *
 * @param neededBytes Default: 3 GiB.
 * @throws ImageError when there is less.
 */
export async function requireRoom(engine: Engine, what: string, neededBytes = BUILD_BYTES): Promise<void> {
  const { DockerRootDir: folder } = await engine.call('describe itself', (docker) => docker.info()) as { readonly DockerRootDir?: unknown };
  const freeBytes = await freeBytesIn(folder);
  if (freeBytes === undefined || freeBytes >= neededBytes) return;
  throw new ImageError(
    `${what} cannot be made: ${sizeText(freeBytes)} are free in ${String(folder)}, where the engine keeps its data, and ${sizeText(neededBytes)} are needed. `
      + '`niceeval images gc` removes images that nothing has used for two weeks; `docker system df` tells what takes the space.',
  );
}
