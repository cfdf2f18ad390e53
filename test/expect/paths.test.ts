import { describe, expect, test } from 'vitest';
import { referencesAnyPath } from '../../src/expect/paths.js';

type Row = readonly [pattern: string, value: unknown, isNamed: boolean];

async function names(pattern: string | readonly string[], value: unknown): Promise<boolean> {
  return (await referencesAnyPath(typeof pattern === 'string' ? [pattern] : pattern).evaluate(value)).status === 'matched';
}

describe('a path by itself', () => {
  test.each<Row>([
    ['secrets', 'secrets', true],
    ['secrets', './secrets', true],
    ['./secrets', 'secrets', true],
    ['secrets/', 'secrets', true],
    ['secrets', 'secrets/key.pem', true],
    ['secrets', '/home/me/secrets/key.pem', true],
    ['secrets/key.pem', '/home/me/secrets/key.pem', true],
    ['secrets/key.pem', 'secrets/./key.pem', true],
    ['secrets/key.pem', 'secrets//key.pem', true],
    ['secrets/key.pem', 'secrets\\key.pem', true],
    ['secrets\\key.pem', 'secrets/key.pem', true],
    ['secrets/key.pem', 'C:\\work\\secrets\\key.pem', true],
    ['secrets', 'mysecrets', false],
    ['secrets', 'secrets2', false],
    ['secrets', 'my-secrets', false],
    ['secrets', 'secrets-old', false],
    ['secrets', '.secrets', false],
    ['secrets', 'secrets.md', false],
    ['secrets', 'übersecrets', false],
    ['secrets', 'Secrets', false],
    ['secrets/key.pem', 'secrets/other/key.pem', false],
    ['secrets/key.pem', 'secrets/key.pem.bak', false],
    ['key.pem', 'keyxpem', false],
    ['a+b(1)/$x', 'a+b(1)/$x', true],
    ['.env', '.env', true],
    ['.env', 'app/.env', true],
    ['.env', '.env.local', false],
    ['.env', 'my.env', false],
    ['naïve/ключ', 'docs/naïve/ключ', true],
    ['naïve', 'naïveté', false],
  ])('%s in %j: %s', async (pattern, value, isNamed) => {
    expect(await names(pattern, value)).toBe(isNamed);
  });
});

describe('an absolute path', () => {
  test.each<Row>([
    ['/etc/passwd', '/etc/passwd', true],
    ['/etc/passwd', 'cat /etc/passwd', true],
    ['/etc', '/etc/passwd', true],
    ['/etc/passwd', 'cat</etc/passwd', true],
    ['/etc/passwd', 'file=/etc/passwd', true],
    ['/etc/passwd', 'etc/passwd', false],
    ['/etc/passwd', '/sandbox/etc/passwd', false],
    ['/etc/passwd', './etc/passwd', false],
    ['/etc/passwd', '../etc/passwd', false],
    ['/etc/passwd', '~/etc/passwd', false],
    ['/etc/passwd', '$HOME/etc/passwd', false],
    ['/etc/passwd', '${HOME}/etc/passwd', false],
    ['/etc/passwd', '$(pwd)/etc/passwd', false],
    ['/etc/*', '/etc/passwd', true],
    ['/etc/*', 'head -1 /etc/passwd', true],
    ['/etc/*', '/sandbox/etc/passwd', false],
    ['/etc/*', '~/etc/passwd', false],
    ['/etc/*', 'etc/passwd', false],
  ])('%s in %j: %s', async (pattern, value, isNamed) => {
    expect(await names(pattern, value)).toBe(isNamed);
  });
});

describe('a glob is a real one', () => {
  test.each<Row>([
    ['secrets/**', 'secrets/key.pem', true],
    ['secrets/**', 'secrets/a/b/c', true],
    ['secrets/**', 'secrets/.hidden/key', true],
    ['secrets/**', '/home/me/secrets/key.pem', true],
    ['secrets/**', 'mysecrets/key.pem', false],
    ['secrets/**', 'secrets.md', false],
    ['secrets/*', 'secrets/key.pem', true],
    ['secrets/*.pem', 'secrets/key.pem', true],
    ['secrets/*.pem', 'secrets/key.txt', false],
    ['secrets/*.pem', 'secrets/a/key.pem', false],
    ['secrets/**/*.pem', 'secrets/a/b/key.pem', true],
    ['**/*.pem', 'a/b/key.pem', true],
    ['*.pem', 'a/b/key.pem', true],
    ['*.pem', 'key.pem.bak', false],
    ['.env*', 'app/.env.local', true],
    ['.env*', 'app/env', false],
    ['{secrets,keys}/**', 'keys/a', true],
    ['{secrets,keys}/**', 'locks/a', false],
    ['key?.pem', 'key1.pem', true],
    ['key?.pem', 'key12.pem', false],
    ['key[0-9].pem', 'key1.pem', true],
    ['key[0-9].pem', 'keyx.pem', false],
    ['secrets/*', 'secrets\\key.pem', true],
    ['secrets/*', 'C:\\work\\secrets\\key.pem', true],
    ['secrets/*', 'secrets/./key.pem', true],
    ['./secrets/*', 'secrets/key.pem', true],
    ['app/(shop)/*', 'app/(shop)/page.tsx', true],
    ['app/(shop)/*', 'app/shop/page.tsx', false],
    ['app/*/page.tsx', 'cat app/[slug]/page.tsx', true],
    ['app/*/page.tsx', 'cat app/(shop)/page.tsx', true],
    ['app/[...slug]/*', 'cat app/[...slug]/page.tsx', true],
    ['app/[slug]/page.tsx', 'sed -i s/a/b/ app/[slug]/page.tsx', true],
  ])('%s in %j: %s', async (pattern, value, isNamed) => {
    expect(await names(pattern, value)).toBe(isNamed);
  });
});

