import { escapePath } from '../evidence/path-text.js';
import type { FileKind } from '../evidence/file-changes.js';
import type { OwnedSandbox } from '../sandbox/sandbox.js';
import { WorkspaceScanError } from './errors.js';
import type { Entry, Manifest } from './manifest.js';

// Every field ends with a NUL, which no path can hold: type, mode, owner, size, times, inode, link text, path.
const FORMAT = '%y\\0%m\\0%U\\0%G\\0%s\\0%T@\\0%C@\\0%i\\0%l\\0%P\\0';
const FIELDS = 10;
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
  const chunks: Uint8Array[] = [];
  let trouble = '';
  const { exitCode } = await sandbox.exec(['/usr/bin/find', root, '-mindepth', '1', '-printf', FORMAT], {
    user: '0',
    cwd: '/',
    timeoutMs: WALK_LIMIT_MS,
    onStdout: (chunk) => { chunks.push(Buffer.from(chunk)); },
    onStderr: (chunk) => { trouble = (trouble + Buffer.from(chunk).toString('utf8')).slice(0, 2000); },
  });
  if (exitCode === 126 || exitCode === 127) return undefined;
  if (exitCode !== 0 && /unrecognized|unknown predicate|-printf/.test(trouble)) return undefined; // busybox
  if (exitCode !== 0) throw new WorkspaceScanError(root, `find ended with ${exitCode}: ${trouble.trim()}`);
  return parseWalk(Buffer.concat(chunks), root);
}

/** Reads the output of the walk. */
export function parseWalk(output: Buffer, root: string): Manifest {
  const manifest = new Map<string, Entry>();
  const fields: Buffer[] = [];
  let start = 0;
  for (let end = output.indexOf(0); end >= 0; end = output.indexOf(0, start)) {
    fields.push(output.subarray(start, end));
    start = end + 1;
    if (fields.length < FIELDS) continue;
    manifest.set(escapePath(fields[9] as Buffer), entryOf(fields, root));
    fields.length = 0;
  }
  if (fields.length > 0 || start !== output.length) throw new WorkspaceScanError(root, 'the walk was cut in the middle of an entry');
  return manifest;
}

function entryOf(fields: readonly Buffer[], root: string): Entry {
  const text = (index: number): string => fields[index]?.toString('latin1') ?? '';
  const kind = KINDS[text(0)];
  if (kind === undefined) throw new WorkspaceScanError(root, `the walk gave an entry of the unknown type "${text(0)}"`);
  return {
    kind,
    mode: Number.parseInt(text(1), 8),
    uid: Number(text(2)),
    gid: Number(text(3)),
    sizeBytes: kind === 'file' ? Number(text(4)) : 0,
    // A folder's own times and size follow what is in it, which is told by itself.
    ...(kind === 'directory' ? { stamp: 'directory' } : { stamp: `${text(5)} ${text(6)} ${text(7)}` }),
    ...(kind === 'symlink' ? { linkTarget: escapePath(fields[8] as Buffer) } : {}),
  };
}
