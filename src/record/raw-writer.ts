import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { RawSink } from '../agents/agent.js';
import type { Redactor } from '../sandbox/redactor.js';

/**
 * So long compressed output may wait in memory. A flush for every line makes chatty output larger than it was, none
 * at all leaves nothing to read after a crash.
 */
const FLUSH_AFTER_MS = 250;

/** Compresses raw output into a file while it comes. What is there already gets a further part of the same stream. */
export function openRawWriter(path: string, redactor: Redactor): RawSink {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const file = createWriteStream(path, { flags: 'a' });
  gzip.pipe(file);
  const failed = new Promise<never>((_resolve, reject) => {
    for (const stream of [gzip, file]) stream.once('error', reject);
  });
  failed.catch(() => undefined);
  let flushing: NodeJS.Timeout | undefined;

  const flushSoon = (): void => {
    flushing ??= setTimeout(() => {
      flushing = undefined;
      gzip.flush(constants.Z_SYNC_FLUSH);
    }, FLUSH_AFTER_MS).unref();
  };
  const pass = async (bytes: Uint8Array): Promise<void> => {
    if (bytes.length === 0) return;
    flushSoon();
    if (!gzip.write(bytes)) await Promise.race([new Promise<void>((resolve) => { gzip.once('drain', () => resolve()); }), failed]);
  };
  return {
    write: (chunk) => pass(redactor.push(chunk)),
    async close() {
      await pass(redactor.flush());
      clearTimeout(flushing);
      gzip.end();
      await Promise.race([finished(file), failed]);
    },
  };
}
