import { escapePathText } from '../evidence/path-text.js';
import { withoutSecrets } from '../run/without-secrets.js';
import { createRedactor, redactedBytes, type Redactor } from '../sandbox/redactor.js';

/** Where everything passes that is written to a record. Each secret becomes `[redacted]`. */
export interface SecretBoundary {
  /** Texts and keys, however deep. */
  value<T>(value: T): T;
  /** Bytes that are there whole. */
  bytes(bytes: Uint8Array): Uint8Array;
  /** For bytes that come in pieces. */
  stream(): Redactor;
}

/**
 * Secrets are found as they are, in JSON, in JSON within JSON, and in the text form of a path. One that is
 * encoded in another way (base64, hexadecimal, compressed, cut in two by other text) is not.
 */
export function createSecretBoundary(secrets: readonly string[]): SecretBoundary {
  const forms = [...new Set(secrets.flatMap((secret) => [secret, escapePathText(secret)]))];
  return {
    value: (value) => withoutSecrets(value, forms),
    bytes: (bytes) => (forms.length === 0 ? bytes : redactedBytes(forms, bytes)),
    stream: () => createRedactor(forms),
  };
}
