import { describe, expect, test } from 'vitest';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import { maxChangedLines, notInDiff } from '../../src/assert/diff-claims.js';
import { changedPaths, fileChanged, fileDeleted, noChanges, onlyChanged, type FileChangedOptions } from '../../src/assert/file-claims.js';
import type { FileEvidence } from '../../src/assert/file-evidence.js';
import type { ClaimOutcome } from '../../src/assert/claim.js';
import type { ClaimSpec } from '../../src/assert/entry.js';
import type { ChangeSummary, FileChange, FileSide } from '../../src/evidence/file-changes.js';
import type { MatchOutcome, ValueMatch } from '../../src/expect/match.js';
import { toolMatch } from '../../src/expect/tool.js';
import { includes } from '../../src/expect/texts.js';
import { equals, satisfies } from '../../src/expect/values.js';
import { added, deleted, dependencies, evidence, file, internals, lost, modified } from './file-builders.js';
import { outcomeOf } from './outcomes.js';

const statusOf = async (claim: ClaimSpec): Promise<MatchOutcome['status']> => (await outcomeOf(claim)).status;

describe('fileChanged', () => {
  const sum = modified('sum.mjs', 'a - b', 'a + b');
  test.each<[string, readonly (readonly FileChange[])[], FileChangedOptions, MatchOutcome['status']]>([
    ['a file that was changed in any way', [[sum]], {}, 'matched'],
    ['a file that was changed in a later send', [[], [sum]], {}, 'matched'],
    ['a file that was not changed', [[added('b.mjs', 'x')]], {}, 'mismatched'],
    ['the status it has', [[sum]], { status: 'modified' }, 'matched'],
    ['a status it does not have', [[sum]], { status: 'added' }, 'mismatched'],
    ['the text before', [[sum]], { before: includes('a - b') }, 'matched'],
    ['the text before, which differs', [[sum]], { before: includes('a + b') }, 'mismatched'],
    ['the text after', [[sum]], { after: equals('a + b') }, 'matched'],
    ['the text after, by a condition that answers later', [[sum]], { after: satisfies('adds', (text) => Promise.resolve(text === 'a + b')) }, 'matched'],
    ['everything at once', [[sum]], { status: 'modified', before: includes('-'), after: includes('+') }, 'matched'],
    ['everything at once, of which one does not hold', [[sum]], { status: 'modified', before: includes('-'), after: includes('*') }, 'mismatched'],
    [
      'before and after that hold in two different sends', [[modified('sum.mjs', 'one', 'two')], [modified('sum.mjs', 'two', 'three')]],
      { before: includes('one'), after: includes('three') }, 'mismatched',
    ],
    [
      'before and after that hold in the second send', [[modified('sum.mjs', 'one', 'two')], [modified('sum.mjs', 'two', 'three')]],
      { before: includes('two'), after: includes('three') }, 'matched',
    ],
    ['the text before of a file that was added', [[added('sum.mjs', 'x')]], { before: includes('x') }, 'mismatched'],
    ['the text after of a file that was deleted', [[deleted('sum.mjs', 'x')]], { after: includes('x') }, 'mismatched'],
    ['the text before of a file that was deleted', [[deleted('sum.mjs', 'x')]], { status: 'deleted', before: includes('x') }, 'matched'],
    ['the text of a link', [[{ path: 'sum.mjs', status: 'added', after: { kind: 'symlink', mode: 0o777, uid: 0, gid: 0, linkTarget: 'x' } }]], { after: includes('x') }, 'mismatched'],
  ])('asked for %s', async (_what, windows, options, expected) => {
    expect(await statusOf(fileChanged(evidence(windows), 'sum.mjs', options))).toBe(expected);
  });

  test('means the bytes of a path, however an author has to write them', async () => {
    expect(await statusOf(fileChanged(evidence([[added('docs/na%C3%AFve%20plan%25.md', 'x')]]), 'docs/naïve plan%.md'))).toBe('matched');
  });

  const tooLarge = file('a great deal', { contentGap: 'too-large' });
  const unread: FileSide = { kind: 'file', mode: 0o644, uid: 0, gid: 0, sizeBytes: 3, contentGap: 'not-read' };
  test.each<[string, FileChange, FileChangedOptions, ClaimOutcome]>([
    [
      'a file too large to keep', { path: 'sum.mjs', status: 'added', after: tooLarge }, { after: includes('deal') },
      { status: 'unavailable', code: 'content-not-kept', reason: 'the content of sum.mjs after was not kept (too-large)' },
    ],
    [
      'a file beyond the limit of all files', { path: 'sum.mjs', status: 'modified', before: file('x', { contentGap: 'limit-reached' }), after: file('y') }, { before: includes('x') },
      { status: 'unavailable', code: 'content-not-kept', reason: 'the content of sum.mjs before was not kept (limit-reached)' },
    ],
    [
      'a file that could not be read', { path: 'sum.mjs', status: 'modified', before: unread, after: file('y') }, { before: includes('x') },
      { status: 'unavailable', code: 'content-not-kept', reason: 'the content of sum.mjs before was not kept (not-read)' },
    ],
    [
      'a file that is no text', { path: 'sum.mjs', status: 'added', after: file(Buffer.from([0, 1]), { binary: true }) }, { after: includes('x') },
      { status: 'unavailable', code: 'content-not-text', reason: 'sum.mjs after is not text' },
    ],
    ['the mere change of such a file', { path: 'sum.mjs', status: 'added', after: tooLarge }, { status: 'added' }, { status: 'matched', note: 'sum.mjs in turn1' }],
    [
      'a side that was not kept beside one that differs', { path: 'sum.mjs', status: 'modified', before: unread, after: file('y') }, { before: includes('x'), after: includes('z') },
      {
        status: 'mismatched', expected: 'the agent changed sum.mjs', received: 'the agent changed sum.mjs',
        nearest: { what: 'sum.mjs (modified)', expected: 'includes "z"', received: 'sum.mjs after: "y"' },
      },
    ],
  ])('cannot tell the text of what was not kept: %s', async (_what, change, options, outcome) => {
    expect(await outcomeOf(fileChanged(evidence([[change]]), 'sum.mjs', options))).toEqual(outcome);
  });

  test('finds a send that fits for certain beside one that cannot be told', async () => {
    const windows = [[{ path: 'sum.mjs', status: 'added', after: tooLarge } as const], [modified('sum.mjs', 'one', 'two')]];
    expect(await statusOf(fileChanged(evidence(windows), 'sum.mjs', { after: includes('two') }))).toBe('matched');
    for (const order of [windows, [...windows].reverse()]) {
      expect(await statusOf(fileChanged(evidence(order), 'sum.mjs', { after: includes('six') }))).toBe('unavailable');
    }
  });

  test.each(['node_modules/left-pad/index.js', 'node_modules'])('cannot tell what is counted, not listed: %s', async (path) => {
    expect(await outcomeOf(fileChanged(evidence([[]], [dependencies]), path))).toEqual({
      status: 'unavailable', code: 'path-counted-only', reason: 'node_modules is counted, not listed (dependencies)',
    });
  });

  test.each<[string, readonly (readonly FileChange[])[], FileChangedOptions, ClaimOutcome]>([
    ['when nothing was', [[]], {}, { status: 'mismatched', expected: 'the agent changed sum.mjs', received: 'the agent changed nothing' }],
    [
      'when other files were', [[added('b', 'x'), added('a', 'x')], [modified('b', 'x', 'y')]], { status: 'added' },
      { status: 'mismatched', expected: 'the agent changed sum.mjs (added)', received: 'the agent changed b, a' },
    ],
    ['when it was in another way', [[sum]], { status: 'deleted' }, {
      status: 'mismatched', expected: 'the agent changed sum.mjs (deleted)', received: 'the agent changed sum.mjs',
      nearest: { what: 'sum.mjs (modified)', expected: 'status deleted', received: 'sum.mjs was modified' },
    }],
  ])('tells what was changed instead, %s', async (_when, windows, options, outcome) => {
    expect(await outcomeOf(fileChanged(evidence(windows), 'sum.mjs', options))).toEqual(outcome);
  });
});

