import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { extract, pack, type Header, type Pack } from 'tar-stream';
import { messageOf } from '../../lifetime/error.js';
import { SandboxPathError } from '../errors.js';
import type { Tree, TreeEntry } from '../prepare/tree.js';
import type { Engine } from './engine.js';
import { statusCodeOf } from './engine.js';

/** Where an upload goes. */
export interface UploadTarget {
  /** Absolute. */
  readonly path: string;
  readonly owner: FileOwner;
  /** Folders in which the agent may make links. */
  readonly agentFolders: readonly string[];
}

/** Who an uploaded entry belongs to. */
export interface FileOwner { readonly uid: number; readonly gid: number; }

/** What the engine says of one path, without following a link. `undefined`: no such path. */
export interface PathFacts { readonly isDirectory: boolean; readonly linkTarget: string; readonly mode: number; }

const LINK_LIMIT = 16;
const TRANSFER_LIMIT_MS = 30 * 60_000;
// Go's os.FileMode bits, which the engine reports: ModeDir is the highest bit.
const GO_MODE_DIR = 2 ** 31;
const GO_MODE_SYMLINK = 2 ** 27;

/** Looks at one absolute path by the engine's archive head. */
export async function pathFacts(engine: Engine, containerId: string, path: string): Promise<PathFacts | undefined> {
  try {
    const head = await engine.call(`look at ${path}`, (docker) => docker.getContainer(containerId).infoArchive({ path })) as NodeJS.ReadableStream & {
      headers?: Record<string, string | string[] | undefined>;
      resume?: () => void;
    };
    head.resume?.();
    const encoded = head.headers?.['x-docker-container-path-stat'];
    const stat = JSON.parse(Buffer.from(String(encoded), 'base64').toString('utf8')) as { mode: number; linkTarget: string };
    // Podman gives every path a target: itself, or where its links lead in the end.
    const isLink = Math.floor(stat.mode / GO_MODE_SYMLINK) % 2 === 1;
    return { isDirectory: stat.mode >= GO_MODE_DIR, linkTarget: isLink ? stat.linkTarget : '', mode: stat.mode % 0o1000 };
  } catch (error) {
    if (statusCodeOf(error) === 404 || await leadsThroughFile(engine, containerId, path, error)) return undefined;
    throw error;
  }
}

/** The engine answers 500 for a path below a file, and says why only to whoever asks for the archive itself. */
async function leadsThroughFile(engine: Engine, containerId: string, path: string, error: unknown): Promise<boolean> {
  if (statusCodeOf(error) !== 500) return false;
  try {
    (await openArchive(engine, containerId, path)).destroy();
    return false;
  } catch (refusal) {
    return /not a directory/i.test(messageOf(refusal));
  }
}

/** The tar stream of a path. @throws SandboxPathError when there is no such path. */
export async function openArchive(engine: Engine, containerId: string, path: string): Promise<Readable> {
  try {
    return await engine.call(`read ${path}`, (docker) => docker.getContainer(containerId).getArchive({ path })) as Readable;
  } catch (error) {
    if (statusCodeOf(error) === 404) throw new SandboxPathError(path, 'there is no such path');
    throw error;
  }
}

/** Reads one file, following links inside the container. @throws SandboxPathError when it is not a file. */
export async function readFileFromContainer(engine: Engine, containerId: string, path: string): Promise<Buffer> {
  let target = path;
  for (let step = 0; step < LINK_LIMIT; step += 1) {
    const facts = await pathFacts(engine, containerId, target).catch((error: unknown) => {
      // The engine answers 500 for a path that leads through a loop of links.
      if (statusCodeOf(error) === 500) throw new SandboxPathError(path, 'cannot be followed to a file');
      throw error;
    });
    if (facts === undefined) throw new SandboxPathError(path, 'there is no such file');
    if (facts.isDirectory) throw new SandboxPathError(path, 'is a folder');
    if (facts.linkTarget === '') return firstFileOf(await openArchive(engine, containerId, target), path);
    target = posix.resolve(posix.dirname(target), facts.linkTarget);
  }
  throw new SandboxPathError(path, `is a chain of more than ${LINK_LIMIT} links`);
}

async function firstFileOf(archive: Readable, path: string): Promise<Buffer> {
  try {
    for await (const entry of archive.pipe(extract())) {
      if (entry.header.type !== 'file' && entry.header.type !== 'contiguous-file') break;
      const chunks: Buffer[] = [];
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
      return Buffer.concat(chunks);
    }
  } finally {
    archive.destroy(); // What is left of the archive is only padding; without this its connection stays open.
  }
  throw new SandboxPathError(path, 'is not a regular file');
}

/**
 * Writes one file below existing folders; folders that are missing are made.
 *
 * @param target.path Absolute.
 * @throws SandboxPathError when the way there leads through a link that the agent may have made.
 */
