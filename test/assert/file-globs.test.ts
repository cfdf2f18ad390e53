import { describe, expect, test } from 'vitest';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import { changedPaths, fileChanged, fileDeleted, onlyChanged, untouched } from '../../src/assert/file-claims.js';
import type { ChangeSummary } from '../../src/evidence/file-changes.js';
import { escapePathText } from '../../src/evidence/path-text.js';
import { includes } from '../../src/expect/texts.js';
import { added, deleted, dependencies, evidence, file, internals, lost, modified } from './file-builders.js';
import { outcomeOf } from './outcomes.js';

type Row = readonly [selector: string, path: string, fits: boolean];

const ROWS: readonly Row[] = [
  ['src/**', 'src/a.ts', true],
  ['src/**', 'src/a/b/c.ts', true],
  ['src/**', 'src/.hidden/a', true],
  ['src/**', 'srcs/a.ts', false],
  ['src/**', 'lib/src/a.ts', false],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/a/b.ts', false],
  ['*', '.env', true],
  ['**/*.md', 'a.md', true],
  ['**/*.md', 'docs/deep/a.md', true],
  ['src/?.ts', 'src/a.ts', true],
  ['src/?.ts', 'src/ab.ts', false],
  ['*', 'src/a.ts', false],
  ['{src,test}/a.ts', 'test/a.ts', true],
  ['{src,test}/a.ts', 'docs/a.ts', false],
  ['src/@(a|b).ts', 'src/b.ts', true],
  ['app/[slug]/page.tsx', 'app/[slug]/page.tsx', true],
  ['app/[slug]/page.tsx', 'app/s/page.tsx', false],
  ['app/[slug]/*.tsx', 'app/[slug]/page.tsx', true],
  ['app/[slug]/*.tsx', 'app/s/page.tsx', false],
  ['[ab]*.ts', 'a.ts', false],
  ['[ab]*.ts', '[ab]c.ts', true],
  ['app/[...slug]/**', 'app/[...slug]/a/b', true],
  ['app/(shop)/page.tsx', 'app/(shop)/page.tsx', true],
  ['app/(shop)/*.tsx', 'app/(shop)/page.tsx', true],
  ['app/(shop)/*.tsx', 'app/shop/page.tsx', false],
  ['src/**', 'src/two\nlines.ts', true],
  ['src/*.ts', 'src/two\nlines.ts', true],
  ['**', 'two\nlines/a', true],
  ['my docs/a b.md', 'my docs/a b.md', true],
  ['my docs/*.md', 'my docs/a b.md', true],
  ['docs/naïve ключ.md', 'docs/naïve ключ.md', true],
  ['docs/*ключ.md', 'docs/naïve ключ.md', true],
  ['docs/100%.md', 'docs/100%.md', true],
  ['docs/100%*', 'docs/100%.md', true],
  ['a\\b', 'a\\b', true],
  ['a+b$/x', 'a+b$/x', true],
];

describe('a path or glob and a changed file', () => {
  test.each(ROWS)('%s and %s: %s', async (selector, path, fits) => {
    const told = escapePathText(path);
    expect((await outcomeOf(fileChanged(evidence([[added('far/other', 'x'), modified(told, 'x', 'y')]]), selector))).status).toBe(fits ? 'matched' : 'mismatched');
    expect((await outcomeOf(fileDeleted(evidence([[deleted(told, 'x')]]), selector))).status).toBe(fits ? 'matched' : 'mismatched');
    expect((await outcomeOf(onlyChanged(evidence([[modified(told, 'x', 'y')]]), [selector]))).status).toBe(fits ? 'matched' : 'mismatched');
    expect((await outcomeOf(untouched(evidence([[modified(told, 'x', 'y')]]), [selector]))).status).toBe(fits ? 'mismatched' : 'matched');
  });

  test('a name that is not UTF-8 is meant by a glob, by its text form', async () => {
    expect((await outcomeOf(fileChanged(evidence([[added('docs/%FF.md', 'x')]]), 'docs/*.md'))).status).toBe('matched');
  });
});

