import { createWriteStream } from 'node:fs';
import { chmod, copyFile, mkdir, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { UnsafeArchiveError } from './errors.js';

/**
 * Unpacks the archive of one folder below `hostPath`. Links are made last, so that nothing is ever written through
 * one; a link that leads out of the folder is refused; devices, sockets and pipes are left out.
 *
 * @throws UnsafeArchiveError for a name or a link that leaves the folder. What was written before stays.
 */
export async function extractBelow(archive: Readable, hostPath: string): Promise<void> {
  const links: { name: string; target: string }[] = [];
  const made = new Set<string>();
  await mkdir(hostPath, { recursive: true });
  const entries = extract();
  archive.on('error', (error) => { entries.destroy(error); });
  for await (const entry of archive.pipe(entries)) {
    const { header } = entry;
    const name = safeNameOf(header.name);
    const path = join(hostPath, name);
    if (header.type === 'directory') {
      await mkdir(path, { recursive: true });
    } else if (header.type === 'symlink') {
      links.push({ name, target: safeTargetOf(name, header.linkname ?? '') });
    } else if (header.type === 'link') {
      const source = safeNameOf(header.linkname ?? '');
      if (!made.has(source)) throw new UnsafeArchiveError(header.name, 'it is a hard link to a file that is not in the archive');
      await mkdir(dirname(path), { recursive: true });
      await copyFile(join(hostPath, source), path);
      made.add(name);
    } else if (header.type === 'file' || header.type === 'contiguous-file') {
      await mkdir(dirname(path), { recursive: true });
      await pipeline(entry, createWriteStream(path));
      await chmod(path, (header.mode ?? 0o644) & 0o777);
      made.add(name);
      continue;
    }
    entry.resume();
  }
  for (const { name, target } of links) {
    await mkdir(dirname(join(hostPath, name)), { recursive: true });
    await symlink(target, join(hostPath, name));
  }
}

/** The entry's name without its first part, which is the folder itself. */
function safeNameOf(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.includes('..') || name.includes('\0')) {
    throw new UnsafeArchiveError(name, 'its name leaves the target folder');
  }
  return parts.slice(1).join('/');
}

function safeTargetOf(name: string, target: string): string {
  const resolved = posix.normalize(posix.join(posix.dirname(name), target));
  if (posix.isAbsolute(target) || resolved === '..' || resolved.startsWith('../')) {
    throw new UnsafeArchiveError(name, `it is a link to ${JSON.stringify(target)}, outside the target folder`);
  }
  return target;
}
