import { escapePath, escapePathText } from '../evidence/path-text.js';
import type { FileKind } from '../evidence/file-changes.js';
import type { OwnedSandbox } from '../sandbox/sandbox.js';
import { WorkspaceScanError } from './errors.js';
import type { Entry, Manifest } from './manifest.js';

// Every field ends with a NUL, which no path can hold: type, mode, owner, size, times and inode together, link text, path.
const FORMAT = '%y\\0%m\\0%U\\0%G\\0%s\\0%T@ %C@ %i\\0%l\\0';
const FIELDS = 8;
const WALK_LIMIT_MS = 5 * 60_000;

const KINDS: Readonly<Record<string, FileKind>> = {
  f: 'file', d: 'directory', l: 'symlink', p: 'fifo', s: 'socket', c: 'character-device', b: 'block-device',
};

/**
 * Scans a root by one walk inside the sandbox, as root, so that nothing the agent closed to others is missed.
 * `undefined`: the image has no `find` that can do it.
 *
 * @throws WorkspaceScanError when the walk did not get through.
 */
export async function scanByWalk(sandbox: OwnedSandbox, root: string): Promise<Manifest | undefined> {
  return walk(sandbox, [root], { format: `${FORMAT}%P\\0`, ends: [''] });
}

/**
 * Scans several roots by one walk. An entry belongs to the deepest root that it is in, and to no other.
 *
 * @param roots Absolute.
 */
export async function scanRootsByWalk(sandbox: OwnedSandbox, roots: readonly string[]): Promise<ReadonlyMap<string, Manifest> | undefined> {
  const outermost = roots.filter((root) => !roots.some((other) => root.startsWith(`${other}/`)));
  const walked = await walk(sandbox, outermost, { format: `${FORMAT}%p\\0`, ends: outermost.map(escapePathText) });
  if (walked === undefined) return undefined;
  const manifests = new Map(roots.map((root) => [root, new Map<string, Entry>()]));
  const deepestFirst = [...manifests].map(([root, manifest]) => ({ prefix: `${escapePathText(root)}/`, manifest })).sort((a, b) => b.prefix.length - a.prefix.length);
  for (const [path, entry] of walked) {
    const home = deepestFirst.find(({ prefix }) => path.startsWith(prefix));
    home?.manifest.set(path.slice(home.prefix.length), entry);
  }
  return manifests;
}

/** @param options.ends Each root as the format prints it. */
async function walk(
  sandbox: OwnedSandbox, roots: readonly string[], { format, ends }: { readonly format: string; readonly ends: readonly string[] },
): Promise<Manifest | undefined> {
  const reader = createWalkReader(roots.join(', '), ends);
  let trouble = '';
  const { exitCode } = await sandbox.exec(['/usr/bin/find', ...roots, '-depth', '-printf', format], {
    user: '0',
    cwd: '/',
    timeoutMs: WALK_LIMIT_MS,
    untilOutputEnds: true,
    onStdout: (chunk) => { reader.push(chunk); },
    onStderr: (chunk) => { trouble = (trouble + Buffer.from(chunk).toString('utf8')).slice(0, 2000); },
  });
  if (exitCode === 126 || exitCode === 127) return undefined;
  if (exitCode !== 0 && /unrecognized|unknown predicate|-printf/.test(trouble)) return undefined; // busybox
  if (exitCode !== 0) throw new WorkspaceScanError(roots.join(', '), `find ended with ${exitCode}: ${trouble.trim()}`);
  return reader.end();
}

/** Reads a walk piece by piece, while it goes on. */
export interface WalkReader {
  push(chunk: Uint8Array): void;
  /** @throws WorkspaceScanError when the walk was cut. */
  end(): Manifest;
}

/**
 * A tree may have a million entries, so fields are read where they lie, and each entry as soon as it is whole.
 *
 * @param roots The paths of the roots themselves, escaped. A walk tells each of them after everything in it, so one without them was cut.
 */
export function createWalkReader(root: string, roots: readonly string[]): WalkReader {
  const manifest = new Map<string, Entry>();
  const missing = new Set(roots);
  const ends = new Array<number>(FIELDS).fill(0);
  let rest: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      const output = rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([rest, chunk]);
      let start = 0;
      while (findEnds(output, start, ends)) {
        const path = escapePath(output.subarray((ends[6] as number) + 1, ends[7]));
        if (!missing.delete(path)) manifest.set(path, entryOf(output, start, ends, root));
        start = (ends[7] as number) + 1;
      }
      rest = Buffer.from(output.subarray(start)); // A copy: the chunk is the stream's own.
    },
    end() {
      if (rest.length > 0 || missing.size > 0) throw new WorkspaceScanError(root, 'the walk was cut before its end');
      return manifest;
    },
  };
}

/** Where each field of the entry ends that begins at `start`. False: the entry is not whole yet. */
function findEnds(output: Buffer, start: number, ends: number[]): boolean {
  let from = start;
  for (let field = 0; field < FIELDS; field += 1) {
    const end = output.indexOf(0, from);
    if (end < 0) return false;
    ends[field] = end;
    from = end + 1;
  }
  return true;
}

/** @param ends Where each field ends. */
function entryOf(output: Buffer, start: number, ends: readonly number[], root: string): Entry {
  const startOf = (field: number): number => (field === 0 ? start : (ends[field - 1] as number) + 1);
  const number = (field: number, base: 8 | 10): number => {
    let value = 0;
    for (let at = startOf(field); at < (ends[field] as number); at += 1) value = value * base + (output[at] as number) - 0x30;
    return value;
  };
  const type = output.toString('latin1', start, ends[0]);
  const kind = KINDS[type];
  if (kind === undefined) throw new WorkspaceScanError(root, `the walk gave an entry of the unknown type "${type}"`);
  return {
    kind,
    mode: number(1, 8),
    uid: number(2, 10),
    gid: number(3, 10),
    sizeBytes: kind === 'file' ? number(4, 10) : 0,
    // A folder's own times and size follow what is in it, which is told by itself. Else: both times and the inode, as they came.
    stamp: kind === 'directory' ? 'directory' : output.toString('latin1', startOf(5), ends[5]),
    ...(kind === 'symlink' ? { linkTarget: escapePath(output.subarray(startOf(6), ends[6])) } : {}),
  };
}
