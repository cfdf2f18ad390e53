import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { posix } from 'node:path';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { messageOf } from '../../lifetime/error.js';
import { SandboxInputError, UnsafeArchiveError } from '../errors.js';
import type { Tree, TreeEntry } from './tree.js';

/**
 * The content of an archive of this machine, packed by gzip or not.
 *
 * @throws UnsafeArchiveError for a name or a link that leads out of the archive, a device, a pipe, or a name that comes twice.
 * @throws SandboxInputError for a file that is no archive or is cut.
 */
export async function* treeOfTar(hostPath: string): Tree {
  const file = createReadStream(hostPath);
  const unpacked = extract();
  const source = await isGzip(hostPath) ? file.pipe(createGunzip()) : file;
  for (const stream of new Set([file, source])) stream.on('error', (error: Error) => { unpacked.destroy(error); });
  source.pipe(unpacked);
  const seen = new Map<string, TreeEntry['kind']>();
  try {
    for await (const entry of unpacked) {
      const told = entryOf(entry.header, readable(entry as AsyncIterable<Uint8Array>, hostPath), seen);
      if (told !== undefined) yield told;
      entry.resume();
    }
  } catch (error) {
    throw error instanceof UnsafeArchiveError ? error : unreadable(hostPath, error);
  } finally {
    file.destroy();
  }
}

async function* readable(bytes: AsyncIterable<Uint8Array>, hostPath: string): AsyncIterable<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw unreadable(hostPath, error);
  }
}

function unreadable(hostPath: string, error: unknown): SandboxInputError {
  return new SandboxInputError(`The archive "${hostPath}" cannot be read: ${messageOf(error)}. It must be a .tar or a .tar.gz file.`, { cause: error });
}

function entryOf(header: Header, bytes: AsyncIterable<Uint8Array>, seen: Map<string, TreeEntry['kind']>): TreeEntry | undefined {
  const path = safePathOf(header.name, header.name);
  if (path === '') return undefined; // The folder itself.
  const own = { path, mode: (header.mode ?? 0o644) & 0o777, mtime: header.mtime ?? new Date(0) };
  const entry = typedEntryOf(header, own, bytes, seen);
  const before = seen.get(path);
  if (before !== undefined && (before !== 'directory' || entry.kind !== 'directory')) throw new UnsafeArchiveError(header.name, 'it comes twice');
  // A name below a link would be written wherever that link leads.
  for (let parent = posix.dirname(path); parent !== '.'; parent = posix.dirname(parent)) {
    if ((seen.get(parent) ?? 'directory') !== 'directory') throw new UnsafeArchiveError(header.name, `it is below ${JSON.stringify(parent)}, which is no folder`);
  }
  seen.set(path, entry.kind);
  return entry;
}

function typedEntryOf(
  header: Header,
  own: { readonly path: string; readonly mode: number; readonly mtime: Date },
  bytes: AsyncIterable<Uint8Array>,
  seen: ReadonlyMap<string, TreeEntry['kind']>,
): TreeEntry {
  switch (header.type) {
    case 'directory': return { ...own, kind: 'directory' };
    case 'file': case 'contiguous-file': return { ...own, kind: 'file', sizeBytes: header.size ?? 0, bytes };
    case 'symlink': return { ...own, kind: 'symlink', target: safeTargetOf(own.path, header) };
    case 'link': {
      const target = safePathOf(header.linkname ?? '', header.name);
      if (seen.get(target) !== 'file') throw new UnsafeArchiveError(header.name, 'it is a hard link to a file that did not come before it');
      return { ...own, kind: 'hardlink', target };
    }
    default: throw new UnsafeArchiveError(header.name, `it is a ${header.type ?? 'thing'}; only files, folders and links are taken`);
  }
}

function safePathOf(name: string, shown: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.includes('..') || name.includes('\0')) throw new UnsafeArchiveError(shown, 'its name leaves the target folder');
  return parts.join('/');
}

/** Climbing is allowed at the beginning only: behind another link of the archive a `..` may lead anywhere. */
function safeTargetOf(path: string, { name, linkname = '' }: Header): string {
  const climbs = /^(?:\.\.?(?:\/+|$))*/.exec(linkname)?.[0] ?? '';
  const steps = climbs.split('/').filter((part) => part === '..').length;
  const depth = path.split('/').length - 1;
  if (linkname === '' || linkname.startsWith('/') || linkname.includes('\0') || steps > depth || linkname.slice(climbs.length).split('/').includes('..')) {
    throw new UnsafeArchiveError(name, `it is a link to ${JSON.stringify(linkname)}, which may lead out of the target folder`);
  }
  return linkname;
}

async function isGzip(hostPath: string): Promise<boolean> {
  await using file = await open(hostPath).catch((error: unknown) => { throw unreadable(hostPath, error); });
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
}
