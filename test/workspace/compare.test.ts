import { describe, expect, test } from 'vitest';
import type { ChangeStatus, ChangeWindow, FileChange, NetChange } from '../../src/evidence/file-changes.js';
import { changesBetween, listedBy, netChangesOf, statusOf, summariesOf, summarisedFolders } from '../../src/workspace/compare.js';
import type { Entry, Manifest } from '../../src/workspace/manifest.js';
import { file, folder, link, manifest, side, unread } from './manifests.js';

const everything = (): boolean => true;

/** Each change as `status path`. */
function told(before: Manifest, after: Manifest): readonly string[] {
  const isListed = listedBy(summarisedFolders([before, after]));
  return changesBetween(before, after, isListed).map(({ status, path }) => `${status} ${path}`);
}

/** The status of a path that is on both sides. */
describe('one status for each path, the first that fits', () => {
  const a = file('a');
  const socket = { ...unread(0), kind: 'socket' } as const;
  const fifo = { ...unread(0), kind: 'fifo' } as const;
  test.each<[string, Entry, Entry, ChangeStatus | undefined]>([
    ['a file that nobody touched', a, a, undefined],
    ['a file that was touched', a, file('a'), undefined],
    ['the same bytes written again, under another inode', file('a'), file('a'), undefined],
    ['other bytes of the same size', a, file('b'), 'modified'],
    ['more bytes', a, file('ab'), 'modified'],
    ['other bytes and another mode', a, file('b', { mode: 0o755 }), 'modified'],
    ['another mode', a, file('a', { mode: 0o755 }), 'mode-changed'],
    ['only the sticky bit', a, file('a', { mode: 0o1644 }), 'mode-changed'],
    ['another mode and another owner', a, file('a', { mode: 0o600, uid: 0 }), 'mode-changed'],
    ['another owner', a, file('a', { uid: 0 }), 'metadata'],
    ['another group', a, file('a', { gid: 0 }), 'metadata'],
    ['a file that became a folder', a, folder(), 'type-changed'],
    ['a file that became a link', a, link('a'), 'type-changed'],
    ['a link that became a file', link('a'), a, 'type-changed'],
    ['a file that became a FIFO of another mode', a, { ...fifo, mode: 0o600 }, 'type-changed'],
    ['a folder that became a file', folder(), a, 'type-changed'],
    ['a link to somewhere else', link('a'), link('b'), 'modified'],
    ['a link that was made again', link('a'), link('a'), undefined],
    ['a folder in which something happened', folder(), folder(), undefined],
    ['a folder of another mode', folder(), folder({ mode: 0o700 }), 'mode-changed'],
    ['a folder of another owner', folder(), folder({ uid: 0 }), 'metadata'],
    ['a FIFO that was touched', fifo, { ...fifo, stamp: 'later' }, undefined],
    ['a FIFO that became a socket', fifo, socket, 'type-changed'],
    ['a file read on neither side, touched and of the same size, which may differ', unread(1), unread(1), 'modified'],
    ['a file read on one side only, of the same size', unread(1), a, 'modified'],
    ['a file read on neither side that nobody touched', unread(1, { stamp: 'x' }), unread(1, { stamp: 'x' }), undefined],
    ['two files of a scan without stamps', file('a', { stamp: undefined as unknown as string }), file('a', { stamp: undefined as unknown as string }), undefined],
    ['two unread files of a scan without stamps', unread(1, { stamp: undefined as unknown as string }), unread(1, { stamp: undefined as unknown as string }), 'modified'],
  ])('%s', (_what, before, after, status) => {
    expect(statusOf(before, after)).toBe(status);
  });
});

