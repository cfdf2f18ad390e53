import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { messageOf } from '../lifetime/error.js';
import { CassetteError } from '../gateway/errors.js';
import { bodyPathOf } from './cassette-path.js';

const inflate = promisify(gunzip);
const deflate = promisify(gzip);

const CLEAN = 'Take it out of the way, or name another folder.';
/** What gzip may add to bytes that cannot be made shorter. */
const largestGzip = (sizeBytes: number): number => sizeBytes + Math.ceil(sizeBytes / 1_000) + 1_024;

/**
 * Reads a file below a folder; never through a link in its name, and never something that could be waited at for ever.
 *
 * @param path Relative to `root`.
 * @returns `undefined` when there is none.
 * @throws CassetteError when it is no file, is too large or cannot be read.
 */
export async function readFileBelow(root: string, path: string, mostBytes: number): Promise<Buffer | undefined> {
  const place = join(root, path);
  const fault = (problem: string, cause?: unknown): CassetteError => new CassetteError({ file: place, problem, remedy: CLEAN }, cause === undefined ? undefined : { cause });
  let handle: FileHandle;
  try {
    handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw fault(code === 'ELOOP' ? 'is a link, which is not followed' : `cannot be read: ${messageOf(error)}`, error);
  }
  try {
    const { size } = await statOf(handle, fault);
    if (size > mostBytes) throw fault(`has ${size} bytes, and at most ${mostBytes} are read`);
    // It may grow while it is read.
    const bytes = Buffer.alloc(size);
    let read = 0;
    while (read < size) {
      const { bytesRead } = await handle.read(bytes, read, size - read, read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return bytes.subarray(0, read);
  } finally {
    await handle.close();
  }
}

async function statOf(handle: FileHandle, fault: (problem: string) => CassetteError): Promise<{ readonly size: number }> {
  const stat = await handle.stat();
  if (!stat.isFile()) throw fault('is no file');
  return stat;
}

/**
 * Writes a whole file or nothing below a folder; what has its name before is replaced.
 *
 * @param path Relative to `root`, with `/`.
 * @throws CassetteError when a link leads out of the folder; whatever the file system says otherwise.
 */
export async function writeFileBelow(root: string, path: string, bytes: Uint8Array | string): Promise<void> {
  const place = join(root, path);
  const folder = dirname(place);
  await mkdir(root, { recursive: true });
  const realRoot = await realpath(root);
  // Folder by folder: `mkdir` would follow a link and make the rest behind it.
  let at = root;
  for (const name of path.split('/').slice(0, -1)) {
    at = join(at, name);
    await mkdir(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const real = await realpath(at);
    if (real !== realRoot && !real.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep)) {
      throw new CassetteError({ file: at, problem: 'is a link that leads out of the cassette folder', remedy: CLEAN });
    }
  }
  const sibling = `${place}.${process.pid}-${randomBytes(6).toString('hex')}.part`;
  try {
    const file = await open(sibling, 'wx');
    try {
      await file.writeFile(bytes);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(sibling, place);
  } catch (error) {
    await rm(sibling, { force: true });
    throw error;
  }
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Stores a body under its hash, once. One that is there but does not fit its name is replaced. */
export async function storeBody(root: string, bytes: Uint8Array): Promise<string> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const there = await loadBody(root, sha256, bytes.length).catch((error: unknown) => {
    if (error instanceof CassetteError) return undefined;
    throw error;
  });
  if (there === undefined) await writeFileBelow(root, bodyPathOf(sha256), await deflate(bytes));
  return sha256;
}

/**
 * Loads a body by its hash.
 *
 * @returns `undefined` when it is not there.
 * @throws CassetteError when it is not what its name says.
 */
export async function loadBody(root: string, sha256: string, sizeBytes: number): Promise<Uint8Array | undefined> {
  const path = bodyPathOf(sha256);
  const packed = await readFileBelow(root, path, largestGzip(sizeBytes));
  if (packed === undefined) return undefined;
  const bytes = await inflate(packed, { maxOutputLength: Math.max(1, sizeBytes) }).catch(() => undefined);
  if (bytes?.length === sizeBytes && createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
  throw new CassetteError({ file: join(root, path), problem: 'is not the body that its name says: it is damaged or was changed', remedy: 'Delete it and record again (`--record DIR`), or take it from a backup.' });
}
