import { createHash } from 'node:crypto';
import type { FileEvidence } from '../../src/assert/file-evidence.js';
import type { ChangeSummary, FileChange, FileSide, NetChange } from '../../src/evidence/file-changes.js';

const kept = new Map<string, Uint8Array>();

/** One side of a change: a file with this text or these bytes. */
export function file(text: string | Uint8Array, more: Partial<FileSide> = {}): FileSide {
  const bytes = Buffer.from(text as string);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (more.contentGap === undefined) kept.set(sha256, bytes);
  return { kind: 'file', mode: 0o644, uid: 1000, gid: 1000, sizeBytes: bytes.length, sha256, binary: false, ...more };
}

/** A link, by its text. */
export function link(linkTarget: string): FileSide {
  return { kind: 'symlink', mode: 0o777, uid: 0, gid: 0, linkTarget };
}

export const added = (path: string, text: string): FileChange => ({ path, status: 'added', after: file(text) });
export const modified = (path: string, before: string, after: string): FileChange => ({ path, status: 'modified', before: file(before), after: file(after) });
export const deleted = (path: string, text: string): FileChange => ({ path, status: 'deleted', before: file(text) });

export const dependencies: ChangeSummary = { path: 'node_modules', reason: 'dependencies', added: 3, modified: 0, deleted: 0, sizeBytes: 12 };
export const internals: ChangeSummary = { path: '.git', reason: 'git-internals', added: 3, modified: 1, deleted: 0, sizeBytes: 12 };

/** What the windows of an Attempt hold, one list of changes for each send. */
export function evidence(windows: readonly (readonly FileChange[])[], summaries: readonly ChangeSummary[] = [], net: readonly NetChange[] = []): () => FileEvidence {
  return () => ({
    changes: {
      state: 'available',
      root: '/project',
      windows: windows.map((changes, index) => ({ label: `turn${index + 1}`, changes, summaries: index === 0 ? summaries : [], renames: [], flags: [] })),
      net,
      renames: [],
    },
    content: (sha256) => Promise.resolve(kept.get(sha256)),
  });
}

/** An Attempt whose changes nobody knows. */
export const lost = (): FileEvidence => ({ changes: { state: 'unavailable', reason: 'the sandbox was gone' }, content: () => Promise.resolve(undefined) });
