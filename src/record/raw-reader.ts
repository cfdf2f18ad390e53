import { readdir, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { isPart } from './write-atomic.js';
import { openPart, type Part } from './part.js';

/** Raw output of the agent, or a file that it kept itself. */
export interface RawFile {
  /** Below `raw/`, without the `.gz` of the record. */
  readonly name: string;
  readonly compressed: boolean;
  /** Opens its bytes, decompressed, as far as they were written. */
  open(): Promise<Part<Readable>>;
}

/** Raw files of an Attempt, by name. */
export async function rawFilesIn(folder: string): Promise<readonly RawFile[]> {
  const names = await namesBelow(join(folder, 'raw'), '');
  return names.filter((name) => !isPart(name)).map((path) => {
    const compressed = path.endsWith('.gz');
    const where = join(folder, 'raw', path);
    return {
      name: compressed ? path.slice(0, -'.gz'.length) : path,
      compressed,
      async open() {
        const opened = await openPart(dirname(where), path.split('/').at(-1) ?? '');
        if (opened.state !== 'read') return opened;
        const bytes = opened.value.createReadStream();
        return { state: 'read', value: compressed && await isGzip(opened.value) ? inflated(bytes) : bytes };
      },
    };
  });
}

/** What a writer that died left is read as far as it goes. */
function inflated(bytes: Readable): Readable {
  return pipeline(bytes, createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }), () => undefined);
}

/** Records of before there was compression may hold a file that is merely called so. */
async function isGzip(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 0 || (bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b);
}

async function namesBelow(folder: string, prefix: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isFile()) names.push(`${prefix}${entry.name}`);
    else if (entry.isDirectory()) names.push(...await namesBelow(join(folder, entry.name), `${prefix}${entry.name}/`));
  }
  return names;
}
