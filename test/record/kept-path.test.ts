import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keptPathOf } from '../../src/record/kept-path.js';

describe('a path from a sandbox', () => {
  test('of ordinary names stays as it is', () => {
    expect(keptPathOf('projects/-home-agent-workspace/0a1b.jsonl')).toBe('projects/-home-agent-workspace/0a1b.jsonl');
    expect(keptPathOf('/abs//twice/./x')).toBe('abs/twice/x');
  });

  test('never leads out of its folder, and two names never become one', () => {
    const name = fc.oneof(fc.constantFrom('..', '.', '...', '~', 'a', 'A', ''), fc.string({ unit: 'binary' }));
    fc.assert(fc.property(fc.array(name, { maxLength: 4 }), (names) => {
      const path = keptPathOf(names.join('/'));
      expect(posix.normalize(path)).toBe(path);
      expect(posix.isAbsolute(path)).toBe(false);
      expect(path.split('/').every((part) => /^[\w.@+=~-]{1,120}$/.test(part) && !/^\.+$/.test(part))).toBe(true);
    }));
    fc.assert(fc.property(name, name, (a, b) => {
      const plain = (text: string): string => text.split('/').filter((part) => part !== '' && part !== '.').join('/');
      expect(keptPathOf(a) === keptPathOf(b)).toBe(plain(a) === plain(b));
    }));
  });
});
