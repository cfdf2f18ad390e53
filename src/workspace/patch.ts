import { structuredPatch } from 'diff';
import type { FileSide, NetChange } from '../evidence/file-changes.js';
import { unescapePath } from '../evidence/path-text.js';
import { gitBinaryPatch, gitBlobId } from './git-binary.js';

/** A path that a patch cannot carry. */
export interface LeftOut {
  readonly path: string;
  /** `not-kept`: its content. `no-file`, `metadata`, `mode`: git has no word for it. `git-path`: git takes no path with a `.git` in it. */
  readonly reason: 'not-kept' | 'no-file' | 'metadata' | 'mode' | 'git-path' | 'mixed';
}

/** What `git apply` takes, and what is not in it. */
export interface Patch {
  readonly text: string;
  readonly leftOut: readonly LeftOut[];
}

/** What git keeps of one side. */
interface Side {
  readonly mode: '100644' | '100755' | '120000';
  readonly bytes: Uint8Array;
  readonly isText: boolean;
}

/** Beyond so many lines that differ, or so long a search, a text is told as wholly new: the search takes the square of them. */
const MOST_EDITS = 4_000;
const SEARCH_LIMIT_MS = 500;
const NULL_ID = '0'.repeat(40);
const NOTHING = new Uint8Array();

/**
 * Writes changes as a patch for `git apply`: texts as hunks, other bytes as git's binary patches, executable bits, links.
 *
 * @param content The kept bytes behind a hash. `undefined`: not kept.
 */
export async function patchOf(changes: readonly NetChange[], content: (sha256: string) => Promise<Uint8Array | undefined>): Promise<Patch> {
  const parts: string[] = [];
  const leftOut: LeftOut[] = [];
  for (const change of changes) {
    const part = await partOf(change, content);
    if (typeof part === 'string') parts.push(part);
    else if (part !== undefined) leftOut.push({ path: change.path, reason: part.reason });
  }
  return { text: parts.join(''), leftOut };
}

type Content = (sha256: string) => Promise<Uint8Array | undefined>;

async function partOf(change: NetChange, content: Content): Promise<string | { readonly reason: LeftOut['reason'] } | undefined> {
  if (change.mixed === true) return { reason: 'mixed' };
  const before = await sideOf(change.before, content);
  const after = await sideOf(change.after, content);
  // A folder is not told: its files are.
  if ([change.before, change.after].every((side) => side === undefined || side.kind === 'directory')) return change.status === 'mode-changed' ? { reason: 'mode' } : undefined;
  const path = unescapePath(change.path);
  if (Buffer.from(path).toString('latin1').split('/').some((part) => part.toLowerCase() === '.git')) return { reason: 'git-path' };
  if (before === 'not-kept' || after === 'not-kept') return { reason: 'not-kept' };
  if (before === 'no-file' && after === 'no-file') return { reason: 'no-file' };
  const old = before === 'no-file' ? undefined : before;
  const now = after === 'no-file' ? undefined : after;
  if (old === undefined && now === undefined) return { reason: 'no-file' };
  if (old !== undefined && now !== undefined) {
    // git tells a file that became a link as one that went and one that came.
    if ((old.mode === '120000') !== (now.mode === '120000')) return `${diffOf(path, old, undefined)}${diffOf(path, undefined, now)}`;
    if (old.mode === now.mode && Buffer.compare(old.bytes, now.bytes) === 0) return { reason: change.status === 'mode-changed' ? 'mode' : 'metadata' };
  }
  return diffOf(path, old, now);
}

async function sideOf(side: FileSide | undefined, content: Content): Promise<Side | 'not-kept' | 'no-file' | undefined> {
  if (side === undefined) return undefined;
  if (side.kind === 'symlink') return { mode: '120000', bytes: unescapePath(side.linkTarget ?? ''), isText: true };
  if (side.kind !== 'file') return 'no-file';
  const bytes = side.sha256 === undefined || side.contentGap !== undefined ? undefined : await content(side.sha256);
  if (bytes === undefined) return 'not-kept';
  return { mode: (side.mode & 0o111) === 0 ? '100644' : '100755', bytes, isText: side.binary !== true };
}

function diffOf(path: Uint8Array, before: Side | undefined, after: Side | undefined): string {
  const [old, now] = [quoted('a/', path), quoted('b/', path)];
  const oldBytes = before?.bytes ?? NOTHING;
  const newBytes = after?.bytes ?? NOTHING;
  const header = [`diff --git ${old} ${now}`, ...modeLines(before, after)];
  if (Buffer.compare(oldBytes, newBytes) === 0) return `${header.join('\n')}\n`;
  header.push(`index ${before === undefined ? NULL_ID : gitBlobId(oldBytes)}..${after === undefined ? NULL_ID : gitBlobId(newBytes)}`);
  if ([before, after].some((side) => side?.isText === false)) return `${header.join('\n')}\n${gitBinaryPatch(oldBytes, newBytes)}`;
  header.push(`--- ${before === undefined ? '/dev/null' : ended(old)}`, `+++ ${after === undefined ? '/dev/null' : ended(now)}`);
  return `${header.join('\n')}\n${hunksOf(Buffer.from(oldBytes).toString('utf8'), Buffer.from(newBytes).toString('utf8'))}`;
}

function modeLines(before: Side | undefined, after: Side | undefined): readonly string[] {
  if (before === undefined) return [`new file mode ${after?.mode}`];
  if (after === undefined) return [`deleted file mode ${before.mode}`];
  return before.mode === after.mode ? [] : [`old mode ${before.mode}`, `new mode ${after.mode}`];
}

function hunksOf(before: string, after: string): string {
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: 3, maxEditLength: MOST_EDITS, timeout: SEARCH_LIMIT_MS })
    ?? { hunks: [wholly(before, after)] };
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => (
    `@@ -${oldLines === 0 ? 0 : oldStart},${oldLines} +${newLines === 0 ? 0 : newStart},${newLines} @@\n${lines.join('\n')}\n`
  )).join('');
}

/** All lines of one text for all of the other. */
function wholly(before: string, after: string): { readonly oldStart: number; readonly oldLines: number; readonly newStart: number; readonly newLines: number; readonly lines: readonly string[] } {
  const side = (sign: string, text: string): readonly string[] => {
    const lines = text.split('\n');
    const open = lines.pop();
    return [...lines.map((line) => `${sign}${line}`), ...(open === '' ? [] : [`${sign}${open}`, '\\ No newline at end of file'])];
  };
  const count = (text: string): number => text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
  return { oldStart: 1, oldLines: count(before), newStart: 1, newLines: count(after), lines: [...side('-', before), ...side('+', after)] };
}

/** A name as git writes it: quoted where it holds bytes that are not plain. */
function quoted(prefix: string, path: Uint8Array): string {
  const isPlain = path.every((byte) => byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c);
  if (isPlain) return `${prefix}${Buffer.from(path).toString('latin1')}`;
  let text = '';
  for (const byte of path) {
    if (byte === 0x22 || byte === 0x5c) text += `\\${String.fromCharCode(byte)}`;
    else text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return `"${prefix}${text}"`;
}

/** git ends a name with a blank in it by a tab, so that it is not taken for a date. */
function ended(name: string): string {
  return !name.startsWith('"') && name.includes(' ') ? `${name}\t` : name;
}

