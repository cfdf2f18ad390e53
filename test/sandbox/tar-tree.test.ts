import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pack, type Headers } from 'tar-stream';
import { SandboxInputError, UnsafeArchiveError } from '../../src/sandbox/errors.js';
import { treeOfTar } from '../../src/sandbox/prepare/tar-tree.js';

type Entry = Headers & { readonly text?: string };

describe('an archive', () => {
  let folder: string;
  beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'niceeval-tar-')); });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const read = async (file: string): Promise<readonly string[]> => {
    const told: string[] = [];
    for await (const entry of treeOfTar(file)) {
      const chunks: Uint8Array[] = [];
      if (entry.kind === 'file') for await (const chunk of entry.bytes) chunks.push(chunk);
      const rest = entry.kind === 'file' ? Buffer.concat(chunks).toString() : 'target' in entry ? entry.target : '';
      told.push(`${entry.kind} ${entry.path} ${entry.kind === 'symlink' ? '' : entry.mode.toString(8)} ${rest}`.replace(/ +/g, ' ').trim());
    }
    return told;
  };
  const archiveOf = async (entries: readonly Entry[]): Promise<string> => {
    const archive = pack();
    for (const { text, ...header } of entries) archive.entry(header, text);
    archive.finalize();
    const chunks: Uint8Array[] = [];
    for await (const chunk of archive) chunks.push(chunk as Uint8Array);
    await writeFile(join(folder, 'made.tar'), Buffer.concat(chunks));
    return join(folder, 'made.tar');
  };

  test.each(['--create', '--create --gzip'])('of tar %s is read: files, folders, links, long names', async (how) => {
    const long = `${'long'.repeat(40)}.txt`;
    await mkdir(join(folder, 'in/sub'), { recursive: true });
    await writeFile(join(folder, 'in/sub/a'), 'a', { mode: 0o755 });
    await writeFile(join(folder, 'in', long), 'long');
    await symlink('sub/a', join(folder, 'in/l'));
    await symlink('../in', join(folder, 'in/sub/up'));
    await rm(join(folder, 'in/sub/up'));
    await symlink('../l', join(folder, 'in/sub/up'));
    await execa('ln', [join(folder, 'in/sub/a'), join(folder, 'in/sub/b')]);
    await execa('tar', [...how.split(' '), `--file=${join(folder, 'x.tar')}`, '--sort=name', `--directory=${join(folder, 'in')}`, '.']);
    expect(await read(join(folder, 'x.tar'))).toEqual(['symlink l sub/a', `file ${long} 644 long`, 'directory sub 755', 'file sub/a 755 a', 'hardlink sub/b 755 sub/a', 'symlink sub/up ../l']);
  });

  test.each<[string, readonly Entry[]]>([
    ['a name that climbs out', [{ name: '../x', text: 'x' }]],
    ['a name that climbs out further in', [{ name: 'a/../../x', text: 'x' }]],
    ['an absolute name', [{ name: '/etc/x', text: 'x' }]],
    ['an absolute link', [{ name: 'l', type: 'symlink', linkname: '/etc' }]],
    ['a link that climbs out', [{ name: 'a/l', type: 'symlink', linkname: '../../etc' }]],
    ['a link that climbs behind another link', [{ name: 's', type: 'symlink', linkname: '.' }, { name: 'l', type: 'symlink', linkname: 's/..' }]],
    ['a file below a link', [{ name: 'd', type: 'symlink', linkname: 'e' }, { name: 'd/x', text: 'x' }]],
    ['a file in the place of a link', [{ name: 'l', type: 'symlink', linkname: 'e' }, { name: 'l', text: 'x' }]],
    ['a hard link to nothing of it', [{ name: 'h', type: 'link', linkname: 'etc/passwd' }]],
    ['a hard link that climbs out', [{ name: 'h', type: 'link', linkname: '../x' }]],
    ['a hard link to a link', [{ name: 'l', type: 'symlink', linkname: 'e' }, { name: 'h', type: 'link', linkname: 'l' }]],
    ['a device', [{ name: 'null', type: 'character-device' }]],
    ['a block device', [{ name: 'sda', type: 'block-device' }]],
    ['a pipe', [{ name: 'p', type: 'fifo' }]],
  ])('is refused for %s', async (_what, entries) => {
    await expect(read(await archiveOf(entries))).rejects.toThrow(UnsafeArchiveError);
  });

  test('gives no file the bits that lend somebody\'s rights', async () => {
    expect(await read(await archiveOf([{ name: 'a', mode: 0o6755, text: 'x' }]))).toEqual(['file a 755 x']);
  });

  test.each([['that is cut', (bytes: Buffer) => bytes.subarray(0, 700)], ['that is none', () => Buffer.from('no archive at all, but a text of some length'.repeat(20))], ['whose packing is cut', () => Buffer.from('1f8b0800000000000003', 'hex')]])('%s is told by its name', async (_what, harm) => {
    const file = await archiveOf([{ name: 'a', text: 'x'.repeat(2000) }]);
    await writeFile(file, harm(await readFile(file)));
    await expect(read(file)).rejects.toThrow(SandboxInputError);
    await expect(read(file)).rejects.toThrow(`The archive "${file}" cannot be read: `);
  });
});
