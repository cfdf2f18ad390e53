import { createHash } from 'node:crypto';
import type { FileSide } from '../../src/evidence/file-changes.js';
import type { Entry, Manifest } from '../../src/workspace/manifest.js';

let stamps = 0;

/** A file whose bytes were read. Each one has a stamp of its own, as if it had just been written. */
export function file(text: string, more: Partial<Entry> = {}): Entry {
  const sha256 = hashOf(text);
  return {
    kind: 'file', mode: 0o644, uid: 1000, gid: 1000, sizeBytes: Buffer.byteLength(text), stamp: `stamp ${stamps += 1}`, content: { sha256, binary: false }, ...more,
  };
}

/** A file of which only `stat` is known. */
export function unread(sizeBytes: number, more: Partial<Entry> = {}): Entry {
  return { kind: 'file', mode: 0o644, uid: 1000, gid: 1000, sizeBytes, stamp: `stamp ${stamps += 1}`, ...more };
}

export function folder(more: Partial<Entry> = {}): Entry {
  return { kind: 'directory', mode: 0o755, uid: 1000, gid: 1000, sizeBytes: 0, stamp: 'directory', ...more };
}

export function link(linkTarget: string, more: Partial<Entry> = {}): Entry {
  return { kind: 'symlink', mode: 0o777, uid: 1000, gid: 1000, sizeBytes: 0, stamp: `stamp ${stamps += 1}`, linkTarget, ...more };
}

export function manifest(entries: Readonly<Record<string, Entry>>): Manifest {
  return new Map(Object.entries(entries));
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A file as one side of a change. */
export function side(text: string, more: Partial<FileSide> = {}): FileSide {
  return { kind: 'file', mode: 0o644, uid: 1000, gid: 1000, sizeBytes: Buffer.byteLength(text), sha256: hashOf(text), binary: false, ...more };
}
