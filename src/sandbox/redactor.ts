/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

/** Replaces secrets in a stream of bytes, also where one is split over two chunks. */
export interface Redactor {
  /** The bytes that are safe to pass on now; the rest waits for the next chunk. */
  push(chunk: Uint8Array): Uint8Array;
  /** What was still held back. */
  flush(): Uint8Array;
}

/**
 * @param values The secrets. Empty strings are ignored; of two that overlap the one that begins first wins, and of two
 * that begin together the longer one.
 */
export function createRedactor(values: readonly string[]): Redactor {
  const secrets = formsOf(values).map((value) => Buffer.from(value));
  secrets.sort((a, b) => b.length - a.length);
  const mark = Buffer.from(REDACTED);
  let pending: Buffer = Buffer.alloc(0);

  function take(final: boolean): Uint8Array {
    const out: Buffer[] = [];
    // From here on the bytes may be the beginning of a secret. A reader may wait for all before it, so nothing else is held.
    let held = final ? pending.length : heldFrom(pending, secrets);
    const next = secrets.map((secret) => ({ secret, at: pending.indexOf(secret) }));
    let done = 0;
    for (;;) {
      // Each secret is looked for once behind each of its own places, so that the work stays in proportion to the text.
      for (const entry of next) if (entry.at !== -1 && entry.at < done) entry.at = pending.indexOf(entry.secret, done);
      let hit: { readonly secret: Buffer; readonly at: number } | undefined;
      for (const entry of next) if (entry.at !== -1 && (hit === undefined || entry.at < hit.at)) hit = { ...entry };
      if (hit === undefined || hit.at >= held) break;
      out.push(pending.subarray(done, hit.at), mark);
      done = hit.at + hit.secret.length;
      // A secret that was replaced may end behind the place from where on bytes were held.
      if (done > held) held = done + heldFrom(pending.subarray(done), secrets);
    }
    out.push(pending.subarray(done, held));
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

/** A secret as it stands in text, in JSON, and in JSON that is a text in JSON. */
function formsOf(values: readonly string[]): readonly string[] {
  const escaped = (value: string): string => JSON.stringify(value).slice(1, -1);
  return [...new Set(values.flatMap((value) => [value, escaped(value), escaped(escaped(value))]))].filter((value) => value !== '');
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
