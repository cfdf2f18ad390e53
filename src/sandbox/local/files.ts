import { chmod, copyFile, lstat, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import picomatch from 'picomatch';
import { SandboxInputError, SandboxPathError } from '../errors.js';

/** Where something is written: an absolute path, which must lie in a folder of the sandbox. */
export interface WriteTarget {
  readonly path: string;
  /** The sandbox's own folder. */
  readonly folder: string;
}

/** Reads one file, following links. @throws SandboxPathError when it is not a file. */
export async function readHere(path: string): Promise<Buffer> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP') throw new SandboxPathError(path, 'cannot be followed to a file');
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw new SandboxPathError(path, 'there is no such file');
    throw error;
  });
  if (facts.isDirectory()) throw new SandboxPathError(path, 'is a folder');
  if (!facts.isFile()) throw new SandboxPathError(path, 'is not a regular file');
  return readFile(path);
}

/** Whether there is anything at a path, a link that leads nowhere included. */
export async function isThere(path: string): Promise<boolean> {
  return await lstat(path).catch(() => undefined) !== undefined;
}

/**
 * Writes one file; folders that are missing are made. A link or a file in its place is replaced.
 *
 * @throws SandboxPathError outside the sandbox's folder, through a link, or in the place of a folder.
 */
export async function writeHere(target: WriteTarget, file: { readonly bytes: Uint8Array; readonly mode: number }): Promise<void> {
  await makeWay({ ...target, path: dirname(target.path) }, target.path);
  await makeRoom(target.path);
  await writeFile(target.path, file.bytes, { flag: 'wx' });
  await chmod(target.path, file.mode);
}

/**
 * Copies the content of a host folder to a path. Entries keep their permission bits; links are copied as links.
 *
 * @throws SandboxInputError for a host folder that is none, or that holds something which cannot be copied.
 * @throws SandboxPathError as `writeHere`.
 */
export async function copyFolderHere(source: { readonly hostPath: string; readonly ignore: readonly string[] }, target: WriteTarget): Promise<void> {
  const facts = await lstat(source.hostPath).catch((error: unknown) => {
    throw new SandboxInputError(`The folder "${source.hostPath}" cannot be uploaded: it cannot be read.`, { cause: error });
  });
  if (!facts.isDirectory()) throw new SandboxInputError(`"${source.hostPath}" is not a folder. Use uploadFile for a file.`);
  await makeWay(target);
  const isIgnored = picomatch([...source.ignore], { dot: true });
  const copy = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(source.hostPath, below))) {
      const name = join(below, entry);
      if (isIgnored(name)) continue;
      if (await copyEntry(join(source.hostPath, name), { ...target, path: join(target.path, name) }) === 'folder') await copy(name);
    }
  };
  await copy('');
}

async function copyEntry(from: string, target: WriteTarget): Promise<'folder' | 'leaf'> {
  const facts = await lstat(from);
  if (facts.isDirectory()) {
    await makeWay(target);
    await chmod(target.path, facts.mode & 0o7777);
    return 'folder';
  }
  if (!facts.isSymbolicLink() && !facts.isFile()) throw new SandboxInputError(`"${from}" is neither a file, a folder nor a link, so it cannot be uploaded. Leave it out with \`ignore\`.`);
  await makeRoom(target.path);
  if (facts.isSymbolicLink()) await symlink(await readlink(from), target.path);
  else {
    await copyFile(from, target.path);
    await chmod(target.path, facts.mode & 0o7777);
  }
  return 'leaf';
}

/** Makes the folders of a path that are missing. A link on the way would let the agent choose which folder of the machine is written. */
async function makeWay({ path, folder }: WriteTarget, shown = path): Promise<void> {
  const parts = relative(folder, path).split(sep);
  if (parts[0] === '..') throw new SandboxPathError(shown, `lies outside the sandbox, on the machine itself. Write below ${folder}.`);
  let at = folder;
  for (const part of parts.filter((name) => name !== '')) {
    at = join(at, part);
    const facts = await lstat(at).catch(() => undefined);
    if (facts === undefined) {
      await mkdir(at);
      await chmod(at, 0o755);
    } else if (facts.isSymbolicLink()) {
      throw new SandboxPathError(shown, `the way there leads through ${at}, which is a link. Name the folder itself, or remove the link first.`);
    } else if (!facts.isDirectory()) {
      throw new SandboxPathError(shown, `the way there leads through ${at}, which is no folder.`);
    }
  }
}

async function makeRoom(path: string): Promise<void> {
  const facts = await lstat(path).catch(() => undefined);
  if (facts?.isDirectory() === true) throw new SandboxPathError(path, 'is a folder');
  if (facts !== undefined) await rm(path);
}
