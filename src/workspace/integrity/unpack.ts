import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tarEntriesOf } from '../tar-entries.js';

/** Writes the plain files of the archive of one folder below a new folder of the host. Links and everything else are left out, and so are names that lead out. */
export async function unpackPlain(archive: Readable, folder: string): Promise<void> {
  await mkdir(folder);
  for await (const entry of tarEntriesOf(archive)) {
    const parts = entry.header.name.split('/').filter((part) => part !== '' && part !== '.').slice(1);
    const isPlain = parts.length > 0 && parts.every((part) => part !== '..' && !part.includes('\0'));
    if (entry.header.type !== 'file' || !isPlain) {
      entry.resume();
      continue;
    }
    const path = join(folder, ...parts);
    await mkdir(dirname(path), { recursive: true });
    await pipeline(Readable.from(entry, { objectMode: false }), createWriteStream(path));
  }
}
