import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { FileChange, FileSide } from '../../src/evidence/file-changes.js';
import { renamesOf } from '../../src/workspace/renames.js';

const kept = new Map<string, Buffer>();
const content = (sha256: string): Promise<Uint8Array | undefined> => Promise.resolve(kept.get(sha256));

function side(text: string, more: Partial<FileSide> = {}): FileSide {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  kept.set(sha256, bytes);
  return { kind: 'file', mode: 0o644, uid: 1000, gid: 1000, sizeBytes: bytes.length, sha256, binary: false, ...more };
}

const gone = (path: string, text: string, more?: Partial<FileSide>): FileChange => ({ path, status: 'deleted', before: side(text, more) });
const come = (path: string, text: string, more?: Partial<FileSide>): FileChange => ({ path, status: 'added', after: side(text, more) });
const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('');

describe('renames', () => {
  test.each<[string, readonly FileChange[], readonly string[]]>([
    ['the same bytes under another name', [gone('a', 'x\n'), come('b', 'x\n')], ['a > b 1']],
    ['equal bytes before a likeness', [gone('a', lines('1', '2', '3', '4')), come('b', lines('1', '2', '3', '5')), come('c', lines('1', '2', '3', '4'))], ['a > c 1']],
    ['of two with equal bytes, the one that keeps its name', [gone('one/x', 'x\n'), gone('two/y', 'x\n'), come('three/y', 'x\n')], ['two/y > three/y 1']],
    ['at least a half of the lines', [gone('a', lines('1', '2', '3', '4')), come('b', lines('1', '2', '8', '9'))], ['a > b 0.5']],
    ['less than a half of the lines', [gone('a', lines('1', '2', '3', '4')), come('b', lines('1', '7', '8', '9'))], []],
    ['the most alike of several', [gone('a', lines('1', '2', '3', '4')), come('b', lines('1', '2', '8', '9')), come('c', lines('1', '2', '3', '9'))], ['a > c 0.75']],
    ['each file once', [gone('a', 'x\n'), come('b', 'x\n'), come('c', 'x\n')], ['a > b 1']],
    ['empty files do not pair', [gone('a', ''), come('b', '')], []],
    ['a copy is none', [come('b', 'x\n')], []],
    ['a swap is none', [{ path: 'a', status: 'modified', before: side('1\n'), after: side('2\n') }, { path: 'b', status: 'modified', before: side('2\n'), after: side('1\n') }], []],
    ['a move over an existing file is none', [gone('a', '1\n'), { path: 'b', status: 'modified', before: side('2\n'), after: side('1\n') }], []],
    ['equal bytes that were not kept pair by their hash', [gone('a', 'big', { contentGap: 'too-large' }), come('b', 'big', { contentGap: 'too-large' })], ['a > b 1']],
    ['bytes that are no text pair only when they are equal', [gone('a', lines('1', '2', '3'), { binary: true }), come('b', lines('1', '2', '4'), { binary: true })], []],
    ['folders do not pair', [{ path: 'a', status: 'deleted', before: { kind: 'directory', mode: 0o755, uid: 0, gid: 0 } }, { path: 'b', status: 'added', after: { kind: 'directory', mode: 0o755, uid: 0, gid: 0 } }], []],
  ])('%s', async (_what, changes, expected) => {
    expect((await renamesOf(changes, content)).map(({ from, to, similarity }) => `${from} > ${to} ${similarity}`)).toEqual(expected);
  });
});
