import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { SessionKey } from '../gateway/cassette/cassette.js';

const LONGEST_NAME = 80;
const READABLE = 40;

/**
 * Where the cassette of a session lies in its folder, with `/` between names. Ids of small letters, digits, `.`, `_` and `-` stay as they are; any other
 * one is made readable and gets its hash, so that nothing leaves the folder and no two sessions share a file, on any file system.
 *
 * @throws TypeError when the Attempt is no whole number from 0.
 */
export function cassettePathOf({ experimentId, evalId, attempt }: SessionKey): string {
  if (!Number.isSafeInteger(attempt) || attempt < 0) throw new TypeError(`The Attempt of a cassette is a whole number, not ${String(attempt)}.`);
  return posix.join('sessions', nameOf(experimentId), nameOf(evalId), `${attempt}.jsonl`);
}

/** Where a body lies in its folder. */
export function bodyPathOf(sha256: string): string {
  return posix.join('bodies', sha256.slice(0, 2), `${sha256}.gz`);
}

function nameOf(id: string): string {
  if (id.length <= LONGEST_NAME && /^[a-z0-9_][a-z0-9._-]*$/.test(id) && !id.endsWith('.')) return id;
  const readable = id.slice(0, READABLE).toLowerCase().replace(/[^a-z0-9_]+/g, '-').replace(/^-|-$/g, '');
  return `${readable}~${createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex').slice(0, 16)}`;
}