describe('changesBetween', () => {
  test('tells both sides of each change, sorted by path', () => {
    const before = manifest({ b: file('old', { mode: 0o600 }), gone: file('x'), same: file('s') });
    const after = manifest({ b: file('new!', { mode: 0o700 }), a: link('b'), same: file('s'), pipe: { ...unread(0, { mode: 0o600 }), kind: 'fifo' } });
    expect(changesBetween(before, after, everything)).toEqual([
      { path: 'a', status: 'added', after: { kind: 'symlink', mode: 0o777, uid: 1000, gid: 1000, linkTarget: 'b' } },
      { path: 'b', status: 'modified', before: side('old', { mode: 0o600 }), after: side('new!', { mode: 0o700 }) },
      { path: 'gone', status: 'deleted', before: side('x') },
      { path: 'pipe', status: 'added', after: { kind: 'fifo', mode: 0o600, uid: 1000, gid: 1000 } },
    ]);
  });

  test('says why the bytes of a side are not there', () => {
    const tooLarge = file('large', { content: { sha256: 'ff', binary: true, gap: 'too-large' } });
    expect(changesBetween(manifest({ a: unread(5) }), manifest({ a: tooLarge }), everything)).toEqual([{
      path: 'a',
      status: 'modified',
      before: { kind: 'file', mode: 0o644, uid: 1000, gid: 1000, sizeBytes: 5, contentGap: 'not-read' },
      after: { kind: 'file', mode: 0o644, uid: 1000, gid: 1000, sizeBytes: 5, sha256: 'ff', binary: true, contentGap: 'too-large' },
    }]);
  });

  test('keeps paths that are names of object members elsewhere', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    expect(told(new Map(), new Map(names.map((name) => [name, file('x')])))).toEqual(['added __proto__', 'added constructor', 'added toString']);
  });

  test.each<[string, Record<string, Entry>, Record<string, Entry>, readonly string[]]>([
    ['an empty folder that came is told', {}, { d: folder() }, ['added d']],
    ['an empty folder that went is told', { d: folder() }, {}, ['deleted d']],
    ['a folder that came with a file is told by the file', {}, { d: folder(), 'd/a': file('a') }, ['added d/a']],
    ['a folder that went with a file is told by the file', { d: folder(), 'd/a': file('a') }, {}, ['deleted d/a']],
    ['of folders in folders only the innermost is told', {}, { d: folder(), 'd/e': folder(), 'd/e/f': folder() }, ['added d/e/f']],
    ['a sibling of the same beginning tells nothing of a folder', {}, { d: folder(), 'd2': folder(), 'd2/a': file('a') }, ['added d', 'added d2/a']],
    ['the mode of a folder is told whatever came below it', { d: folder() }, { d: folder({ mode: 0o700 }), 'd/a': file('a') }, ['mode-changed d', 'added d/a']],
    ['a folder that replaces a file is told with its files', { d: file('x') }, { d: folder(), 'd/a': file('a') }, ['type-changed d', 'added d/a']],
    ['a file that replaces a folder is told with the files that went', { d: folder(), 'd/a': file('a') }, { d: file('x') }, ['type-changed d', 'deleted d/a']],
    ['a moved file went and came', { a: file('x') }, { b: file('x') }, ['deleted a', 'added b'].sort((x, y) => (x.slice(-1) < y.slice(-1) ? -1 : 1))],
    ['a new name of a file is added', { a: file('x') }, { a: file('x'), b: file('x') }, ['added b']],
  ])('%s', (_what, before, after, changes) => {
    expect(told(manifest(before), manifest(after))).toEqual(changes);
  });
});

const repository = (prefix = ''): Record<string, Entry> => ({
  [`${prefix}.git`]: folder(),
  [`${prefix}.git/HEAD`]: file('ref: refs/heads/main\n', { stamp: 'head' }),
  [`${prefix}.git/objects`]: folder(),
  [`${prefix}.git/objects/aa`]: unread(10, { stamp: 'object' }),
});

/** The summaries of a change, each as `reason path +added ~modified -deleted bytes`. */
function counted(before: Record<string, Entry>, after: Record<string, Entry>): readonly string[] {
  const [old, now] = [manifest(before), manifest(after)];
  return summariesOf(old, now, summarisedFolders([old, now]))
    .map(({ path, reason, added, modified, deleted, sizeBytes }) => `${reason} ${path} +${added} ~${modified} -${deleted} ${sizeBytes}`);
}

