import { redactedBytes } from '../sandbox/redactor.js';

/** The same value with every secret in its texts and in the keys of its objects replaced by `[redacted]`. */
export function withoutSecrets<T>(value: T, secrets: readonly string[]): T {
  return secrets.length === 0 ? value : replaced(value, secrets) as T;
}

function replaced(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return Buffer.from(redactedBytes(secrets, Buffer.from(value))).toString('utf8');
  if (Array.isArray(value)) return value.map((item) => replaced(item, secrets));
  if (typeof value === 'object' && value !== null) return Object.fromEntries(keysApart(Object.entries(value).map(([key, item]) => [replaced(key, secrets) as string, replaced(item, secrets)])));
  return value;
}

/** Two keys that became one would lose a value. */
function keysApart(entries: readonly (readonly [key: string, value: unknown])[]): readonly (readonly [string, unknown])[] {
  const seen = new Set<string>();
  return entries.map(([key, value]) => {
    let own = key;
    for (let count = 2; seen.has(own); count += 1) own = `${key} ${count}`;
    seen.add(own);
    return [own, value];
  });
}
