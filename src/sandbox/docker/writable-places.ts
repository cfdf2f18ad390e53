import { posix } from 'node:path';
import type { HostConfig } from 'dockerode';
import { SandboxInputError } from '../errors.js';
import type { SandboxSpec } from '../sandbox.js';
import type { InspectedImage } from './image-facts.js';

/** What of a sandbox may be written, as the engine is told. */
export interface WritablePlaces {
  readonly settings: Pick<HostConfig, 'ReadonlyRootfs' | 'Mounts'>;
  /** Absolute: every folder on disk that can be written. */
  readonly folders: readonly string[];
  /** Of them, those of the agent's home that an image may lack. */
  readonly homeFolders: readonly string[];
  /** Folders that would be writable though they must not be, and have to be laid over by what cannot be written. */
  readonly closed: readonly string[];
}

const TEMPORARY = ['/tmp', '/var/tmp'];

/**
 * The places of a sandbox whose root cannot be written. They are volumes without a name: they begin with what the image has there, and
 * go with the container. The kernel refuses every other write, whoever asks. `undefined`: all may be written.
 *
 * @throws SandboxInputError where the working directory is the root itself and is to be written.
 */
export function writablePlacesOf({ writes, readOnlyRoot }: Pick<SandboxSpec, 'writes' | 'readOnlyRoot'>, image: Pick<InspectedImage, 'workdir' | 'home' | 'volumes'>): WritablePlaces | undefined {
  if (writes === undefined && readOnlyRoot !== true) return undefined;
  const isWritable = writes?.workspace !== false;
  if (writes !== undefined && isWritable && image.workdir === '/') throw new SandboxInputError('A sandbox whose working directory is / cannot be one where only the working directory is written. Give it a `workdir` of its own.');
  const homeFolders = (writes?.homeFolders ?? []).map((folder) => posix.join(image.home, folder));
  const own = (writes === undefined ? [image.workdir, image.home] : [...(isWritable ? [image.workdir] : []), ...homeFolders]).filter((path) => path !== '/');
  const folders = [...new Set([...own, ...TEMPORARY])];
  const isBelow = (path: string): boolean => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  // What an image declares as its volumes would be writable by that alone; so would a working directory below a folder that is.
  const [open, shut] = [image.volumes.filter((path) => isBelow(path) && path !== image.workdir), image.volumes.filter((path) => !isBelow(path))];
  const closed = isWritable || !(isBelow(image.workdir) || image.volumes.includes(image.workdir)) ? shut : [...new Set([...shut, image.workdir])];
  return {
    settings: {
      ReadonlyRootfs: true,
      Mounts: [...new Set([...folders, ...open])].map((Target) => ({ Type: 'volume' as const, Source: '', Target })),
    },
    folders,
    homeFolders,
    closed,
  };
}
