import { createHash } from 'node:crypto';

const LONGEST_NAME = 120;

/**
 * A relative path for a file whose name came out of a sandbox. Names of ordinary letters stay as they are; every other
 * one is replaced by its hash, so that nothing leaves the folder and no two paths become one.
 */
export function keptPathOf(path: string): string {
  const given = path.split('/').filter((name) => name !== '' && name !== '.');
  // A folder `a.gz` would stand where the compressed file `a` goes.
  const names = given.map((name, index) => (isPlain(name) && (index === given.length - 1 || !name.endsWith('.gz')) ? name : `~${createHash('sha256').update(name).digest('hex').slice(0, 16)}`));
  return names.length === 0 ? '~' : names.join('/');
}

function isPlain(name: string): boolean {
  return name.length <= LONGEST_NAME && /^[\w.@+=-]+$/.test(name) && !/^\.+$/.test(name);
}