describe('fileDeleted', () => {
  test.each<[string, readonly (readonly FileChange[])[], ClaimOutcome]>([
    ['deleted', [[deleted('old.txt', 'x')]], { status: 'matched', note: 'old.txt in turn1' }],
    ['deleted in one send and written again in the next', [[deleted('old.txt', 'x')], [added('old.txt', 'y')]], { status: 'matched', note: 'old.txt in turn1' }],
    ['modified', [[modified('old.txt', 'x', 'y')]], {
      status: 'mismatched', expected: 'the agent deleted old.txt', received: 'the agent changed old.txt',
      nearest: { what: 'old.txt (modified)', expected: 'status deleted', received: 'old.txt was modified' },
    }],
    ['left alone', [[]], { status: 'mismatched', expected: 'the agent deleted old.txt', received: 'the agent changed nothing' }],
  ])('a file that was %s', async (_what, windows, outcome) => {
    expect(await outcomeOf(fileDeleted(evidence(windows), 'old.txt'))).toEqual(outcome);
  });
});

describe('changedPaths and noChanges', () => {
  test.each<[string, readonly string[], readonly (readonly FileChange[])[], readonly ChangeSummary[], ClaimOutcome]>([
    ['the same set in another order', ['b', 'a'], [[added('a', 'x')], [deleted('b', 'x')]], [], { status: 'matched' }],
    ['a path that was changed in two sends', ['a'], [[added('a', 'x')], [modified('a', 'x', 'y')]], [], { status: 'matched' }],
    ['a path named twice', ['a', 'a'], [[added('a', 'x')]], [], { status: 'matched' }],
    ['a path too few', ['a'], [[added('a', 'x'), added('b', 'x')]], [], { status: 'mismatched', expected: 'the agent changed exactly a', received: 'also changed: b' }],
    ['a path too many', ['a', 'b'], [[added('a', 'x')]], [], { status: 'mismatched', expected: 'the agent changed exactly a, b', received: 'not changed: b' }],
    ['another path', ['a'], [[added('b', 'x')]], [], { status: 'mismatched', expected: 'the agent changed exactly a', received: 'not changed: a; also changed: b' }],
    ['nothing, and nothing was changed', [], [[], []], [], { status: 'matched' }],
    ['nothing, and a folder of dependencies was', [], [[]], [dependencies], { status: 'mismatched', expected: 'the agent changed exactly nothing', received: 'also changed: node_modules' }],
    ['a folder of dependencies by its name', ['node_modules'], [[]], [dependencies], { status: 'matched' }],
    ['nothing, and only internals of a repository were', [], [[]], [internals], { status: 'matched' }],
  ])('claimed %s', async (_what, paths, windows, summaries, outcome) => {
    expect(await outcomeOf(changedPaths(evidence(windows, summaries), paths))).toEqual(outcome);
  });

  test('names eight paths and counts the others', async () => {
    const changes = Array.from({ length: 10 }, (_item, index) => added(`f${index}`, 'x'));
    expect(await outcomeOf(noChanges(evidence([changes])))).toEqual({
      status: 'mismatched', expected: 'the agent changed nothing', received: 'also changed: f0, f1, f2, f3, f4, f5, f6, f7 and 2 more',
    });
  });

  test('noChanges holds while nothing was changed, and only then', async () => {
    expect(await statusOf(noChanges(evidence([[]])))).toBe('matched');
    expect(await statusOf(noChanges(evidence([[], [added('a', 'x')]])))).toBe('mismatched');
  });
});

