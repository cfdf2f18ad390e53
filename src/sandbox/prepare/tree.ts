import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { SandboxInputError } from '../errors.js';
import { createIgnoreRules, type IgnoreRules } from './ignore-rules.js';

/** One entry of a tree of files. `path` is relative, without `.` and `..`. A file's bytes are to be read, once, before the next entry is asked for. */
export type TreeEntry = { readonly path: string; readonly mode: number; readonly mtime: Date } & (
  | { readonly kind: 'directory' }
  | { readonly kind: 'symlink'; readonly target: string }
  /** Another name of a file that came before. */
  | { readonly kind: 'hardlink'; readonly target: string }
  | { readonly kind: 'file'; readonly sizeBytes: number; readonly bytes: AsyncIterable<Uint8Array> }
);

/** Files in the order of their names, each folder before what is in it. */
export type Tree = AsyncIterable<TreeEntry>;

/**
 * The content of a host folder. Links are told as links.
 *
 * @param ignore Globs, relative to the folder, of what is left out; or rules of them, which know afterwards what fitted.
 * @throws SandboxInputError for what is neither a file, a folder nor a link, and for a folder that cannot be read.
 */
export async function* treeOfFolder(hostPath: string, ignore: readonly string[] | IgnoreRules = []): Tree {
  const facts = await lstat(hostPath).catch((error: unknown) => {
    throw new SandboxInputError(`The folder "${hostPath}" cannot be uploaded: it cannot be read.`, { cause: error });
  });
  if (!facts.isDirectory()) throw new SandboxInputError(`"${hostPath}" is not a folder. Use uploadFile for a file.`);
  const rules = 'isIgnored' in ignore ? ignore : createIgnoreRules(ignore);
  yield* entriesBelow(hostPath, '', rules.isIgnored);
}

/** One host file as a tree of one entry. A link is followed. @param name Its path in the tree. */
export async function* treeOfFile(hostPath: string, name: string): Tree {
  yield fileEntry(hostPath, name, await stat(hostPath));
}

/** The tree with its digest, which is known when all of it was read: paths, kinds, modes, targets of links and bytes. Times do not count. */
export function digested(tree: Tree): { readonly tree: Tree; digest(): string } {
  const hash = createHash('sha256');
  async function* through(): Tree {
    for await (const entry of tree) {
      const { kind, path, mode } = entry;
      hash.update(JSON.stringify([kind, path, kind === 'symlink' ? 0 : mode, 'target' in entry ? entry.target : 'sizeBytes' in entry ? entry.sizeBytes : 0]));
      yield entry.kind === 'file' ? { ...entry, bytes: hashedBytes(entry.bytes, hash) } : entry;
    }
  }
  return { tree: through(), digest: () => hash.digest('hex') };
}

/** The digest of a tree, read for it alone. */
export async function digestOf(tree: Tree): Promise<string> {
  const { tree: read, digest } = digested(tree);
  for await (const entry of read) if (entry.kind === 'file') for await (const _chunk of entry.bytes);
  return digest();
}

async function* hashedBytes(bytes: AsyncIterable<Uint8Array>, hash: { update(chunk: Uint8Array): unknown }): AsyncIterable<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

async function* entriesBelow(root: string, below: string, isIgnored: (path: string) => boolean): Tree {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = posix.join(below, entry.name);
    if (isIgnored(path)) continue;
    yield await entryOf(join(root, path), path);
    if (entry.isDirectory()) yield* entriesBelow(root, path, isIgnored);
  }
}

async function entryOf(hostPath: string, path: string): Promise<TreeEntry> {
  const facts = await lstat(hostPath);
  const own = { path, mode: facts.mode & 0o7777, mtime: facts.mtime };
  if (facts.isDirectory()) return { ...own, kind: 'directory' };
  if (facts.isSymbolicLink()) return { ...own, kind: 'symlink', target: await readlink(hostPath) };
  if (facts.isFile()) return fileEntry(hostPath, path, facts);
  throw new SandboxInputError(`"${hostPath}" is neither a file, a folder nor a link, so it cannot be uploaded. Leave it out with \`ignore\`.`);
}

function fileEntry(hostPath: string, path: string, { mode, size, mtime }: { readonly mode: number; readonly size: number; readonly mtime: Date }): TreeEntry {
  return { kind: 'file', path, mode: mode & 0o7777, mtime, sizeBytes: size, bytes: bytesOf(hostPath, size) };
}

/** A file that grows while it is read is read as long as it was when it was looked at. */
async function* bytesOf(hostPath: string, sizeBytes: number): AsyncIterable<Uint8Array> {
  if (sizeBytes > 0) yield* createReadStream(hostPath, { end: sizeBytes - 1 }) as AsyncIterable<Buffer>;
}
