import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

// git's base85: its own alphabet, lines of up to 52 bytes, each begun by a letter for their number (base85.c and diff.c of git).
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
const LINE_BYTES = 52;

/** The name of a blob in a repository by SHA-1. */
export function gitBlobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** A binary patch from one content to another, both ways, whole. */
export function gitBinaryPatch(before: Uint8Array, after: Uint8Array): string {
  return `GIT binary patch\n${literal(after)}\n${literal(before)}\n`;
}

function literal(bytes: Uint8Array): string {
  const packed = deflateSync(bytes);
  const lines: string[] = [];
  for (let start = 0; start < packed.length; start += LINE_BYTES) {
    const line = packed.subarray(start, start + LINE_BYTES);
    lines.push(`${lengthLetter(line.length)}${base85(line)}\n`);
  }
  return `literal ${bytes.length}\n${lines.join('')}`;
}

function lengthLetter(length: number): string {
  return String.fromCharCode(length <= 26 ? 0x40 + length : 0x60 + length - 26);
}

function base85(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += 4) {
    let word = 0;
    for (let index = 0; index < 4; index += 1) word = word * 256 + (bytes[start + index] ?? 0);
    let digits = '';
    for (let index = 0; index < 5; index += 1) {
      digits = `${ALPHABET[word % 85]}${digits}`;
      word = Math.floor(word / 85);
    }
    text += digits;
  }
  return text;
}