describe('every claim about files', () => {
  const claims: readonly [string, (read: () => FileEvidence) => ClaimSpec][] = [
    ['fileChanged', (read) => fileChanged(read, 'a')],
    ['fileDeleted', (read) => fileDeleted(read, 'a')],
    ['changedPaths', (read) => changedPaths(read, ['a'])],
    ['noChanges', (read) => noChanges(read)],
    ['onlyChanged', (read) => onlyChanged(read, ['a'])],
    ['notInDiff', (read) => notInDiff(read, /a/)],
    ['maxChangedLines', (read) => maxChangedLines(read, 1)],
  ];
  test.each(claims)('%s is unavailable when the changes are', async (_name, claim) => {
    expect(await outcomeOf(claim(lost))).toEqual({ status: 'unavailable', code: 'changes-unavailable', reason: 'the sandbox was gone' });
  });

  test.each(claims)('%s looks at the end of the Attempt, not at the time when it was claimed', async (_name, claim) => {
    let asked = 0;
    const spec = claim(() => {
      asked += 1;
      return evidence([[]])();
    });
    expect([asked, spec.atEnd]).toEqual([0, true]);
    await outcomeOf(spec);
    expect(asked).toBe(1);
  });
});

describe('a path that lies nowhere in the working directory is refused', () => {
  test.each(['', '/etc/passwd', '../a', 'a/../b', './a', 'a//b', 'a/', '.', '..'])('"%s"', (path) => {
    const error = new ClaimAuthoringError(`${JSON.stringify(path)} is not a path inside the working directory. Write it like "src/sum.mjs" or "src/**".`);
    expect(() => fileChanged(evidence([]), path)).toThrow(error);
    expect(() => fileDeleted(evidence([]), path)).toThrow(error);
    expect(() => changedPaths(evidence([]), ['a', path])).toThrow(error);
    expect(() => onlyChanged(evidence([]), ['a', path])).toThrow(error);
  });
});

test.each<[string, FileChangedOptions, string]>([
  ['an unknown option', { content: includes('x') } as FileChangedOptions, 'fileChanged does not know the option "content". It knows status, before and after.'],
  ['a plain value', { before: 'x' as unknown as ValueMatch }, 'fileChanged needs a value match as `before`, for instance includes("...").'],
  ['a match of tool calls', { after: toolMatch('Edit') as unknown as ValueMatch }, 'fileChanged needs a value match as `after`, for instance includes("...").'],
  [
    'a status that no change has', { status: 'changed' as 'added' },
    'fileChanged does not know the status "changed". It knows added, modified, deleted, type-changed, mode-changed and metadata.',
  ],
])('fileChanged refuses %s', (_what, options, message) => {
  expect(() => fileChanged(evidence([]), 'a', options)).toThrow(new ClaimAuthoringError(message));
});