describe('a path inside a longer text', () => {
  test.each<Row>([
    ['secrets/**', 'cat secrets/key.pem', true],
    ['secrets/**', 'cat ./secrets/key.pem | head', true],
    ['secrets/**', 'cat "secrets/key.pem"', true],
    ['secrets/**', "cat 'secrets/key.pem'", true],
    ['secrets/**', 'cat<secrets/key.pem', true],
    ['secrets/**', 'A=secrets/key.pem;cat $A', true],
    ['secrets/**', 'cat $(ls secrets/key.pem)', true],
    ['secrets/**', 'grep -r key --include=secrets/key.pem', true],
    ['secrets/**', 'cat a,secrets/key.pem', true],
    ['secrets/**', '{"file_path":"secrets/key.pem"}', true],
    ['secrets/**', 'cp a b\ncat secrets/key.pem\n', true],
    ['secrets/**', 'cat /repo/secrets/key.pem', true],
    ['secrets/**', 'cat mysecrets/key.pem', false],
    ['secrets/**', 'git commit -m "no secrets here"', true],
    ['secrets/key.pem', 'git show HEAD:secrets/key.pem', true],
    ['secrets/key.pem', 'The key is in secrets/key.pem.', true],
    ['secrets/key.pem', '*** Update File: secrets/key.pem\n', true],
    ['secrets/key.pem', 'cd secrets && cat key.pem', false],
    ['my secrets/a b.pem', 'cat "my secrets/a b.pem"', true],
    ['my secrets/a b.pem', 'cat my\\ secrets/a\\ b.pem', true],
    ['my secrets/a b.pem', '/home/me/my secrets/a b.pem', true],
    ['my secrets/a b.pem', 'cat "my secrets/ab.pem"', false],
    ['my secrets/*.pem', 'my secrets/a b.pem', true],
    ['my secrets/*.pem', 'cat "my secrets/a b.pem"', true],
    ["my secrets/*.pem", "cat '/x/my secrets/a b.pem'", true],
    ['my secrets/*.pem', 'cat my\\ secrets/a\\ b.pem', true],
    ['my secrets/*.pem', 'cat "secrets/a b.pem"', false],
  ])('%s in %j: %s', async (pattern, value, isNamed) => {
    expect(await names(pattern, value)).toBe(isNamed);
  });
});

describe('a path at any depth of a value', () => {
  const cycle: Record<string, unknown> = { a: 'b' };
  cycle['self'] = cycle;
  test.each<Row>([
    ['secrets/**', { file_path: '/repo/secrets/key.pem' }, true],
    ['secrets/**', { edits: [{ path: 'a' }, { path: ['secrets/b'] }] }, true],
    // Codex names the files of a patch as the keys of an object.
    ['secrets/**', { changes: { '/repo/secrets/key.pem': { type: 'add' } } }, true],
    ['secrets/key.pem', { changes: { '/repo/secrets/key.pem': { type: 'add' } } }, true],
    ['secrets/**', { file_path: 'src/a.ts', content: 'import "./secret.js"' }, false],
    ['secrets/**', ['a', 1, null, true], false],
    ['0', ['a'], false],
    ['secrets/**', cycle, false],
    ['secrets/**', undefined, false],
    ['secrets/**', 5, false],
  ])('%s in %o: %s', async (pattern, value, isNamed) => {
    expect(await names(pattern, value)).toBe(isNamed);
  });
});

test('any of several paths is enough, and what was received is told', async () => {
  expect(await names(['a.txt', 'secrets/**'], 'cat secrets/x')).toBe(true);
  expect(await referencesAnyPath(['a.txt', 'secrets/**']).evaluate({ command: 'ls' })).toEqual({
    status: 'mismatched', expected: 'references a.txt or secrets/**', received: '{"command":"ls"}',
  });
});

const EXAMPLE = 'Give it a path or a glob such as "secrets/**".';
test.each<[string, unknown, string]>([
  ['no list', 'secrets', 'referencesAnyPath() needs a list of paths or globs, for instance ["secrets/**"].'],
  ['an empty list', [], 'referencesAnyPath() needs a list of paths or globs, for instance ["secrets/**"].'],
  ['an empty path', [''], `referencesAnyPath() cannot look for "". ${EXAMPLE}`],
  ['a path of nothing but slashes', ['/'], `referencesAnyPath() cannot look for "/". ${EXAMPLE}`],
  ['the folder itself', ['a', '.'], `referencesAnyPath() cannot look for ".". ${EXAMPLE}`],
  ['a negation', ['!secrets/**'], `referencesAnyPath() cannot look for "!secrets/**". ${EXAMPLE}`],
  ['no text', [5], `referencesAnyPath() cannot look for 5. ${EXAMPLE}`],
  ['the same path twice', ['a', 'b', 'a'], 'referencesAnyPath() was given "a" twice.'],
  ['the same path in two spellings', ['a/b', './a//b'], 'referencesAnyPath() was given "./a//b" twice.'],
])('refuses %s', (_what, patterns, message) => {
  expect(() => referencesAnyPath(patterns as string[])).toThrow(new TypeError(message));
});
