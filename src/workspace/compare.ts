import type { ChangeStatus, ChangeSummary, FileChange, NetChange, ChangeWindow, FileSide } from '../evidence/file-changes.js';
import { isUntouched, sideOf, type Entry, type Manifest } from './manifest.js';

/** How two entries of one path differ, or `undefined` when they do not. Contents must be known where stamps differ. */
export function statusOf(before: Entry, after: Entry): ChangeStatus | undefined {
  if (isUntouched(before, after)) return undefined;
  if (before.kind !== after.kind) return 'type-changed';
  if (before.linkTarget !== after.linkTarget || bytesDiffer(before, after)) return 'modified';
  if (before.mode !== after.mode) return 'mode-changed';
  return before.uid !== after.uid || before.gid !== after.gid ? 'metadata' : undefined;
}

function bytesDiffer(before: Entry, after: Entry): boolean {
  if (before.kind !== 'file') return false;
  if (before.sizeBytes !== after.sizeBytes) return true;
  // Touched, of equal size, and one side unread: it may differ, and "no change" would be a guess.
  return before.content === undefined || after.content === undefined
    ? before.stamp === undefined || before.stamp !== after.stamp
    : before.content.sha256 !== after.content.sha256;
}

/** The changes between two states of one root, sorted by path. */
export function changesBetween(before: Manifest, after: Manifest, isListed: (path: string) => boolean): readonly FileChange[] {
  const changes: FileChange[] = [];
  for (const [path, entry] of after) {
    const old = before.get(path);
    if (!isListed(path) && !(old !== undefined && old.kind !== entry.kind && isTopmost(path, isListed))) continue;
    if (old === undefined) changes.push({ path, status: 'added', after: sideOf(entry) });
    else {
      const status = statusOf(old, entry);
      if (status !== undefined) changes.push({ path, status, before: sideOf(old), after: sideOf(entry) });
    }
  }
  for (const [path, entry] of before) {
    if (isListed(path) && !after.has(path)) changes.push({ path, status: 'deleted', before: sideOf(entry) });
  }
  return withoutImpliedFolders(changes).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A folder that is counted as a whole: what is no longer, or only now, such a folder is a change of its own. */
function isTopmost(path: string, isListed: (path: string) => boolean): boolean {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return parent === '' || isListed(parent);
}

/** A folder that came or went is told only if nothing below it came or went with it. */
function withoutImpliedFolders(changes: readonly FileChange[]): FileChange[] {
  const comeOrGone = changes.filter((change) => change.status === 'added' || change.status === 'deleted');
  const parents = new Set(comeOrGone.flatMap((change) => foldersAbove(change.path)));
  return changes.filter((change) => {
    const folder = (change.after ?? change.before)?.kind === 'directory';
    return !(folder && (change.status === 'added' || change.status === 'deleted') && parents.has(change.path));
  });
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
}

/** Folders that are counted instead of listed: internals of real repositories, installed dependencies. */
export function summarisedFolders(manifests: readonly Manifest[]): ReadonlyMap<string, ChangeSummary['reason']> {
  const folders = new Map<string, ChangeSummary['reason']>();
  for (const manifest of manifests) {
    for (const [path, entry] of manifest) {
      if (entry.kind !== 'directory') continue;
      const name = path.slice(path.lastIndexOf('/') + 1);
      // A folder that is only called .git is like any other.
      if (name === '.git' && manifest.has(`${path}/HEAD`) && manifest.has(`${path}/objects`)) folders.set(path, 'git-internals');
      if (name === 'node_modules') folders.set(path, 'dependencies');
    }
  }
  for (const path of [...folders.keys()]) if (foldersAbove(path).some((above) => folders.has(above))) folders.delete(path);
  return folders;
}

/** Whether a path is listed by itself, given the folders that are not. */
export function listedBy(folders: ReadonlyMap<string, unknown>): (path: string) => boolean {
  if (folders.size === 0) return () => true;
  return (path) => !folders.has(path) && !foldersAbove(path).some((above) => folders.has(above));
}

/** Counts what differs in the folders that are not listed. Like any folder, one that came or went counts only if nothing below it did. */
export function summariesOf(before: Manifest, after: Manifest, folders: ReadonlyMap<string, ChangeSummary['reason']>): readonly ChangeSummary[] {
  return [...folders].map(([path, reason]) => {
    const inside = (manifest: Manifest): (readonly [string, Entry])[] => [...manifest].filter(([name]) => name.startsWith(`${path}/`));
    const old = inside(before);
    const now = inside(after);
    const ownBefore = before.get(path);
    const ownAfter = after.get(path);
    return {
      path,
      reason,
      added: now.filter(([name]) => !before.has(name)).length || (ownBefore === undefined ? 1 : 0),
      modified: now.filter(([name, entry]) => differs(before.get(name), entry)).length + (ownBefore?.kind === ownAfter?.kind && differs(ownBefore, ownAfter) ? 1 : 0),
      deleted: old.filter(([name]) => !after.has(name)).length || (ownAfter === undefined ? 1 : 0),
      sizeBytes: now.reduce((sum, [, entry]) => sum + entry.sizeBytes, 0),
    };
  }).filter((summary) => summary.added + summary.modified + summary.deleted > 0);
}

function differs(before: Entry | undefined, after: Entry | undefined): boolean {
  return before !== undefined && after !== undefined && statusOf(before, after) !== undefined;
}

/** Per path the `before` of the first window that touched it and the `after` of the last; mixed where they do not chain. */
export function netChangesOf(windows: readonly ChangeWindow[]): readonly NetChange[] {
  const paths = new Map<string, FileChange[]>();
  for (const window of windows) for (const change of window.changes) paths.set(change.path, [...(paths.get(change.path) ?? []), change]);
  const net: NetChange[] = [];
  for (const [path, changes] of paths) {
    const chained = changes.every((change, index) => index === 0 || sameSide(changes[index - 1]?.after, change.before));
    if (!chained) {
      net.push({ path, mixed: true });
      continue;
    }
    const [only, ...others] = changes;
    const change = others.length === 0 ? only : netChange(path, only?.before, others.at(-1)?.after);
    if (change !== undefined) net.push(change);
  }
  return net.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function netChange(path: string, before: FileSide | undefined, after: FileSide | undefined): FileChange | undefined {
  if (before === undefined) return after === undefined ? undefined : { path, status: 'added', after };
  if (after === undefined) return { path, status: 'deleted', before };
  const status = netStatus(before, after);
  return status === undefined ? undefined : { path, status, before, after };
}

function netStatus(before: FileSide, after: FileSide): ChangeStatus | undefined {
  if (before.kind !== after.kind) return 'type-changed';
  if (before.linkTarget !== after.linkTarget || before.sha256 !== after.sha256 || before.sizeBytes !== after.sizeBytes) return 'modified';
  // Bytes that nobody read may differ, and "equal" would be a guess.
  if (before.kind === 'file' && before.sha256 === undefined) return 'modified';
  if (before.mode !== after.mode) return 'mode-changed';
  return before.uid !== after.uid || before.gid !== after.gid ? 'metadata' : undefined;
}

function sameSide(a: FileSide | undefined, b: FileSide | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return netStatus(a, b) === undefined;
}
