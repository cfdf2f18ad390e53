import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { isUtf8 } from 'node:buffer';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChangeStatus, FileChange, FileSide } from '../../src/evidence/file-changes.js';
import { escapePath, escapePathText } from '../../src/evidence/path-text.js';
import { patchOf } from '../../src/workspace/patch.js';

/** A file, an executable or a link, by its bytes. */
interface Node { readonly kind: 'file' | 'executable' | 'link'; readonly bytes: string | Buffer }
type Tree = Readonly<Record<string, Node>>;

const file = (bytes: string | Buffer): Node => ({ kind: 'file', bytes });
const kept = new Map<string, Buffer>();
const content = (sha256: string): Promise<Uint8Array | undefined> => Promise.resolve(kept.get(sha256));

function sideOf({ kind, bytes }: Node): FileSide {
  const owner = { uid: 1000, gid: 1000 };
  const data = Buffer.from(bytes as string);
  if (kind === 'link') return { kind: 'symlink', mode: 0o777, ...owner, linkTarget: escapePath(data) };
  const sha256 = createHash('sha256').update(data).digest('hex');
  kept.set(sha256, data);
  return { kind: 'file', mode: kind === 'file' ? 0o644 : 0o755, ...owner, sizeBytes: data.length, sha256, binary: data.includes(0) || !isUtf8(data) };
}

/** What differs between two trees, by the rules of changes. */
function changesOf(before: Tree, after: Tree): readonly FileChange[] {
  const changes: FileChange[] = [];
  for (const path of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const [old, now] = [before[path], after[path]].map((node) => (node === undefined ? undefined : sideOf(node)));
    const told = (status: ChangeStatus): void => { changes.push({ path: escapePathText(path), status, ...(old === undefined ? {} : { before: old }), ...(now === undefined ? {} : { after: now }) }); };
    if (old === undefined || now === undefined) told(old === undefined ? 'added' : 'deleted');
    else if (old.kind !== now.kind) told('type-changed');
    else if (old.sha256 !== now.sha256 || old.linkTarget !== now.linkTarget) told('modified');
    else if (old.mode !== now.mode) told('mode-changed');
  }
  return changes;
}

async function write(root: string, tree: Tree): Promise<void> {
  for (const [path, { kind, bytes }] of Object.entries(tree)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    if (kind === 'link') await symlink(bytes, join(root, path));
    else {
      await writeFile(join(root, path), bytes);
      await chmod(join(root, path), kind === 'file' ? 0o644 : 0o755);
    }
  }
}

async function read(root: string): Promise<Tree> {
  const found: Record<string, Node> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (name === '.git' || name.startsWith('.git/') || entry.isDirectory()) continue;
    if (entry.isSymbolicLink()) found[name] = { kind: 'link', bytes: await readlink(path) };
    else found[name] = { kind: ((await lstat(path)).mode & 0o111) === 0 ? 'file' : 'executable', bytes: await readFile(path) };
  }
  return found;
}

const asBytes = (tree: Tree): Readonly<Record<string, readonly [string, string]>> => (
  Object.fromEntries(Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, { kind, bytes }]) => [path, [kind, Buffer.from(bytes as string).toString('base64')]]))
);