export async function writeFileToContainer(
  engine: Engine,
  containerId: string,
  target: UploadTarget,
  file: { readonly bytes: Uint8Array; readonly mode: number },
): Promise<void> {
  const { path, owner } = target;
  const { base, missing } = await missingParents(engine, containerId, { ...target, path: posix.dirname(path) });
  const archive = pack();
  addFolders(archive, base, missing, owner);
  archive.entry({ name: posix.relative(base, path), mode: file.mode, mtime: new Date(), ...owner }, Buffer.from(file.bytes));
  archive.finalize();
  await putArchive(engine, containerId, base, archive);
}

/** Gives a folder, absolute, to an owner; what is in it stays as it is. @param mode Its permission bits. Default: 0755. */
export async function handOverFolder(engine: Engine, containerId: string, path: string, owner: FileOwner, mode = 0o755): Promise<void> {
  const archive = pack();
  addFolders(archive, '/', [path], owner, mode);
  archive.finalize();
  await putArchive(engine, containerId, '/', archive);
}

/**
 * Copies a tree of files to `path`. Entries keep their permission bits and belong to `owner`.
 *
 * @throws SandboxPathError when the way there leads through a link that the agent may have made.
 */
export async function uploadTree(engine: Engine, containerId: string, tree: Tree, target: UploadTarget): Promise<void> {
  const { base, missing } = await missingParents(engine, containerId, target);
  const archive = pack();
  addFolders(archive, base, missing, target.owner);
  const filled = fillArchive(archive, tree, posix.relative(base, target.path), target.owner);
  await Promise.all([putArchive(engine, containerId, base, archive), filled]);
}

async function fillArchive(archive: Pack, tree: Tree, prefix: string, owner: FileOwner): Promise<void> {
  archive.on('error', () => undefined); // Whoever calls this is told.
  try {
    for await (const entry of tree) await addEntry(archive, entry, prefix, owner);
    archive.finalize();
  } catch (error) {
    archive.destroy(error as Error);
    throw error;
  }
}

async function addEntry(archive: Pack, entry: TreeEntry, prefix: string, owner: FileOwner): Promise<void> {
  const header = { name: posix.join(prefix, entry.path), mode: entry.mode, mtime: entry.mtime, ...owner };
  switch (entry.kind) {
    case 'directory': archive.entry({ ...header, type: 'directory' }); return;
    case 'symlink': archive.entry({ ...header, type: 'symlink', linkname: entry.target }); return;
    case 'hardlink': archive.entry({ ...header, type: 'link', linkname: posix.join(prefix, entry.target) }); return;
    case 'file': await addFile(archive, entry.bytes, { ...header, size: entry.sizeBytes });
  }
}

async function addFile(archive: Pack, bytes: AsyncIterable<Uint8Array>, header: Partial<Header> & { name: string }): Promise<void> {
  let close: (error?: Error | null) => void = () => undefined;
  const closed = new Promise<void>((resolve, reject) => { close = (error) => (error ? reject(error) : resolve()); });
  const entry = archive.entry(header, (error) => close(error));
  // Whoever reads the bytes is told first; what then breaks in the archive says the same.
  closed.catch(() => undefined);
  entry.on('error', () => undefined);
  for await (const chunk of bytes) {
    if (!entry.write(chunk)) await Promise.race([new Promise<void>((resolve) => { entry.once('drain', () => resolve()); }), closed]);
  }
  entry.end(undefined);
  await closed;
}

function addFolders(archive: Pack, base: string, folders: readonly string[], owner: FileOwner, mode = 0o755): void {
  for (const folder of folders) {
    archive.entry({ name: posix.relative(base, folder), type: 'directory', mode, mtime: new Date(), ...owner });
  }
}

/**
 * The deepest folder that exists on the way to a path, and those below it that do not. The engine unpacks as root and
 * follows links, so a link of the agent's on the way would let it choose which folder of the system is written, and given to it.
 */
async function missingParents(engine: Engine, containerId: string, { path, agentFolders }: UploadTarget): Promise<{ base: string; missing: readonly string[] }> {
  const missing: string[] = [];
  let at = path;
  let facts = await pathFacts(engine, containerId, at);
  while (at !== '/' && facts === undefined) {
    missing.unshift(at);
    at = posix.dirname(at);
    facts = at === '/' ? undefined : await pathFacts(engine, containerId, at);
  }
  const base = at;
  for (; agentFolders.some((folder) => at.startsWith(`${folder}/`)); at = posix.dirname(at)) {
    facts = at === base ? facts : await pathFacts(engine, containerId, at);
    if (facts?.linkTarget !== undefined && facts.linkTarget !== '') {
      throw new SandboxPathError(path, `the way there leads through ${at}, which is a link. Name the folder itself, or remove the link first.`);
    }
  }
  return { base, missing };
}

/** Unpacks a tar stream below a folder that exists. */
export async function putArchive(engine: Engine, containerId: string, path: string, archive: Readable | Pack): Promise<void> {
  // tar-stream speaks streamx; the engine's client wants a stream of Node.
  const body = archive instanceof Readable ? archive : Readable.from(archive as AsyncIterable<Uint8Array>, { objectMode: false });
  await engine.call(`write below ${path}`, (docker) => docker.getContainer(containerId).putArchive(body, { path }), TRANSFER_LIMIT_MS);
}
