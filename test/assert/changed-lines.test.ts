import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxChangedLines, notInDiff } from '../../src/assert/diff-claims.js';
import type { NetChange } from '../../src/evidence/file-changes.js';
import { added, deleted, dependencies, evidence, file, internals, link, modified } from './file-builders.js';
import { outcomeOf } from './outcomes.js';

/** The smallest limit that holds. */
async function linesOf(change: NetChange): Promise<number> {
  for (let most = 0; ; most += 1) if ((await outcomeOf(maxChangedLines(evidence([], [], [change]), most))).status === 'matched') return most;
}

describe('lines are counted as git counts them', () => {
  test('over many pairs of texts, by git diff --numstat', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'niceeval-numstat-'));
    try {
      const line = fc.constantFrom('a', 'b', 'c', '', ' a', 'é', '\ta', 'a\r');
      const text = fc.tuple(fc.array(line, { maxLength: 8 }), fc.boolean()).map(([lines, ends]) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''));
      const known: readonly (readonly [string, string])[] = [['', 'a'], ['a', 'a\n'], ['a\n', ''], ['a\nb\nc\n', 'c\nb\na\n'], ['a\r\nb\r\n', 'a\nb\n'], ['\n', '\n\n'], ['a', 'b']];
      const pairs = [...known, ...fc.sample(fc.tuple(text, text), { numRuns: 250, seed: 7 })];
      await mkdir(join(folder, 'before'));
      await mkdir(join(folder, 'after'));
      for (const [index, [before, after]] of pairs.entries()) {
        await writeFile(join(folder, 'before', String(index)), before);
        await writeFile(join(folder, 'after', String(index)), after);
      }
      const { stdout, exitCode } = await execa('git', ['diff', '--no-index', '--minimal', '--numstat', '-z', 'before', 'after'], { cwd: folder, reject: false });
      expect(exitCode).toBe(1); // They differ.
      const counted = pairs.map(() => 0);
      for (const [, insertions, deletions, path] of stdout.matchAll(/(\d+)\t(\d+)\t(?:\0[^\0]*\0)?[^\0]*?(\d+)\0/g)) counted[Number(path)] = Number(insertions) + Number(deletions);
      expect(counted.filter((lines) => lines > 0).length).toBeGreaterThan(200);
      const ours = await Promise.all(pairs.map(([before, after]) => linesOf(modified('a', before, after))));
      expect(ours).toEqual(counted);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test.each<[string, NetChange, number]>([
    ['a new file', added('a', 'one\ntwo\n'), 2],
    ['a new file that does not end in a line break', added('a', 'one\ntwo'), 2],
    ['a new file that is empty', added('a', ''), 0],
    ['a file that was deleted', deleted('a', 'one\ntwo\nthree\n'), 3],
    ['one line changed, which is one removed and one added', modified('a', 'one\n', 'two\n'), 2],
    ['only the line break at the end', modified('a', 'one', 'one\n'), 2],
    ['another mode', { path: 'a', status: 'mode-changed', before: file('one\n'), after: file('one\n', { mode: 0o755 }) }, 0],
    ['a new link', { path: 'a', status: 'added', after: link('b') }, 1],
    ['a link to somewhere else', { path: 'a', status: 'modified', before: link('b'), after: link('c') }, 2],
    ['a new folder', { path: 'a', status: 'added', after: { kind: 'directory', mode: 0o755, uid: 0, gid: 0 } }, 0],
  ])('%s', async (_what, change, lines) => {
    expect(await linesOf(change)).toBe(lines);
  });
});

/** A list of numbers, one to a line. */
const numbers = (from: number, to: number): string => Array.from({ length: to - from }, (_item, index) => `${from + index}\n`).join('');

const backwards = modified('a', numbers(0, 2_100), numbers(0, 2_100).trimEnd().split('\n').reverse().join('\n').concat('\n'));

describe('large texts', () => {
  test('that were written anew are counted at once', { timeout: 5_000 }, async () => {
    const net = [modified('a', numbers(0, 30_000), numbers(30_000, 60_000))];
    expect((await outcomeOf(maxChangedLines(evidence([], [], net), 60_000))).status).toBe('matched');
    expect((await outcomeOf(maxChangedLines(evidence([], [], net), 59_999))).status).toBe('mismatched');
  });

  // Backwards: at most one line stays, so 2 x 2,099 edits are needed; those that were counted are a violation that was seen.
  test.each<[string, number, object]>([
    ['more than are allowed', 5, { status: 'mismatched', expected: 'at most 5 changed lines', received: '4001 or more' }],
    ['that may be allowed', 4_198, { status: 'unavailable', code: 'diff-too-large', reason: 'a: more than 4000 lines differ' }],
  ])('whose lines were all moved are not counted to the end: %s', async (_what, most, outcome) => {
    expect(await outcomeOf(maxChangedLines(evidence([], [], [backwards]), most))).toEqual(outcome);
  });

  test('whose lines were all moved may hold what is looked for', async () => {
    expect(await outcomeOf(notInDiff(evidence([[backwards]]), /^77$/m))).toEqual({ status: 'unavailable', code: 'diff-too-large', reason: 'a (turn1): more than 4000 lines differ' });
    expect(await outcomeOf(notInDiff(evidence([[backwards]]), /TODO/))).toEqual({ status: 'matched' });
  });
});

describe('maxChangedLines', () => {
  const binary = file(Buffer.from([0, 1]), { binary: true });
  const lost: NetChange = { path: 'b', status: 'modified', before: file('x'), after: file('y', { contentGap: 'too-large' }) };
  test.each<[string, readonly NetChange[], number, object]>([
    ['nothing changed', [], 0, { status: 'matched' }],
    ['as many as allowed, over several files', [added('a', 'one\n'), deleted('b', 'two\n')], 2, { status: 'matched' }],
    ['one more', [added('a', 'one\n'), deleted('b', 'two\n')], 1, { status: 'mismatched', expected: 'at most 1 changed line', received: '2' }],
    ['a file that is no text', [{ path: 'a', status: 'added', after: binary }], 5, { status: 'unavailable', code: 'content-not-text', reason: 'a: it is not text' }],
    ['a file that was not kept', [lost], 5, { status: 'unavailable', code: 'content-not-kept', reason: 'b: its content was not kept (too-large)' }],
    ['too many beside one that was not kept', [lost, added('a', 'one\ntwo\n')], 1, { status: 'mismatched', expected: 'at most 1 changed line', received: '2 or more' }],
    ['a file that the eval changed in between', [{ path: 'a', mixed: true }], 5, { status: 'unavailable', code: 'change-mixed', reason: 'a was changed by the eval in between, so its lines are not the agent\'s alone' }],
    ['too many beside such a file', [{ path: 'a', mixed: true }, added('b', 'one\ntwo\n')], 1, { status: 'mismatched', expected: 'at most 1 changed line', received: '2 or more' }],
  ])('%s', async (_what, net, most, outcome) => {
    expect(await outcomeOf(maxChangedLines(evidence([], [], net), most))).toEqual(outcome);
  });

  test('counts what is left at the end, not what was taken back', async () => {
    const windows = [[modified('a', 'one\n', 'one\ntwo\n')], [modified('a', 'one\ntwo\n', 'one\n')]];
    expect(await outcomeOf(maxChangedLines(evidence(windows, [], []), 0))).toEqual({ status: 'matched' });
  });

  test('leaves installed dependencies out, and says so; internals of a repository are nobody\'s lines', async () => {
    expect(await outcomeOf(maxChangedLines(evidence([[]], [dependencies, internals], []), 0))).toEqual({ status: 'matched', note: 'left out: node_modules' });
  });
});