/** What real git makes of the patch: the tree after it was checked and applied. */
async function applied(before: Tree, patch: string): Promise<Tree> {
  const root = await mkdtemp(join(tmpdir(), 'niceeval-patch-'));
  try {
    await write(root, before);
    if (patch === '') return await read(root);
    const git = (args: readonly string[]) => execa('git', ['-c', 'core.autocrlf=false', ...args], { cwd: root, input: patch, env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' } });
    await execa('git', ['init', '-q'], { cwd: root });
    await git(['apply', '--check', '-']);
    await git(['apply', '-']);
    return await read(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const random = Buffer.from(Array.from({ length: 300 }, (_byte, index) => (index * 7919) % 256));

describe('git applies the patch of', () => {
  test.each<[string, Tree, Tree]>([
    ['an edit in the middle', { a: file('1\n2\n3\n4\n5\n6\n7\n8\n9\n') }, { a: file('1\n2\n3\n4\nfive\n6\n7\n8\n9\n') }],
    ['two edits far apart', { a: file(`${'x\n'.repeat(30)}`) }, { a: file(`top\n${'x\n'.repeat(30)}end\n`) }],
    ['a text without an end of line', { a: file('1\n2') }, { a: file('1\n2\n3') }],
    ['an end of line that came, and one that went', { a: file('1'), b: file('1\n') }, { a: file('1\n'), b: file('1') }],
    ['a new file, an empty one, and one that went', { gone: file('x\n'), void: file('') }, { 'new': file('hi\n'), 'deep/down/empty': file('') }],
    ['a file that became empty, and the other way', { a: file('x\n'), b: file('') }, { a: file(''), b: file('x\n') }],
    ['bytes that are no text', { a: file(random), b: file(Buffer.from([0xff, 0xfe, 10])) }, { a: file(Buffer.concat([random, random])), b: file('text\n'), c: file(Buffer.from([0])) }],
    ['an executable bit alone, and with an edit', { a: file('x\n'), b: file('x\n') }, { a: { kind: 'executable', bytes: 'x\n' }, b: { kind: 'executable', bytes: 'y\n' } }],
    ['links: new, retargeted, gone', { old: { kind: 'link', bytes: 'a' }, moved: { kind: 'link', bytes: 'a' } }, { moved: { kind: 'link', bytes: 'b' }, fresh: { kind: 'link', bytes: '../x y' } }],
    ['a file that became a link, and the other way', { a: file('x\n'), b: { kind: 'link', bytes: 'x' } }, { a: { kind: 'link', bytes: 'x' }, b: file('x\n') }],
    ['a file that became a folder, and the other way', { swap: file('x\n'), 'back/in.txt': file('y\n') }, { 'swap/in.txt': file('1\n'), 'back': file('z\n') }],
    ['names of every kind', {}, { 'my file.txt': file('a\n'), 'my  moved -> file.txt': file('b\n'), 'café.txt': file('c\n'), 'tab\there': file('d\n'), 'new\nline': file('e\n'), 'q"uote\\': file('f\n'), ' lead': file('g\n'), '-dash': file('h\n'), '__proto__': file('i\n'), 'a b/c d': file('') }],
    ['line ends of Windows', { a: file('1\r\n2\r\n') }, { a: file('1\r\n2\r\n3\r\n'), b: file('x\r') }],
    ['a text written anew, longer than any search', { a: file(Array.from({ length: 9_000 }, (_line, index) => `old ${index}\n`).join('')) }, { a: file(Array.from({ length: 9_000 }, (_line, index) => `new ${index}\n`).join('')) }],
  ])('%s', async (_what, before, after) => {
    const { text, leftOut } = await patchOf(changesOf(before, after), content);
    expect(leftOut).toEqual([]);
    expect(asBytes(await applied(before, text))).toEqual(asBytes(after));
  });

  test('whatever an agent may do to a few files', async () => {
    const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'é\n', 'x\r\n'), { maxLength: 12 }).map((some) => some.join(''));
    const text = fc.tuple(lines, fc.constantFrom('', 'end')).map((parts) => parts.join(''));
    const node = fc.oneof(
      { weight: 5, arbitrary: text.map(file) }, { weight: 1, arbitrary: text.map((bytes): Node => ({ kind: 'executable', bytes })) },
      { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 80 }).map((bytes) => file(Buffer.from(bytes))) }, { weight: 1, arbitrary: fc.constantFrom('a', '../b', 'c d').map((bytes): Node => ({ kind: 'link', bytes })) },
    );
    const tree = fc.dictionary(fc.constantFrom('a', 'b c', 'd/e', 'ä', 'f/g/h'), node, { maxKeys: 5, noNullPrototype: true });
    await fc.assert(fc.asyncProperty(tree, tree, async (before, after) => {
      const { text: patch, leftOut } = await patchOf(changesOf(before, after), content);
      expect(leftOut).toEqual([]);
      expect(asBytes(await applied(before, patch))).toEqual(asBytes(after));
    }), { numRuns: 40 });
  }, 120_000);
});

test('what git has no word for is named, and why', async () => {
  const owner = { uid: 1000, gid: 1000 };
  const plain = sideOf(file('x\n'));
  const { text, leftOut } = await patchOf([
    { path: 'fifo', status: 'added', after: { kind: 'fifo', mode: 0o644, ...owner } },
    { path: 'folder', status: 'added', after: { kind: 'directory', mode: 0o755, ...owner } },
    { path: 'huge', status: 'added', after: { kind: 'file', mode: 0o644, ...owner, sizeBytes: 9e9, contentGap: 'too-large' } },
    { path: 'private', status: 'mode-changed', before: plain, after: { ...plain, mode: 0o600 } },
    { path: 'owned', status: 'metadata', before: plain, after: { ...plain, uid: 0 } },
    { path: 'odd/.git/config', status: 'added', after: plain },
    { path: 'both', mixed: true },
  ], content);
  expect(text).toBe('');
  expect(leftOut.map(({ path, reason }) => `${path}: ${reason}`)).toEqual(['fifo: no-file', 'huge: not-kept', 'private: mode', 'owned: metadata', 'odd/.git/config: git-path', 'both: mixed']);
});
