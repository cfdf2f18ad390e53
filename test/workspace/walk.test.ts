import { describe, expect, test } from 'vitest';
import { WorkspaceScanError } from '../../src/workspace/errors.js';
import type { Manifest } from '../../src/workspace/manifest.js';
import { createWalkReader } from '../../src/workspace/walk.js';

/** One entry as `find -printf` writes it: type, mode, owner, group, size; mtime, ctime and inode with spaces between; link text, path. */
function written(fields: readonly (string | Uint8Array)[]): Buffer {
  const [type, mode, owner, group, size, mtime, ctime, inode, ...rest] = fields;
  return Buffer.concat([type, mode, owner, group, size, `${String(mtime)} ${String(ctime)} ${String(inode)}`, ...rest].flatMap((field) => [Buffer.from(field as string), Buffer.of(0)]));
}

const ofFile = (path: string | Uint8Array): Buffer => written(['f', '644', '1000', '1000', '5', '1700000000.5', '1700000001.25', '42', '', path]);

/** What a walk tells last: the root itself. */
const ROOT = written(['d', '755', '0', '0', '4096', '1.0', '1.0', '2', '', '']);

/** Reads a walk that comes in pieces of so many bytes and is followed by its end. Default: in one. */
function parseWalk(entries: Buffer, root: string, pieceBytes = Math.max(1, entries.length + ROOT.length)): Manifest {
  return readWalk(Buffer.concat([entries, ROOT]), root, pieceBytes);
}

function readWalk(walk: Buffer, root: string, pieceBytes = Math.max(1, walk.length)): Manifest {
  const reader = createWalkReader(root, ['']);
  for (let at = 0; at < walk.length; at += pieceBytes) {
    // The bytes of a stream are overwritten by what comes next.
    const piece = Buffer.from(walk.subarray(at, at + pieceBytes));
    reader.push(piece);
    piece.fill(0x7f);
  }
  return reader.end();
}

describe('a walk', () => {
  test.each([1, 2, 7, 64])('is the same in pieces of %i bytes', (pieceBytes) => {
    const walk = Buffer.concat([ofFile('a'), ofFile(Buffer.from([0xff, 0x0a])), written(['l', '777', '0', '0', '9', '1.0', '1.0', '8', '../a b', 'link'])]);
    expect([...parseWalk(walk, '/project', pieceBytes)]).toEqual([...parseWalk(walk, '/project')]);
    expect(parseWalk(walk, '/project', pieceBytes).size).toBe(3);
  });

  test('reads what a walk tells of every kind of entry', () => {
    const walk = Buffer.concat([
      written(['d', '1777', '0', '0', '4096', '1.5', '2.5', '7', '', 'tmp']),
      written(['f', '4755', '1000', '1001', '12', '1700000000.1234567890', '1700000001.0000000000', '42', '', 'tmp/run']),
      written(['l', '777', '0', '0', '9', '1.0', '1.0', '8', '../a b', 'link']),
      written(['p', '600', '0', '0', '0', '1.0', '1.0', '9', '', 'pipe']),
      written(['s', '755', '0', '0', '0', '1.0', '1.0', '10', '', 'socket']),
      written(['c', '666', '0', '0', '0', '1.0', '1.0', '11', '', 'null']),
      written(['b', '660', '0', '6', '0', '1.0', '1.0', '12', '', 'disk']),
    ]);
    expect(Object.fromEntries(parseWalk(walk, '/project'))).toEqual({
      'tmp': { kind: 'directory', mode: 0o1777, uid: 0, gid: 0, sizeBytes: 0, stamp: 'directory' },
      'tmp/run': { kind: 'file', mode: 0o4755, uid: 1000, gid: 1001, sizeBytes: 12, stamp: '1700000000.1234567890 1700000001.0000000000 42' },
      'link': { kind: 'symlink', mode: 0o777, uid: 0, gid: 0, sizeBytes: 0, stamp: '1.0 1.0 8', linkTarget: '../a%20b' },
      'pipe': { kind: 'fifo', mode: 0o600, uid: 0, gid: 0, sizeBytes: 0, stamp: '1.0 1.0 9' },
      'socket': { kind: 'socket', mode: 0o755, uid: 0, gid: 0, sizeBytes: 0, stamp: '1.0 1.0 10' },
      'null': { kind: 'character-device', mode: 0o666, uid: 0, gid: 0, sizeBytes: 0, stamp: '1.0 1.0 11' },
      'disk': { kind: 'block-device', mode: 0o660, uid: 0, gid: 6, sizeBytes: 0, stamp: '1.0 1.0 12' },
    });
  });

  test('reads an empty root', () => {
    expect([...parseWalk(Buffer.alloc(0), '/project')]).toEqual([]);
  });

  test('keeps paths of any bytes apart', () => {
    const names = [Buffer.from('a\nb'), Buffer.from('a b'), Buffer.from('"\\%'), Buffer.from([0xff]), Buffer.from([0xfe]), Buffer.from('é'), Buffer.from('__proto__'), Buffer.from(' -rf')];
    expect([...parseWalk(Buffer.concat(names.map(ofFile)), '/project').keys()]).toEqual([
      'a%0Ab', 'a%20b', '%22%5C%25', '%FF', '%FE', '%C3%A9', '__proto__', '%20-rf',
    ]);
  });

  test('gives every file a stamp that a change of mtime, ctime or inode changes', () => {
    const stampOf = (mtime: string, ctime: string, inode: string): string | undefined => (
      parseWalk(written(['f', '644', '0', '0', '1', mtime, ctime, inode, '', 'a']), '/project').get('a')?.stamp
    );
    const stamps = [stampOf('1.0', '1.0', '1'), stampOf('1.1', '1.0', '1'), stampOf('1.0', '1.1', '1'), stampOf('1.0', '1.0', '2')];
    expect(new Set(stamps).size).toBe(4);
  });

  test('takes a walk that was cut at any byte for an error, also at the end of an entry', () => {
    const walk = Buffer.concat([ofFile('a.txt'), ofFile('b.txt'), ROOT]);
    for (let length = 0; length < walk.length; length += 1) {
      expect(() => readWalk(walk.subarray(0, length), '/project')).toThrow(new WorkspaceScanError('/project', 'the walk was cut before its end'));
    }
    expect([...readWalk(walk, '/project').keys()]).toEqual(['a.txt', 'b.txt']);
  });

  test('takes an entry of an unknown type for an error', () => {
    expect(() => parseWalk(written(['D', '644', '0', '0', '1', '1.0', '1.0', '1', '', 'door']), '/project')).toThrow(
      new WorkspaceScanError('/project', 'the walk gave an entry of the unknown type "D"'),
    );
  });
});
