import { posix } from 'node:path';
import { PassThrough } from 'node:stream';
import { escapePath, unescapePath } from '../evidence/path-text.js';
import { SandboxPathError } from '../sandbox/errors.js';
import type { OwnedSandbox } from '../sandbox/sandbox.js';
import type { ContentStore } from './content-store.js';
import { WorkspaceScanError } from './errors.js';
import type { ContentFacts } from './manifest.js';
import { nameBytesOf, tarEntriesOf } from './tar-entries.js';

const READ_LIMIT_MS = 10 * 60_000;

/** Of one file, and of all files of one look: a file with a hole in it can be of any size. */
const FILE_LIMIT_BYTES = 1024 ** 3;
const LOOK_LIMIT_BYTES = 4 * 1024 ** 3;

/** The files that are read within the limits on bytes; the smaller ones go first. The others have a size and no hash. */
export function withinLimits(files: readonly { readonly path: string; readonly sizeBytes: number }[]): readonly string[] {
  let leftBytes = LOOK_LIMIT_BYTES;
  return [...files].sort((a, b) => a.sizeBytes - b.sizeBytes).filter(({ sizeBytes }) => {
    if (sizeBytes > Math.min(FILE_LIMIT_BYTES, leftBytes)) return false;
    leftBytes -= sizeBytes;
    return true;
  }).map(({ path }) => path);
}

/** Reads many files of the living sandbox in one go. Files that are gone by now are left out. */
export async function readFiles(
  sandbox: OwnedSandbox,
  root: string,
  paths: readonly string[],
  store: ContentStore,
): Promise<ReadonlyMap<string, ContentFacts>> {
  if (paths.length === 0) return new Map();
  if (sandbox.rootIsTrusted) {
    const read = await readByTar(sandbox, root, paths, store);
    if (read !== undefined) return read;
  }
  return readByEngine(sandbox, root, paths, store, 'sandbox');
}

/** Reads files one by one through the engine: of the image, of a stopped sandbox, or where the image has no tar. */
export async function readByEngine(
  sandbox: OwnedSandbox,
  root: string,
  paths: readonly string[],
  store: ContentStore,
  from: 'sandbox' | 'image',
): Promise<ReadonlyMap<string, ContentFacts>> {
  const read = new Map<string, ContentFacts>();
  for (const path of paths) {
    try {
      const archive = await sandbox.archive(posix.join(root, Buffer.from(unescapePath(path)).toString('utf8')), { from });
      for await (const entry of tarEntriesOf(archive)) {
        if (entry.header.type === 'file') read.set(path, await store.take(entry));
        else entry.resume();
      }
    } catch (error) {
      if (!(error instanceof SandboxPathError)) throw error;
    }
  }
  return read;
}

/** `undefined`: the image has no tar that can do it. */
async function readByTar(
  sandbox: OwnedSandbox,
  root: string,
  paths: readonly string[],
  store: ContentStore,
): Promise<ReadonlyMap<string, ContentFacts> | undefined> {
  const read = new Map<string, ContentFacts>();
  const stream = new PassThrough();
  const names = Buffer.concat(paths.flatMap((path) => [Buffer.from('./'), Buffer.from(unescapePath(path)), Buffer.of(0)]));
  const unpacked = (async () => {
    // Names are bytes; latin1 carries each of them through the reader unharmed.
    for await (const entry of tarEntriesOf(stream)) {
      const path = escapePath(nameBytesOf(entry)).replace(/^\.\//, '');
      if (entry.header.type === 'file') read.set(path, await store.take(entry));
      else entry.resume();
    }
  })();
  let trouble = '';
  const ran = sandbox.exec(
    ['/bin/tar', '--create', '--file=-', '--format=gnu', '--hard-dereference', '--no-recursion',
      `--directory=${root}`, '--null', '--verbatim-files-from', '--files-from=-'],
    {
      user: '0',
      cwd: '/',
      timeoutMs: READ_LIMIT_MS,
      untilOutputEnds: true,
      stdin: names,
      onStdout: (chunk) => new Promise<void>((resolve) => {
        if (stream.write(Buffer.from(chunk))) resolve();
        else stream.once('drain', resolve);
      }),
      onStderr: (chunk) => { trouble = (trouble + Buffer.from(chunk).toString('utf8')).slice(0, 2000); },
    },
  ).finally(() => stream.end());
  const [{ exitCode }] = await Promise.all([ran, unpacked.catch((error: unknown) => { stream.destroy(); throw error; })]);
  if (exitCode === 126 || exitCode === 127 || /unrecognized option|invalid option/.test(trouble)) return undefined;
  // 1 and 2 are also how tar says that a file vanished; what came out whole is good.
  if (exitCode !== 0 && read.size === 0) throw new WorkspaceScanError(root, `tar ended with ${exitCode}: ${trouble.trim()}`);
  return read;
}
