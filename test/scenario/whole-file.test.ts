import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clear, openAnew, openGrowing, outputPlaceOf, writeWhole } from '../../src/scenario/whole-file.js';

let folder: string;
beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'niceeval-whole-')); });
afterEach(() => rm(folder, { recursive: true, force: true }));

const text = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

test('folders that are missing are made, and a folder is no place', async () => {
  await writeWhole(await outputPlaceOf(join(folder, 'a/b/c.json')), 'x');
  expect(await text('a/b/c.json')).toBe('x');
  await expect(outputPlaceOf(join(folder, 'a'))).rejects.toMatchObject({ code: 'EISDIR' });
});

test('what was there is gone at once, and whoever reads it goes on reading that', async () => {
  await writeFile(join(folder, 'r'), 'old\n');
  const place = await outputPlaceOf(join(folder, 'r'));
  const file = await openAnew(place);
  expect([await text('r'), await readdir(folder)]).toEqual(['', ['r']]);
  await file.appendFile('new\n');
  await file.close();
  expect(await text('r')).toBe('new\n');
});

test('a link stays, and what it leads to is written', async () => {
  await mkdir(join(folder, 'real'));
  await writeFile(join(folder, 'real/r'), 'old');
  await symlink('real/r', join(folder, 'link'));
  await writeWhole(await outputPlaceOf(join(folder, 'link')), 'new');
  expect([(await lstat(join(folder, 'link'))).isSymbolicLink(), await text('real/r')]).toEqual([true, 'new']);
});

test('a device or a pipe is written to and not replaced', async () => {
  await execa('mkfifo', [join(folder, 'pipe')]);
  const place = await outputPlaceOf(join(folder, 'pipe'));
  const reader = execa('cat', [join(folder, 'pipe')]);
  await clear(place);
  await writeWhole(place, 'through');
  expect([(await reader).stdout, (await lstat(join(folder, 'pipe'))).isFIFO(), (await outputPlaceOf('/dev/null')).kind]).toEqual(['through', true, 'other']);
});

test('a file that is not whole has no name, and is gone when it is given up', async () => {
  const place = await outputPlaceOf(join(folder, 'report'));
  {
    await using file = await openGrowing(place);
    await file.append('{');
    expect(await readdir(folder)).not.toContain('report');
  }
  expect(await readdir(folder)).toEqual([]);
  await using whole = await openGrowing(place);
  await whole.append('{');
  await whole.finish('}');
  expect([await text('report'), await readdir(folder)]).toEqual(['{}', ['report']]);
});
