import { createHash } from 'node:crypto';
import type { ContentStore } from './content-store.js';

/** Files of git that are larger are not kept; no HEAD, list of refs or commit of an ordinary repository is. */
export const GIT_FILE_LIMIT_BYTES = 1024 * 1024;

/**
 * Keeps small files of git in memory: they are looked at and never recorded.
 *
 * @param totalBytes What it may hold in all. Files beyond are not kept.
 */
export function createGitBytes(totalBytes: number): ContentStore {
  const kept = new Map<string, Uint8Array>();
  let heldBytes = 0;
  return {
    async take(stream) {
      const hash = createHash('sha256');
      const chunks: Uint8Array[] = [];
      let sizeBytes = 0;
      for await (const chunk of stream) {
        hash.update(chunk);
        sizeBytes += chunk.length;
        if (sizeBytes <= GIT_FILE_LIMIT_BYTES) chunks.push(chunk);
      }
      const sha256 = hash.digest('hex');
      if (sizeBytes > GIT_FILE_LIMIT_BYTES) return { sha256, binary: false, gap: 'too-large' };
      if (kept.has(sha256)) return { sha256, binary: false };
      if (heldBytes + sizeBytes > totalBytes) return { sha256, binary: false, gap: 'limit-reached' };
      heldBytes += sizeBytes;
      kept.set(sha256, Buffer.concat(chunks));
      return { sha256, binary: false };
    },
    read: (sha256) => Promise.resolve(kept.get(sha256)),
  };
}
