import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { redactedBytes } from '../sandbox/redactor.js';
import type { ContentFacts } from './manifest.js';

/** Files up to this size are kept; of larger ones only size and hash. */
const FILE_LIMIT_BYTES = 1024 * 1024;
/** What one Attempt may keep in all. */
const TOTAL_LIMIT_BYTES = 64 * 1024 * 1024;

/** Keeps file contents by hash, up to stated sizes. */
export interface ContentStore {
  /** Reads a stream to its end; keeps its bytes where the limits allow. */
  take(stream: AsyncIterable<Uint8Array>): Promise<ContentFacts>;
  /** The kept bytes. `undefined`: they were not kept. */
  read(sha256: string): Promise<Uint8Array | undefined>;
}

/**
 * @param folder Where the bytes go, one file per hash. It is made when the first file comes.
 * @param secrets Replaced in what lies in the folder, so that such a file does not fit its name. What is read back is whole:
 *   it stays in memory, and no claim depends on what was replaced. Default: none.
 */
export function createContentStore(folder: string, secrets: readonly string[] = []): ContentStore {
  const kept = new Set<string>();
  const unfit = new Map<string, Uint8Array>();
  let totalBytes = 0;

  async function keep(sha256: string, bytes: Uint8Array): Promise<ContentFacts['gap']> {
    if (kept.has(sha256)) return undefined;
    if (totalBytes + bytes.length > TOTAL_LIMIT_BYTES) return 'limit-reached';
    totalBytes += bytes.length;
    kept.add(sha256);
    await mkdir(folder, { recursive: true });
    const written = secrets.length === 0 ? bytes : redactedBytes(secrets, bytes);
    if (Buffer.compare(written, bytes) !== 0) unfit.set(sha256, bytes);
    await writeFile(join(folder, sha256), written);
    return undefined;
  }

  return {
    async take(stream) {
      const hash = createHash('sha256');
      const text = new TextDecoder('utf-8', { fatal: true });
      let chunks: Uint8Array[] | undefined = [];
      let sizeBytes = 0;
      let binary = false;
      for await (const chunk of stream) {
        hash.update(chunk);
        sizeBytes += chunk.length;
        chunks?.push(chunk);
        if (sizeBytes > FILE_LIMIT_BYTES) {
          // Too large to keep: from here on only its nature is followed, piece by piece.
          for (const piece of chunks ?? [chunk]) binary ||= piece.includes(0) || !decodes(text, piece, true);
          chunks = undefined;
        }
      }
      const sha256 = hash.digest('hex');
      if (chunks === undefined) return { sha256, binary: binary || !decodes(text, new Uint8Array(), false), gap: 'too-large' };
      const bytes = Buffer.concat(chunks);
      const gap = await keep(sha256, bytes);
      return { sha256, binary: bytes.includes(0) || !isUtf8(bytes), ...(gap === undefined ? {} : { gap }) };
    },
    async read(sha256) {
      return unfit.get(sha256) ?? (kept.has(sha256) ? readFile(join(folder, sha256)) : undefined);
    },
  };
}

function decodes(decoder: InstanceType<typeof TextDecoder>, piece: Uint8Array, stream: boolean): boolean {
  try {
    decoder.decode(piece, { stream });
    return true;
  } catch {
    return false;
  }
}
