import { describe, expect, test } from 'vitest';
import { createIgnoreRules } from '../../src/sandbox/prepare/ignore-rules.js';

describe('what an upload leaves out', () => {
  test('is what any of its globs fits; those that fitted nothing are known', () => {
    const rules = createIgnoreRules(['node_modules/**', '*.log', 'dist', '**/.cache']);
    const kept = ['src', 'src/a.ts', 'node_modules', 'node_modules/x/i.js', 'a.log', 'sub/a.log', 'sub/.cache'].filter((path) => !rules.isIgnored(path));
    expect(kept).toEqual(['src', 'src/a.ts', 'sub/a.log']);
    expect(rules.unmatched()).toEqual(['dist']);
  });

  test('counts a glob as fitting also where another one fitted first', () => {
    const rules = createIgnoreRules(['a/**', 'a/b']);
    rules.isIgnored('a/b');
    expect(rules.unmatched()).toEqual([]);
  });

  test.each([['a.log'], [['']], [[7]]])('is a list of globs, not %j', (globs) => {
    expect(() => createIgnoreRules(globs as string[])).toThrow(new TypeError('An upload: `ignore` must be a list of globs, for instance ["node_modules/**"].'));
  });
});
