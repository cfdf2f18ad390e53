import { createWriteStream } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SandboxPathError } from '../errors.js';
import type { Tree } from '../prepare/tree.js';

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
 * Lays a tree of files below a path. Entries keep their permission bits; links are made as links.
 *
 * @throws SandboxPathError as `writeHere`, and what the tree throws.
 */
export async function layHere(tree: Tree, target: WriteTarget): Promise<void> {
  await makeWay(target);
  for await (const entry of tree) {
    const path = join(target.path, entry.path);
    if (entry.kind === 'directory') {
      await makeWay({ ...target, path });
      await chmod(path, entry.mode);
      continue;
    }
    await makeWay({ ...target, path: dirname(path) }, path);
    await makeRoom(path);
    if (entry.kind === 'symlink') await symlink(entry.target, path);
    else if (entry.kind === 'hardlink') await copyFile(join(target.path, entry.target), path);
    else await pipeline(entry.bytes, createWriteStream(path, { flags: 'wx' }));
    if (entry.kind !== 'symlink') await chmod(path, entry.mode);
  }
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
