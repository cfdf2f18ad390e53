import type { GitHead, GitRefMove } from '../evidence/git-facts.js';
import { escapePath } from '../evidence/path-text.js';

/** HEAD and all refs of a repository at one moment. */
export interface GitState {
  readonly head: GitHead;
  /** False where HEAD is there and its bytes are not known. */
  readonly headIsKnown: boolean;
  /** Full escaped name to object id, to `ref:` and an escaped name, or to `?` where it cannot be read. */
  readonly refs: ReadonlyMap<string, string>;
  readonly refsLeftOut: number;
}

/** Lines of a `packed-refs` beyond this are counted, not kept. */
const MOST_PACKED = 10_000;
const UNREADABLE = '?';

/**
 * Reads the state of a repository from its files.
 *
 * @param files The bytes of `HEAD`, `packed-refs` and every loose ref, by escaped name. `undefined`: not known.
 * @param leftOut How many loose refs are missing in `files`.
 */
export function gitStateOf(files: ReadonlyMap<string, Uint8Array | undefined>, leftOut = 0): GitState {
  const refs = new Map<string, string>();
  let refsLeftOut = leftOut;
  for (const [name, id] of packedRefs(files.get('packed-refs'))) {
    // A loose ref goes before a packed one, and it may be among those that are missing.
    if (leftOut === 0 && refs.size < MOST_PACKED) refs.set(name, id);
    else refsLeftOut += 1;
  }
  if (files.has('packed-refs') && files.get('packed-refs') === undefined) refsLeftOut += 1;
  for (const [name, bytes] of files) {
    // git itself locks a ref by such a file.
    if (name.startsWith('refs/') && !name.endsWith('.lock')) refs.set(name, valueOf(bytes));
  }
  const head = files.get('HEAD');
  return { head: headOf(valueOf(head), refs), headIsKnown: head !== undefined, refs, refsLeftOut };
}

/** The refs that differ, by name. Where refs were left out, only those that are known on both sides: the others may be there. */
export function refMovesOf(before: GitState, after: GitState): readonly GitRefMove[] {
  const isWhole = before.refsLeftOut === 0 && after.refsLeftOut === 0;
  const names = [...new Set([...before.refs.keys(), ...after.refs.keys()])].sort();
  return names.flatMap((name) => {
    const [old, now] = [before.refs.get(name), after.refs.get(name)];
    if (old === now || (!isWhole && (old === undefined || now === undefined))) return [];
    return [{ name, ...(old === undefined ? {} : { before: old }), ...(now === undefined ? {} : { after: now }) }];
  });
}

/** Whether HEAD or a ref is known to have moved: both sides could be read, and they differ. */
export function hasMoved(before: GitState, after: GitState, moves: readonly GitRefMove[]): boolean {
  if (moves.some((move) => move.before !== UNREADABLE && move.after !== UNREADABLE)) return true;
  return before.headIsKnown && after.headIsKnown && headMoved(before.head, after.head);
}

export function headDiffers(before: GitHead, after: GitHead): boolean {
  return before.ref !== after.ref || before.id !== after.id;
}

/** The object behind a branch may only be unknown; that another branch is named is sure. */
function headMoved(before: GitHead, after: GitHead): boolean {
  return before.ref !== after.ref || (before.id !== undefined && after.id !== undefined && before.id !== after.id);
}

/** The objects that HEAD and the refs name. */
export function tipsOf(state: GitState): ReadonlySet<string> {
  return new Set([...state.refs.values(), ...(state.head.id === undefined ? [] : [state.head.id])].filter(isObjectId));
}

/** The folder that a gitfile names, escaped. `undefined`: it is no gitfile. */
export function gitfileTargetOf(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  const target = /^gitdir: ([^\n]+?)[\r\n]*$/.exec(text)?.[1];
  return target === undefined ? undefined : escapePath(Buffer.from(target, 'latin1'));
}

function isObjectId(value: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
}

function* packedRefs(bytes: Uint8Array | undefined): Iterable<readonly [name: string, id: string]> {
  if (bytes === undefined) return;
  for (const line of Buffer.from(bytes).toString('latin1').split('\n')) {
    const [, id, name] = /^([0-9a-f]{40}|[0-9a-f]{64}) (refs\/.+)$/.exec(line) ?? [];
    if (id !== undefined && name !== undefined) yield [escapePath(Buffer.from(name, 'latin1')), id];
  }
}

function valueOf(bytes: Uint8Array | undefined): string {
  const text = Buffer.from(bytes ?? []).toString('latin1').trim();
  if (isObjectId(text)) return text;
  const name = /^ref: *([^\n]+)$/.exec(text)?.[1];
  return name === undefined ? UNREADABLE : `ref:${escapePath(Buffer.from(name, 'latin1'))}`;
}

function headOf(value: string, refs: ReadonlyMap<string, string>): GitHead {
  if (isObjectId(value)) return { id: value };
  if (value === UNREADABLE) return {};
  const ref = value.slice('ref:'.length);
  const id = refs.get(ref);
  return id !== undefined && isObjectId(id) ? { ref, id } : { ref };
}