describe('fileChanged of a glob', () => {
  test('holds where one of the files fits every option', async () => {
    const windows = [[modified('src/a.ts', 'one', 'two'), added('src/b.ts', 'three')], [modified('src/b.ts', 'three', 'four')]];
    expect(await outcomeOf(fileChanged(evidence(windows), 'src/*.ts', { status: 'modified', after: includes('four') }))).toEqual({ status: 'matched', note: 'src/b.ts in turn2' });
    expect((await outcomeOf(fileChanged(evidence(windows), 'src/*.ts', { status: 'added', after: includes('four') }))).status).toBe('mismatched');
  });

  test('cannot be told where one of the files may fit', async () => {
    const windows = [[modified('src/a.ts', 'one', 'two'), { path: 'src/b.ts', status: 'added' as const, after: file('x', { contentGap: 'too-large' }) }]];
    expect(await outcomeOf(fileChanged(evidence(windows), 'src/*.ts', { after: includes('four') }))).toEqual({
      status: 'unavailable', code: 'content-not-kept', reason: 'the content of src/b.ts after was not kept (too-large)',
    });
  });

  test.each<[string, string, ChangeSummary, string]>([
    ['a glob that may reach into it', 'node_modules/**/*.js', dependencies, 'unavailable'],
    ['a glob from anywhere', '**/*.js', dependencies, 'unavailable'],
    ['a glob that cannot', 'src/**', dependencies, 'mismatched'],
    ['a path in it', 'node_modules/a/index.js', dependencies, 'unavailable'],
    ['a path beside it', 'node_modules.txt', dependencies, 'mismatched'],
    ['a folder deeper down', 'packages/a/node_modules/b', { ...dependencies, path: 'packages/a/node_modules' }, 'unavailable'],
    ['a path in the internals of a repository', '.git/config', internals, 'unavailable'],
    ['a glob and the internals of a repository, which are nobody\'s files', '**', internals, 'mismatched'],
  ])('beside a folder that is counted only: %s', async (_what, selector, summary, expected) => {
    expect((await outcomeOf(fileChanged(evidence([[]], [summary]), selector))).status).toBe(expected);
    expect((await outcomeOf(fileDeleted(evidence([[]], [summary]), selector))).status).toBe(expected);
  });
});

describe('onlyChanged', () => {
  test.each<[string, readonly string[], Parameters<typeof evidence>, object]>([
    ['nothing was changed', ['src/**'], [[[]]], { status: 'matched' }],
    ['several paths and globs', ['README.md', 'src/**'], [[[added('README.md', 'x')], [added('src/a', 'x'), deleted('src/b', 'x')]]], { status: 'matched' }],
    [
      'others were changed, in any send', ['src/**'], [[[added('src/a', 'x'), added('z', 'x')], [added('a', 'x'), modified('z', 'x', 'y')]]],
      { status: 'mismatched', expected: 'the agent changed only src/**', received: 'also changed: a, z' },
    ],
    ['a folder that is counted', ['src/**'], [[[]], [dependencies]], { status: 'mismatched', expected: 'the agent changed only src/**', received: 'also changed: node_modules' }],
    ['a folder that is counted and allowed', ['src/**', 'node_modules/**'], [[[]], [dependencies]], { status: 'matched' }],
    ['the internals of a repository', ['src/**'], [[[]], [internals]], { status: 'matched' }],
  ])('%s', async (_what, paths, given, outcome) => {
    expect(await outcomeOf(onlyChanged(evidence(...given), paths))).toEqual(outcome);
  });
});

