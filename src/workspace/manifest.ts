import type { ContentGap, FileKind, FileSide } from '../evidence/file-changes.js';

/** What is known of the bytes of a file. */
export interface ContentFacts {
  readonly sha256: string;
  readonly binary: boolean;
  /** Why the bytes themselves are not kept. */
  readonly gap?: ContentGap;
}

/** One path as a scan saw it. */
export interface Entry {
  readonly kind: FileKind;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly sizeBytes: number;
  /** Equal as long as nobody touched the entry: time stamps and inode in one text. Absent: the scan cannot tell. */
  readonly stamp?: string;
  /** Escaped like a path; only for links. */
  readonly linkTarget?: string;
  readonly content?: ContentFacts;
}

/** The state of one root: escaped relative path to entry. The root itself is not in it. */
export type Manifest = ReadonlyMap<string, Entry>;

/** Whether a scan proves that nothing about an entry changed. */
export function isUntouched(before: Entry, after: Entry): boolean {
  return before.stamp !== undefined && before.stamp === after.stamp
    && before.kind === after.kind && before.mode === after.mode && before.uid === after.uid && before.gid === after.gid
    && before.sizeBytes === after.sizeBytes && before.linkTarget === after.linkTarget;
}

/** An entry as one side of a change. */
export function sideOf(entry: Entry): FileSide {
  return {
    kind: entry.kind,
    mode: entry.mode,
    uid: entry.uid,
    gid: entry.gid,
    ...(entry.kind === 'file' ? { sizeBytes: entry.sizeBytes, ...contentOf(entry.content) } : {}),
    ...(entry.linkTarget === undefined ? {} : { linkTarget: entry.linkTarget }),
  };
}

function contentOf(content: ContentFacts | undefined): Partial<FileSide> {
  if (content === undefined) return { contentGap: 'not-read' };
  return {
    sha256: content.sha256,
    binary: content.binary,
    ...(content.gap === undefined ? {} : { contentGap: content.gap }),
  };
}
