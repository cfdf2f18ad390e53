import { redactedBytes } from '../sandbox/redactor.js';

/** The same value with every secret in its texts replaced by `[redacted]`. Keys of objects stay as they are. */
export function withoutSecrets<T>(value: T, secrets: readonly string[]): T {
  return secrets.length === 0 ? value : replaced(value, secrets) as T;
}

function replaced(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return Buffer.from(redactedBytes(secrets, Buffer.from(value))).toString('utf8');
  if (Array.isArray(value)) return value.map((item) => replaced(item, secrets));
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, secrets)]));
  return value;
}
