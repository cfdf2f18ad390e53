import { createReadStream, type Stats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { SandboxPathError } from '../errors.js';

const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
const SLASH = Buffer.from('/');

/**
 * The tar stream of a path of this machine, its names below the path's own last part, in the GNU format: names are bytes there, of
 * any length and in no encoding, where the usual writers only know text. Sockets are left out, links are not followed, and each
 * name of a file with several is a file.
 *
 * @param path Absolute.
 * @throws SandboxPathError when there is no such path.
 */
export async function tarOf(path: string): Promise<Readable> {
  const whole = Buffer.from(path);
  const facts = await lstat(whole).catch(() => { throw new SandboxPathError(path, 'there is no such path'); });
  const name = whole.subarray(whole.lastIndexOf(SLASH) + 1);
  return Readable.from(withEnd(entriesOf(whole, name, facts)), { objectMode: false });
}

/** The archive of a folder with nothing in it. @param name Its last part. */
export function emptyFolderTar(name: string): Readable {
  const header = headerOf({ name: Buffer.from(`${name}/`), type: '5', mode: 0o755, sizeBytes: 0, modifiedMs: 0, uid: 0, gid: 0 });
  return Readable.from([header, Buffer.alloc(2 * BLOCK_BYTES)], { objectMode: false });
}

async function* withEnd(entries: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* entries;
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

async function* entriesOf(path: Buffer, name: Buffer, facts: Stats): AsyncGenerator<Buffer> {
  const common = { mode: facts.mode & 0o7777, modifiedMs: facts.mtimeMs, uid: facts.uid, gid: facts.gid };
  if (facts.isSymbolicLink()) {
    yield* longHeaderOf({ ...common, name, type: '2', sizeBytes: 0, link: await readlink(path, { encoding: 'buffer' }) });
  } else if (facts.isFIFO()) {
    yield* longHeaderOf({ ...common, name, type: '6', sizeBytes: 0 });
  } else if (facts.isFile()) {
    yield* longHeaderOf({ ...common, name, type: '0', sizeBytes: facts.size });
    yield* contentOf(path, facts.size);
  } else if (facts.isDirectory()) {
    yield* longHeaderOf({ ...common, name: Buffer.concat([name, SLASH]), type: '5', sizeBytes: 0 });
    const children = await readdir(path, { encoding: 'buffer' });
    for (const child of children.sort((a, b) => Buffer.compare(a, b))) {
      const childPath = Buffer.concat([path, SLASH, child]);
      const childFacts = await lstat(childPath).catch(() => undefined); // Gone since the folder was read.
      if (childFacts !== undefined) yield* entriesOf(childPath, Buffer.concat([name, SLASH, child]), childFacts);
    }
  }
}

/** A file that changes while it is read is as long as it was when it was looked at; what is missing then is zeros. */
async function* contentOf(path: Buffer, sizeBytes: number): AsyncGenerator<Buffer> {
  let left = sizeBytes;
  if (sizeBytes > 0) {
    for await (const chunk of createReadStream(path, { end: sizeBytes - 1 }) as AsyncIterable<Buffer>) {
      left -= chunk.length;
      yield chunk;
    }
  }
  while (left > 0) {
    const zeros = Buffer.alloc(Math.min(left, 1024 * 1024));
    left -= zeros.length;
    yield zeros;
  }
  yield paddingOf(sizeBytes);
}

interface Entry {
  readonly name: Buffer;
  readonly type: '0' | '2' | '5' | '6' | 'K' | 'L';
  readonly mode: number;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly uid: number;
  readonly gid: number;
  readonly link?: Buffer;
}

/** A header, behind records for the name and the link where these do not fit into it. */
function* longHeaderOf(entry: Entry): Generator<Buffer> {
  for (const [type, text] of [['K', entry.link], ['L', entry.name]] as const) {
    if (text === undefined || text.length <= NAME_BYTES) continue;
    const bytes = Buffer.concat([text, Buffer.of(0)]);
    yield headerOf({ name: Buffer.from('././@LongLink'), type, mode: 0, sizeBytes: bytes.length, modifiedMs: 0, uid: 0, gid: 0 });
    yield bytes;
    yield paddingOf(bytes.length);
  }
  yield headerOf(entry);
}

// Places and lengths of the fields: GNU tar manual, "Basic Tar Format".
function headerOf({ name, type, mode, sizeBytes, modifiedMs, uid, gid, link }: Entry): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  name.copy(block, 0, 0, NAME_BYTES);
  for (const [value, at, length] of [[mode, 100, 8], [uid, 108, 8], [gid, 116, 8], [sizeBytes, 124, 12], [Math.max(0, Math.floor(modifiedMs / 1000)), 136, 12]] as const) {
    writeNumber(block, value, { at, length });
  }
  block.write(type, 156, 'latin1');
  link?.copy(block, 157, 0, NAME_BYTES);
  block.write('ustar  \0', 257, 'latin1');
  block.fill(' ', 148, 156);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Octal digits, or, where they do not fit, the number itself behind a byte that says so. */
function writeNumber(block: Buffer, value: number, { at, length }: { readonly at: number; readonly length: number }): void {
  const digits = value.toString(8);
  if (digits.length < length) return void block.write(digits.padStart(length - 1, '0'), at, 'latin1');
  for (let place = at + length - 1, rest = BigInt(value); place > at; place -= 1, rest >>= 8n) block[place] = Number(rest & 0xffn);
  block[at] = 0x80;
}

function paddingOf(sizeBytes: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES);
}
