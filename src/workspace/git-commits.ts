import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';

const MOST_COMMITS = 256;
/** Each round may be one more look into the sandbox. */
const MOST_ROUNDS = 16;
const OBJECT_LIMIT_BYTES = 64 * 1024;

/** What one object leads to. Files and trees lead nowhere here. */
export interface GitObject {
  readonly kind: 'commit' | 'tag' | 'other';
  /** The parents of a commit; what a tag names. */
  readonly leadsTo: readonly string[];
}

/** Commits below some tips. */
export interface NewCommits {
  /** From the tips down. */
  readonly ids: readonly string[];
  /** True where every way down was followed to a commit without parents, and nothing old was met. */
  readonly isUnrelated: boolean;
}

/**
 * Reads a loose object. `undefined`: it is too large or is not what its name says. Agents write these bytes, so the name
 * is checked against them.
 */
export function parseLooseObject(id: string, packed: Uint8Array): GitObject | undefined {
  let bytes: Buffer;
  try {
    bytes = inflateSync(packed, { maxOutputLength: OBJECT_LIMIT_BYTES });
  } catch {
    return undefined;
  }
  if (createHash(id.length === 64 ? 'sha256' : 'sha1').update(bytes).digest('hex') !== id) return undefined;
  const end = bytes.indexOf(0);
  const kind = /^(commit|tag) \d+$/.exec(bytes.subarray(0, end).toString('latin1'))?.[1];
  if (kind === undefined) return { kind: 'other', leadsTo: [] };
  const [header = ''] = bytes.subarray(end + 1).toString('latin1').split('\n\n');
  const pattern = kind === 'commit' ? /^parent ([0-9a-f]+)$/gm : /^object ([0-9a-f]+)$/gm;
  return { kind: kind === 'commit' ? 'commit' : 'tag', leadsTo: [...header.matchAll(pattern)].map((match) => match[1] as string) };
}

/**
 * Walks down from tips to what was there before.
 *
 * @param options.isOld Whether an object was there before.
 * @param options.read Reads objects; what it leaves out cannot be read.
 */
export async function newCommitsOf(tips: Iterable<string>, options: {
  readonly isOld: (id: string) => boolean;
  readonly read: (ids: readonly string[]) => Promise<ReadonlyMap<string, GitObject>>;
}): Promise<NewCommits> {
  const ids: string[] = [];
  const seen = new Set<string>();
  let isUnrelated = true;
  let next = [...new Set(tips)];
  for (let round = 0; next.length > 0; round += 1) {
    if (round === MOST_ROUNDS || ids.length + next.length > MOST_COMMITS) return { ids, isUnrelated: false };
    const fresh = next.filter((id) => !options.isOld(id));
    if (fresh.length < next.length) isUnrelated = false;
    const objects = await options.read(fresh);
    for (const id of next) seen.add(id);
    const found = fresh.flatMap((id) => objects.get(id) ?? []);
    if (found.length < fresh.length) isUnrelated = false;
    ids.push(...fresh.filter((id) => objects.get(id)?.kind === 'commit'));
    next = [...new Set(found.flatMap(({ leadsTo }) => leadsTo))].filter((id) => !seen.has(id));
  }
  return { ids, isUnrelated };
}