describe('untouched', () => {
  const expected = 'the agent left test/**, a.json untouched';
  test.each<[string, readonly string[], Parameters<typeof evidence>, object]>([
    ['nothing was changed', ['test/**', 'a.json'], [[[]]], { status: 'matched' }],
    ['others were changed', ['test/**', 'a.json'], [[[added('src/a', 'x')], [deleted('b.json', 'x')]]], { status: 'matched' }],
    [
      'they were changed, in any send, even if changed back', ['test/**', 'a.json'], [[[added('test/z', 'x'), modified('a.json', 'x', 'y')], [modified('a.json', 'y', 'x'), deleted('test/z', 'x')]]],
      { status: 'mismatched', expected, received: 'changed: a.json, test/z' },
    ],
    ['a folder that is counted and may hold one', ['**/*.json'], [[[]], [dependencies]], { status: 'unavailable', code: 'path-counted-only', reason: 'node_modules is counted, not listed (dependencies)' }],
    ['a folder that is counted and a path in it', ['node_modules/a/index.js'], [[[]], [dependencies]], { status: 'unavailable', code: 'path-counted-only', reason: 'node_modules is counted, not listed (dependencies)' }],
    ['a folder that is counted and cannot hold one', ['src/**', 'node_modules.txt'], [[[]], [dependencies]], { status: 'matched' }],
    ['a folder that is counted and meant as a whole', ['node_modules/**'], [[[]], [dependencies]], { status: 'mismatched', expected: 'the agent left node_modules/** untouched', received: 'changed: node_modules' }],
    ['one was changed for sure beside a folder that may hold one', ['**/*.json'], [[[added('a.json', 'x')]], [dependencies]], { status: 'mismatched', expected: 'the agent left **/*.json untouched', received: 'changed: a.json' }],
    ['the internals of a repository, which are nobody\'s files', ['**/*'], [[[]], [internals]], { status: 'matched' }],
    ['the internals of a repository, named', ['.git/**'], [[[]], [internals]], { status: 'mismatched', expected: 'the agent left .git/** untouched', received: 'changed: .git' }],
    ['a file in the internals of a repository', ['.git/hooks/*'], [[[]], [internals]], { status: 'unavailable', code: 'path-counted-only', reason: '.git is counted, not listed (git-internals)' }],
  ])('%s', async (_what, paths, given, outcome) => {
    expect(await outcomeOf(untouched(evidence(...given), paths))).toEqual(outcome);
  });

  test('cannot be told where nobody knows the changes', async () => {
    expect(await outcomeOf(untouched(lost, ['a']))).toEqual({ status: 'unavailable', code: 'changes-unavailable', reason: 'the sandbox was gone' });
  });
});

test.each<[string, () => unknown, string]>([
  ['untouched of nothing', () => untouched(evidence([]), []), 'untouched needs at least one path or glob. For everything use noChanges().'],
  ['untouched of one path', () => untouched(evidence([]), 'a' as never), 'untouched needs a list of paths, for instance ["src/sum.mjs"].'],
  ['onlyChanged of nothing', () => onlyChanged(evidence([]), []), 'onlyChanged needs at least one path or glob. For nothing at all use noChanges().'],
  ['onlyChanged of one path', () => onlyChanged(evidence([]), 'a' as never), 'onlyChanged needs a list of paths, for instance ["src/sum.mjs"].'],
  ['changedPaths of one path', () => changedPaths(evidence([]), 'a' as never), 'changedPaths needs a list of paths, for instance ["src/sum.mjs"].'],
  ['changedPaths of a glob', () => changedPaths(evidence([]), ['a', 'src/**']), 'changedPaths needs every single path; "src/**" is a glob. Use onlyChanged([...]) or fileChanged(...) for globs.'],
  ['a negation', () => fileChanged(evidence([]), '!src/**'), '"!src/**" is not a path inside the working directory. Write it like "src/sum.mjs" or "src/**".'],
  ['a path that is no text', () => fileDeleted(evidence([]), 5 as never), '5 is not a path inside the working directory. Write it like "src/sum.mjs" or "src/**".'],
])('refuses %s', (_what, make, message) => {
  expect(make).toThrow(new ClaimAuthoringError(message));
});

test('changedPaths takes brackets as they stand', async () => {
  expect((await outcomeOf(changedPaths(evidence([[added('app/[slug]/page.tsx', 'x')]]), ['app/[slug]/page.tsx']))).status).toBe('matched');
});