describe('folders that are counted, not listed', () => {
  test.each<[string, Record<string, Entry>, Record<string, Entry>, readonly string[], readonly string[]]>([
    ['a repository that was made', {}, { ...repository(), a: file('a') }, ['added a'], ['git-internals .git +3 ~0 -0 31']],
    ['a repository of a folder below', {}, { lib: folder(), ...repository('lib/'), 'lib/a': file('a') }, ['added lib/a'], ['git-internals lib/.git +3 ~0 -0 31']],
    [
      'a commit', { ...repository() }, { ...repository(), '.git/HEAD': file('other'), '.git/objects/bb': unread(7) },
      [], ['git-internals .git +1 ~1 -0 22'],
    ],
    ['a repository that was removed', repository(), {}, [], ['git-internals .git +0 ~0 -3 0']],
    ['a repository that nobody touched', repository(), repository(), [], []],
    ['a folder that is only called .git', {}, { '.git': folder(), '.git/config': file('payload') }, ['added .git/config'], []],
    ['a folder called .git with a HEAD and no objects', {}, { '.git': folder(), '.git/HEAD': file('payload') }, ['added .git/HEAD'], []],
    ['a folder called .git with objects and no HEAD', {}, { '.git': folder(), '.git/objects': folder(), '.git/objects/aa': file('payload') }, ['added .git/objects/aa'], []],
    ['a file called .git', {}, { w: folder(), 'w/.git': file('gitdir: /elsewhere') }, ['added w/.git'], []],
    [
      'installed dependencies', { a: file('a') }, { a: file('a'), node_modules: folder(), 'node_modules/x': folder(), 'node_modules/x/index.js': unread(5) },
      [], ['dependencies node_modules +2 ~0 -0 5'],
    ],
    [
      'a dependency that was edited and one that was removed',
      { node_modules: folder(), 'node_modules/x.js': unread(5), 'node_modules/y.js': unread(5) }, { node_modules: folder(), 'node_modules/x.js': unread(6) },
      [], ['dependencies node_modules +0 ~1 -1 6'],
    ],
    [
      'dependencies of a folder below', { web: folder() }, { web: folder(), 'web/node_modules': folder(), 'web/node_modules/x.js': unread(5) },
      [], ['dependencies web/node_modules +1 ~0 -0 5'],
    ],
    [
      'dependencies of dependencies', {}, { node_modules: folder(), 'node_modules/x': folder(), 'node_modules/x/node_modules': folder(), 'node_modules/x/node_modules/y.js': unread(1) },
      [], ['dependencies node_modules +3 ~0 -0 1'],
    ],
    ['an empty folder of dependencies', {}, { node_modules: folder() }, [], ['dependencies node_modules +1 ~0 -0 0']],
    ['the mode of a folder of dependencies', { node_modules: folder() }, { node_modules: folder({ mode: 0o777 }) }, [], ['dependencies node_modules +0 ~1 -0 0']],
    ['a file called node_modules', {}, { node_modules: file('x') }, ['added node_modules'], []],
    ['a link called node_modules', {}, { node_modules: link('../shared') }, ['added node_modules'], []],
    [
      'a folder of dependencies that became a link', { node_modules: folder(), 'node_modules/x.js': unread(5) }, { node_modules: link('/elsewhere') },
      ['type-changed node_modules'], ['dependencies node_modules +0 ~0 -1 0'],
    ],
    [
      'a repository that became a file', repository(), { '.git': file('gitdir: /elsewhere') },
      ['type-changed .git'], ['git-internals .git +0 ~0 -3 0'],
    ],
    ['a path that only begins like one', {}, { node_modules2: folder(), 'node_modules2/a': file('a'), '.gitignore': file('x') }, ['added .gitignore', 'added node_modules2/a'], []],
  ])('%s', (_what, before, after, changes, summaries) => {
    expect(told(manifest(before), manifest(after))).toEqual(changes);
    expect(counted(before, after)).toEqual(summaries);
  });

  test('a scan without stamps counts only what differs as far as it can see', () => {
    const without = (): Entry => ({ ...file('x'), stamp: undefined as unknown as string });
    const dependencies = (): Record<string, Entry> => ({ node_modules: { ...folder(), stamp: undefined as unknown as string }, 'node_modules/x.js': without() });
    expect(counted(dependencies(), dependencies())).toEqual([]);
  });
});

