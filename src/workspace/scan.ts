import { posix } from 'node:path';
import { escapePath, escapePathText } from '../evidence/path-text.js';
import type { FileKind } from '../evidence/file-changes.js';
import type { OwnedSandbox } from '../sandbox/sandbox.js';
import type { ContentStore } from './content-store.js';
import { WorkspaceScanError } from './errors.js';
import type { Entry, Manifest } from './manifest.js';
import { nameBytesOf, tarEntriesOf } from './tar-entries.js';
import { scanByWalk, scanRootsByWalk } from './walk.js';

/**
 * Scans one root: by a walk inside where that can be trusted and the image has the tool, else through the engine,
 * which reads and hashes everything.
 *
 * @param options.alive False when the container ended: then only the engine can read it.
 */
export async function scan(sandbox: OwnedSandbox, root: string, store: ContentStore, options: { readonly alive: boolean }): Promise<Manifest> {
  if (options.alive && sandbox.rootIsTrusted) {
    const walked = await scanByWalk(sandbox, root);
    if (walked !== undefined) return walked;
  }
  return scanByEngine(sandbox, root, store);
}

/**
 * Scans a root as `scan` does, and in the same walk further roots, whose contents are never read. An entry belongs to the deepest root
 * that it is in.
 *
 * @returns `elsewhere` is absent where nobody looked: through the engine it would read everything.
 */
export async function scanWith(
  sandbox: OwnedSandbox, root: string, further: readonly string[], options: { readonly store: ContentStore; readonly alive: boolean },
): Promise<{ readonly manifest: Manifest; readonly elsewhere?: ReadonlyMap<string, Manifest> }> {
  if (further.length > 0 && options.alive && sandbox.rootIsTrusted) {
    // A root that is gone, or a file that goes while it is looked at, must not cost the working directory its scan.
    const walked = await scanRootsByWalk(sandbox, [root, ...further]).catch((error: unknown) => {
      if (error instanceof WorkspaceScanError) return undefined;
      throw error;
    });
    const manifest = walked?.get(root);
    if (walked !== undefined && manifest !== undefined) return { manifest, elsewhere: new Map([...walked].filter(([path]) => path !== root)) };
  }
  return { manifest: await scan(sandbox, root, options.store, { alive: options.alive }) };
}

const KINDS: Readonly<Record<string, FileKind>> = {
  'file': 'file', 'contiguous-file': 'file', 'directory': 'directory', 'symlink': 'symlink', 'fifo': 'fifo',
  'character-device': 'character-device', 'block-device': 'block-device',
};

/** Reads the tar stream of a root. It leaves sockets out and has whole seconds only, so it gives no stamps. */
async function scanByEngine(sandbox: OwnedSandbox, root: string, store: ContentStore): Promise<Manifest> {
  const manifest = new Map<string, Entry>();
  const archive = await sandbox.archive(root);
  try {
    for await (const entry of tarEntriesOf(archive)) {
      const { header } = entry;
      const path = relativeTo(posix.basename(root), nameBytesOf(entry));
      const hardLinkTo = header.type === 'link' ? manifest.get(relativeTo(posix.basename(root), nameBytesOf(entry, 'linkname'))) : undefined;
      const kind = hardLinkTo?.kind ?? KINDS[header.type ?? 'file'];
      if (path === '' || kind === undefined) {
        entry.resume();
        continue;
      }
      const content = kind === 'file' && hardLinkTo === undefined ? await store.take(entry) : hardLinkTo?.content;
      if (kind !== 'file' || hardLinkTo !== undefined) entry.resume();
      manifest.set(path, {
        kind,
        mode: (header.mode ?? 0) & 0o7777,
        uid: header.uid ?? 0,
        gid: header.gid ?? 0,
        sizeBytes: kind === 'file' ? hardLinkTo?.sizeBytes ?? header.size ?? 0 : 0,
        ...(kind === 'symlink' ? { linkTarget: escapePath(nameBytesOf(entry, 'linkname')) } : {}),
        ...(content === undefined ? {} : { content }),
      });
    }
  } catch (error) {
    throw new WorkspaceScanError(root, 'its archive broke off', { cause: error });
  }
  return manifest;
}

function relativeTo(folder: string, bytes: Buffer): string {
  const name = escapePath(bytes).replace(/\/+$/, '');
  const top = escapePathText(folder);
  if (name === top) return '';
  return name.startsWith(`${top}/`) ? name.slice(top.length + 1) : name;
}
