/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

/** Replaces secrets in a stream of bytes, also where one is split over two chunks. */
export interface Redactor {
  /** The bytes that are safe to pass on now; the rest waits for the next chunk. */
  push(chunk: Uint8Array): Uint8Array;
  /** What was still held back. */
  flush(): Uint8Array;
}

/** @param values The secrets. Empty strings are ignored; of two that overlap the longer one wins. */
export function createRedactor(values: readonly string[]): Redactor {
  const secrets = [...new Set(values)].filter((value) => value !== '').map((value) => Buffer.from(value));
  secrets.sort((a, b) => b.length - a.length);
  const holdBack = (secrets[0]?.length ?? 1) - 1;
  const mark = Buffer.from(REDACTED);
  let pending: Buffer = Buffer.alloc(0);

  function take(final: boolean): Uint8Array {
    const out: Buffer[] = [];
    for (;;) {
      const hit = firstHit(pending, secrets);
      // A longer secret may still begin before the end of a shorter hit near the tail; wait for it.
      if (hit === undefined || (!final && hit.at > pending.length - 1 - holdBack)) break;
      out.push(pending.subarray(0, hit.at), mark);
      pending = pending.subarray(hit.at + hit.length);
    }
    const safe = final ? pending.length : Math.max(0, pending.length - holdBack);
    out.push(pending.subarray(0, safe));
    pending = pending.subarray(safe);
    return Buffer.concat(out);
  }

  return {
    push(chunk) {
      if (secrets.length === 0) return chunk;
      pending = Buffer.concat([pending, chunk]);
      return take(false);
    },
    flush: () => take(true),
  };
}

/** Replaces secrets in bytes that are there whole. */
export function redactedBytes(values: readonly string[], bytes: Uint8Array): Uint8Array {
  const redactor = createRedactor(values);
  return Buffer.concat([redactor.push(bytes), redactor.flush()]);
}

function firstHit(text: Buffer, secrets: readonly Buffer[]): { at: number; length: number } | undefined {
  let best: { at: number; length: number } | undefined;
  for (const secret of secrets) {
    const at = text.indexOf(secret);
    if (at >= 0 && (best === undefined || at < best.at)) best = { at, length: secret.length };
  }
  return best;
}
