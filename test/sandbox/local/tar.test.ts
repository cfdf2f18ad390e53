import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { tarOf } from '../../../src/sandbox/local/tar.js';
import { tarEntriesOf } from '../../../src/workspace/tar-entries.js';

test('tells the size of a file of more than 8 GiB, which octal digits cannot, to tar and to our own reader', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'niceeval-tar-'));
  try {
    const file = await open(join(folder, 'huge'), 'w');
    await file.truncate(9 * 1024 ** 3 + 7);
    await file.close();
    const archive = await tarOf(join(folder, 'huge'));
    const [header] = await new Promise<[Buffer]>((resolve) => { archive.once('data', (chunk: Buffer) => { resolve([chunk]); }); });
    archive.destroy();
    const { stdout } = await execa('tar', ['-tvf', '-'], { input: header.subarray(0, 512), reject: false });
    expect(stdout).toMatch(/ 9663676423 .* huge$/m);
    for await (const entry of tarEntriesOf(await tarOf(join(folder, 'huge')))) {
      expect(entry.header).toMatchObject({ name: 'huge', size: 9_663_676_423, type: 'file' });
      break;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
