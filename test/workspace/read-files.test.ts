import { expect, test } from 'vitest';
import { withinLimits } from '../../src/workspace/read-files.js';

const GIB = 1024 ** 3;

test.each<[string, Readonly<Record<string, number>>, readonly string[]]>([
  ['no files', {}, []],
  ['small files, the smaller first', { b: 20, a: 30, empty: 0 }, ['empty', 'b', 'a']],
  ['one file of exactly the limit', { a: GIB }, ['a']],
  ['one file beyond the limit, and the others all the same', { a: 900 * GIB, b: 1 }, ['b']],
  ['more than one look may read', { a: GIB, b: GIB, c: GIB, d: GIB, e: GIB, f: 0 }, ['f', 'a', 'b', 'c', 'd']],
])('reads within the limits on bytes: %s', (_what, sizes, read) => {
  expect(withinLimits(Object.entries(sizes).map(([path, sizeBytes]) => ({ path, sizeBytes })))).toEqual(read);
});
