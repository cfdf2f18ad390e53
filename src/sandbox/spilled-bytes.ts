import { isAscii } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** So much is kept in memory. */
const MEMORY_BYTES = 16 * 1024 * 1024;

/**
 * Bytes that are kept in memory up to a size, and beyond it in a file that has no name any more, so that nothing is left of it
 * however this ends. Bytes are pushed one after the other.
 */
export class SpilledBytes implements AsyncDisposable {
  readonly #memoryBytes: number;
  #chunks: Uint8Array[] = [];
  #heldBytes = 0;
  #file: FileHandle | undefined;
  #isClosed = false;

  /** @param memoryBytes Default: 16 MiB. */
  constructor(memoryBytes = MEMORY_BYTES) {
    this.#memoryBytes = memoryBytes;
  }

  /** Takes a copy. @returns a promise where the bytes go to the file. @throws the system's error when it cannot be written. */
  push(chunk: Uint8Array): void | Promise<void> {
    if (this.#isClosed) return undefined; // A command that was given up may still print.
    this.#chunks.push(Buffer.from(chunk));
    this.#heldBytes += chunk.length;
    return this.#heldBytes > this.#memoryBytes ? this.#spill() : undefined;
  }

  /** Forgets everything. */
  async clear(): Promise<void> {
    this.#chunks = [];
    this.#heldBytes = 0;
    await this.#file?.truncate(0);
    await this.#file?.close();
    this.#file = undefined;
  }

  /** All of it, as UTF-8. */
  async text(): Promise<string> {
    if (this.#file === undefined) return textOf(Buffer.concat(this.#chunks));
    await this.#spill();
    const { size } = await this.#file.stat();
    const bytes = Buffer.allocUnsafe(size);
    for (let at = 0; at < size;) at += (await this.#file.read(bytes, at, size - at, at)).bytesRead;
    return textOf(bytes);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    return this.clear();
  }

  async #spill(): Promise<void> {
    if (this.#file === undefined) {
      const path = join(tmpdir(), `niceeval-output-${randomBytes(8).toString('hex')}`);
      this.#file = await open(path, 'wx+', 0o600);
      await unlink(path);
    }
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#heldBytes = 0;
    // `writev` may write less than all; `write` of one buffer goes on until it is done.
    if (chunks.length > 0) await this.#file.appendFile(Buffer.concat(chunks));
  }
}

/** Bytes that are only ASCII, as most output is, are a text ten times as fast by the simpler decoder. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
