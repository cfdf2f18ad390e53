import { mkdtemp, rm, readdir, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collectImages, storedImages } from '../../src/sandbox/docker/image-store.js';
import { recordImageUse } from '../../src/sandbox/docker/image-use.js';
import { CLI } from '../support/project.js';
import { importImage, removeImage, type TestImage } from '../support/images.js';

const LABELS = ['LABEL niceeval=1 niceeval.role=prepared'];
const LONG_AGO = new Date('2001-02-03T04:05:06Z');
/** Only what was last used in the last century of this engine's life: nobody else's images are that old. */
const TWENTY_YEARS_MS = 20 * 365 * 24 * 60 * 60_000;

describe('old images', () => {
  let cache: string;
  const open: TestImage[] = [];
  beforeEach(async () => {
    cache = await mkdtemp(join(tmpdir(), 'niceeval-cache-'));
    vi.stubEnv('XDG_CACHE_HOME', cache);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const image of open.splice(0)) await image[Symbol.asyncDispose]();
    await rm(cache, { recursive: true, force: true });
  });

  /** An image whose last use was long ago. */
  const oldImage = async (reference: string, labels: readonly string[] = LABELS): Promise<string> => {
    open.push(await importImage({ [`file-${open.length}`]: { bytes: reference } }, labels, reference));
    const { stdout: id } = await execa('docker', ['image', 'inspect', '--format', '{{.Id}}', reference]);
    await recordImageUse(id);
    await utimes(join(cache, 'niceeval/images', id.replace('sha256:', '')), LONG_AGO, LONG_AGO);
    return id;
  };
  const exists = async (reference: string): Promise<boolean> => (await execa('docker', ['image', 'inspect', reference], { reject: false })).exitCode === 0;
  const references = (images: readonly { readonly references: readonly string[] }[]): readonly string[] => images.flatMap(({ references: own }) => own).sort();

  it('go, and only those of ours that nothing needs', async () => {
    const name = (what: string): string => `niceeval/prepared:test-${what}-${process.pid}`;
    await oldImage(name('idle'));
    await oldImage(name('contained'));
    await oldImage(name('parent'));
    await oldImage(name('renamed'));
    await oldImage(name('unlabelled'), ['LABEL other=1']);
    await oldImage(`niceeval-test/theirs:${process.pid}`);
    await execa('docker', ['create', '--name', `niceeval-test-${process.pid}`, name('contained'), 'x']);
    const built = await execa('docker', ['build', '-q', '-t', `niceeval-test/child:${process.pid}`, '-'], { input: `FROM ${name('parent')}\nLABEL child=1\n`, env: { DOCKER_BUILDKIT: '0' } });
    await execa('docker', ['tag', name('renamed'), `niceeval-test/mine:${process.pid}`]);
    try {
      const options = { olderThanMs: TWENTY_YEARS_MS, keep: 0 };
      expect(references((await collectImages({ ...options, dryRun: true })).removed)).toEqual([name('idle')]);
      expect(await exists(name('idle'))).toBe(true);
      const { removed, kept, refused } = await collectImages({ ...options, dryRun: false });
      expect([references(removed), refused]).toEqual([[name('idle')], []]);
      const why = new Map(kept.flatMap(({ references: own, keptFor }) => own.map((reference) => [reference, keptFor] as const)));
      expect(['contained', 'parent', 'renamed', 'unlabelled'].map((what) => why.get(name(what)))).toEqual(['a container', 'another image', 'a name of somebody else', undefined]);
      expect(await Promise.all(['idle', 'contained', 'parent', 'renamed', 'unlabelled'].map((what) => exists(name(what))))).toEqual([false, true, true, true, true]);
      expect(await exists(`niceeval-test/theirs:${process.pid}`)).toBe(true);
      expect((await readdir(join(cache, 'niceeval/images'))).length).toBeLessThan(6);
    } finally {
      await execa('docker', ['rm', '-f', `niceeval-test-${process.pid}`]);
      for (const reference of [built.stdout.trim(), `niceeval-test/mine:${process.pid}`]) await removeImage(reference);
    }
  });

  it('stay when they are among the last ones that were used', async () => {
    const reference = `niceeval/prepared:test-kept-${process.pid}`;
    await oldImage(reference);
    const all = (await storedImages()).length;
    expect(references((await collectImages({ olderThanMs: TWENTY_YEARS_MS, keep: all, dryRun: false })).removed)).toEqual([]);
    expect(await exists(reference)).toBe(true);
  });

  it('are listed with size and last use, and removed by the command', async () => {
    const reference = `niceeval/prepared:test-${process.pid}`;
    await oldImage(reference);
    const images = async (...args: readonly string[]) => execa('node', [CLI, 'images', ...args], { reject: false, env: { XDG_CACHE_HOME: cache } });
    const row = new RegExp(`^${reference} +\\d+ bytes  used 2001-02-03 04:05$`, 'm');
    expect((await images('list')).stdout).toMatch(row);
    expect((await images('gc', '--dry-run', '--older-than', '7300d')).stdout).toMatch(new RegExp(`^would remove  ${reference} +\\d+ bytes  used 2001-02-03 04:05\nwould remove 1 images, \\d+ bytes; kept \\d+$`));
    expect((await images('gc', '--older-than', '7300d')).stdout).toMatch(/^removed {2}.*\nremoved 1 images, \d+ bytes; kept \d+$/);
    expect(await exists(reference)).toBe(false);
    expect(await images('gc', '--older-than', 'yesterday')).toMatchObject({ exitCode: 2 });
    expect(await images('remove')).toMatchObject({ exitCode: 2 });
  });
});
