import { isAscii } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** So much of one output is kept in memory where nobody else needs it. */
const MEMORY_BYTES = 128 * 1024 * 1024;
/** So much of all outputs together. */
const SHARED_BYTES = 160 * 1024 * 1024;
/** So much of one output is kept in memory whatever the others hold. */
const OWN_BYTES = 1024 * 1024;

let sharedBytes = 0;

/**
 * Bytes that are kept in memory up to a size of their own and one of all of them together, and beyond it in a file that has no name any more, so that nothing is left of it
 * however this ends. Bytes are pushed one after the other.
 */
export class SpilledBytes implements AsyncDisposable {
  readonly #memoryBytes: number;
  #chunks: Uint8Array[] = [];
  #heldBytes = 0;
  #file: FileHandle | undefined;
  #isClosed = false;

  /** @param memoryBytes Default: 128 MiB. */
  constructor(memoryBytes = MEMORY_BYTES) {
    this.#memoryBytes = memoryBytes;
  }

  /** Takes a copy. @returns a promise where the bytes go to the file. @throws the system's error when it cannot be written. */
  push(chunk: Uint8Array): void | Promise<void> {
    if (this.#isClosed) return undefined; // A command that was given up may still print.
    this.#chunks.push(Buffer.from(chunk));
    this.#heldBytes += chunk.length;
    sharedBytes += chunk.length;
    const isMuch = this.#heldBytes > this.#memoryBytes || (sharedBytes > SHARED_BYTES && this.#heldBytes > OWN_BYTES);
    return isMuch ? this.#spill() : undefined;
  }

  /** Forgets everything. */
  async clear(): Promise<void> {
    this.#letGo();
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

  #letGo(): readonly Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    sharedBytes -= this.#heldBytes;
    this.#heldBytes = 0;
    return chunks;
  }

  async #spill(): Promise<void> {
    if (this.#file === undefined) {
      const path = join(tmpdir(), `niceeval-output-${randomBytes(8).toString('hex')}`);
      this.#file = await open(path, 'wx+', 0o600);
      await unlink(path);
    }
    const chunks = this.#letGo();
    // `writev` may write less than all; `write` of one buffer goes on until it is done.
    if (chunks.length > 0) await this.#file.appendFile(Buffer.concat(chunks));
  }
}

/** Bytes that are only ASCII, as most output is, are a text ten times as fast by the simpler decoder. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
