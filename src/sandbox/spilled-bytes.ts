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

/** A long output is made a text in pieces of this size: each is past the size from which V8 keeps a text outside of its heap, so that nothing copies it again. */
const SLAB_BYTES = 4 * 1024 * 1024;

let sharedBytes = 0;

/**
 * Output that is kept in memory up to a size of its own and one of all of them together, and beyond it in a file that has no name any more, so that nothing is left of it
 * however this ends. It is read as text; bytes that are no UTF-8 become U+FFFD. Bytes are pushed one after the other.
 */
export class SpilledBytes implements AsyncDisposable {
  readonly #memoryBytes: number;
  /** What is text already. Making all of it text at the end would need its memory three times. */
  #texts: string[] = [];
  #slab: Buffer | undefined;
  #slabBytes = 0;
  /** The beginning, while it is short. */
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
    this.#keep(chunk);
    const isMuch = this.#heldBytes > this.#memoryBytes || (sharedBytes > SHARED_BYTES && this.#heldBytes > OWN_BYTES);
    return isMuch ? this.#spill() : undefined;
  }

  /** Forgets everything. */
  async clear(): Promise<void> {
    this.#drop();
    this.#slab = undefined;
    await this.#file?.truncate(0);
    await this.#file?.close();
    this.#file = undefined;
  }

  /** All of it, as UTF-8. */
  async text(): Promise<string> {
    if (this.#file === undefined) {
      // Not joined: whoever looks into a long text makes it one piece, and nobody else pays for it.
      return this.#texts.reduce((whole, piece) => whole + piece, '') + textOf(this.#rest());
    }
    await this.#spill(true);
    const { size } = await this.#file.stat();
    const bytes = Buffer.allocUnsafe(size);
    for (let at = 0; at < size;) at += (await this.#file.read(bytes, at, size - at, at)).bytesRead;
    return textOf(bytes);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    return this.clear();
  }

  /** What is not text yet. */
  #rest(): Buffer {
    return this.#slab === undefined ? Buffer.concat(this.#chunks) : this.#slab.subarray(0, this.#slabBytes);
  }

  #keep(chunk: Uint8Array): void {
    this.#heldBytes += chunk.length;
    sharedBytes += chunk.length;
    if (this.#slab === undefined && this.#heldBytes <= OWN_BYTES) this.#chunks.push(Buffer.from(chunk));
    else this.#fill(chunk);
  }

  #fill(chunk: Uint8Array): void {
    if (this.#slab === undefined) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#slabBytes = 0;
      const before = this.#chunks;
      this.#chunks = [];
      for (const earlier of before) this.#fill(earlier);
    }
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + SLAB_BYTES - this.#slabBytes);
      this.#slab.set(piece, this.#slabBytes);
      this.#slabBytes += piece.length;
      at += piece.length;
      if (this.#slabBytes === SLAB_BYTES) this.#tellSlab(this.#slab);
    }
  }

  /** Makes the slab text, but for a character that has only begun. */
  #tellSlab(slab: Buffer): void {
    const end = wholeCharacters(slab);
    this.#texts.push(textOf(slab.subarray(0, end)));
    slab.copyWithin(0, end);
    this.#slabBytes = slab.length - end;
  }

  /** Forgets what is in memory. */
  #drop(): void {
    this.#texts = [];
    this.#chunks = [];
    this.#slabBytes = 0;
    sharedBytes -= this.#heldBytes;
    this.#heldBytes = 0;
  }

  /** @param isLast Nothing comes after it. */
  async #spill(isLast = false): Promise<void> {
    if (this.#file === undefined) {
      const path = join(tmpdir(), `niceeval-output-${randomBytes(8).toString('hex')}`);
      this.#file = await open(path, 'wx+', 0o600);
      await unlink(path);
    }
    // `writev` may write less than all; `write` of one buffer goes on until it is done.
    // A character that has only begun stays: what comes next is made text with it.
    const rest = this.#rest();
    const end = isLast ? rest.length : wholeCharacters(rest);
    const [told, begun] = [Buffer.from(rest.subarray(0, end)), Buffer.from(rest.subarray(end))];
    const held = [...this.#texts, told];
    this.#drop();
    if (begun.length > 0) this.#keep(begun);
    for (const piece of held) if (piece.length > 0) await this.#file.appendFile(piece);
  }
}

/** How many bytes at the beginning end with a whole character, or with what is none. A first byte of a character always begins a new one. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Bytes that are only ASCII, as most output is, are a text ten times as fast by the simpler decoder. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