describe('netChangesOf', () => {
  const window = (label: string, ...changes: readonly FileChange[]): ChangeWindow => ({ label, changes, summaries: [], flags: [] });
  const [A, B, C, D] = ['A', 'B', 'C', 'D'].map((text) => side(text)) as [FileSide_, FileSide_, FileSide_, FileSide_];
  type FileSide_ = NonNullable<FileChange['after']>;
  const change = (status: ChangeStatus, before: FileSide_ | undefined, after: FileSide_ | undefined): FileChange => ({
    path: 'a', status, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }),
  });
  const lost: FileSide_ = { kind: 'file', mode: 0o644, uid: 1000, gid: 1000, sizeBytes: 1, contentGap: 'not-read' };

  test.each<[string, readonly (FileChange | undefined)[], NetChange | undefined]>([
    ['one change is itself', [change('modified', A, B)], change('modified', A, B)],
    ['A to B to C is A to C', [change('modified', A, B), change('modified', B, C)], change('modified', A, C)],
    ['A to B to C with a quiet send between', [change('modified', A, B), undefined, change('modified', B, C)], change('modified', A, C)],
    ['A to B to A is nothing', [change('modified', A, B), change('modified', B, A)], undefined],
    ['added and then edited is added', [change('added', undefined, A), change('modified', A, B)], change('added', undefined, B)],
    ['added and then deleted is nothing', [change('added', undefined, A), change('deleted', A, undefined)], undefined],
    ['deleted and then written again is modified', [change('deleted', A, undefined), change('added', undefined, B)], change('modified', A, B)],
    ['deleted and then restored is nothing', [change('deleted', A, undefined), change('added', undefined, A)], undefined],
    ['edited and then deleted is deleted', [change('modified', A, B), change('deleted', B, undefined)], change('deleted', A, undefined)],
    ['a mode changed twice', [change('mode-changed', A, { ...A, mode: 0o755 }), change('mode-changed', { ...A, mode: 0o755 }, { ...A, mode: 0o700 })], change('mode-changed', A, { ...A, mode: 0o700 })],
    ['an owner changed and then the text', [change('metadata', A, { ...A, uid: 0 }), change('modified', { ...A, uid: 0 }, { ...B, uid: 0 })], change('modified', A, { ...B, uid: 0 })],
    ['the eval changed it between two sends', [change('modified', A, B), change('modified', C, D)], { path: 'a', mixed: true }],
    ['the eval changed its mode between two sends', [change('modified', A, B), change('modified', { ...B, mode: 0o600 }, C)], { path: 'a', mixed: true }],
    ['the eval deleted it between two sends', [change('modified', A, B), change('added', undefined, C)], { path: 'a', mixed: true }],
    ['the eval wrote it between two sends', [change('deleted', A, undefined), change('modified', B, C)], { path: 'a', mixed: true }],
    ['the eval changed it between and the ends are equal', [change('modified', A, B), change('modified', C, A)], { path: 'a', mixed: true }],
    ['the eval changed it and changed it back', [change('modified', A, B), change('modified', B, A)], undefined],
    ['a single change that could not be read stands', [change('modified', lost, lost)], change('modified', lost, lost)],
    ['where two changes meet unread, it cannot be told that they chain', [change('modified', A, lost), change('modified', lost, B)], { path: 'a', mixed: true }],
    ['ends that were not read are not taken for equal', [change('modified', lost, B), change('modified', B, lost)], change('modified', lost, lost)],
  ])('%s', (_what, changes, net) => {
    const windows = changes.map((one, index) => (one === undefined ? window(`turn${index + 1}`) : window(`turn${index + 1}`, one)));
    expect(netChangesOf(windows)).toEqual(net === undefined ? [] : [net]);
  });

  test('is sorted by path over all windows', () => {
    const added = (path: string): FileChange => ({ path, status: 'added', after: A });
    expect(netChangesOf([window('turn1', added('c'), added('a')), window('turn2', added('b'))]).map(({ path }) => path)).toEqual(['a', 'b', 'c']);
  });
});
