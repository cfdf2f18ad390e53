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
  // Where output is JSON, a secret stands there as JSON writes it.
  const forms = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  const secrets = [...new Set(forms)].filter((value) => value !== '').map((value) => Buffer.from(value));
  secrets.sort((a, b) => b.length - a.length);
  const mark = Buffer.from(REDACTED);
  let pending: Buffer = Buffer.alloc(0);

  function take(final: boolean): Uint8Array {
    const out: Buffer[] = [];
    // From here on the bytes may be the beginning of a secret. A reader may wait for all before it, so nothing else is held.
    let held = final ? pending.length : heldFrom(pending, secrets);
    for (;;) {
      const hit = firstHit(pending, secrets);
      if (hit === undefined || hit.at >= held) break;
      const end = hit.at + hit.length;
      out.push(pending.subarray(0, hit.at), mark);
      pending = pending.subarray(end);
      held = end <= held ? held - end : final ? pending.length : heldFrom(pending, secrets);
    }
    out.push(pending.subarray(0, held));
    pending = pending.subarray(held);
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

/** Where the first unfinished secret at the end of the text begins; the text's length when there is none. */
function heldFrom(text: Buffer, secrets: readonly Buffer[]): number {
  const longest = secrets[0]?.length ?? 0;
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
    const length = text.length - at;
    if (secrets.some((secret) => length < secret.length && text.compare(secret, 0, length, at) === 0)) return at;
  }
  return text.length;
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
