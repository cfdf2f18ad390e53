import { lstat, mkdir, open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A place that output goes to: an ordinary file or one to be made, or something else, for instance a device or a pipe. */
export interface OutputPlace {
  /** Absolute, behind all links. */
  readonly path: string;
  /** Only an ordinary file is replaced; what is something else is written to. */
  readonly kind: 'file' | 'other';
}

/** Looks at a path of the user's, and makes its folder. @throws an error of the file system; for a folder, one with the code EISDIR. */
export async function outputPlaceOf(path: string): Promise<OutputPlace> {
  await mkdir(dirname(path), { recursive: true });
  const link = await lstat(path).catch(() => undefined);
  if (link === undefined) return { path: join(await realpath(dirname(path)), basename(path)), kind: 'file' };
  const target = await realpath(path);
  const facts = await stat(target);
  if (facts.isDirectory()) throw Object.assign(new Error(`${path} is a folder`), { code: 'EISDIR' });
  return { path: target, kind: facts.isFile() ? 'file' : 'other' };
}

/** Opens a place for new lines. What was there before goes at once, as a whole. The caller closes it. */
export async function openAnew({ path, kind }: OutputPlace): Promise<FileHandle> {
  if (kind === 'other') return open(path, 'w');
  const sibling = siblingOf(path);
  const file = await open(sibling, 'wx');
  try {
    await rename(sibling, path);
    return file;
  } catch (error) {
    await file.close();
    await rm(sibling, { force: true });
    throw error;
  }
}

/** Takes away what an earlier run left, so that it is not taken for this one's. */
export async function clear({ path, kind }: OutputPlace): Promise<void> {
  if (kind === 'file') await rm(path, { force: true });
}

/** A file that is written bit by bit and has its name only when it is whole. Disposed of before, nothing of it is left. */
export interface GrowingFile extends AsyncDisposable {
  append(text: string): Promise<void>;
  /** Writes the last of it and gives it its name. */
  finish(text: string): Promise<void>;
}

/** Begins to write to a place. */
export async function openGrowing({ path, kind }: OutputPlace): Promise<GrowingFile> {
  const own = kind === 'other' ? path : siblingOf(path);
  const file = await open(own, kind === 'other' ? 'w' : 'wx');
  let isOpen = true;
  let isWhole = false;
  const close = async (): Promise<void> => {
    isOpen = false;
    await file.close();
  };
  return {
    append: (text) => file.appendFile(text),
    async finish(text) {
      await file.appendFile(text);
      if (kind === 'file') await file.datasync();
      await close();
      if (kind === 'file') await rename(own, path);
      isWhole = true;
    },
    async [Symbol.asyncDispose]() {
      if (isOpen) await close();
      if (kind === 'file' && !isWhole) await rm(own, { force: true });
    },
  };
}

/** Writes a text as a whole or not at all. */
export async function writeWhole(place: OutputPlace, text: string): Promise<void> {
  await using file = await openGrowing(place);
  await file.finish(text);
}

function siblingOf(path: string): string {
  return `${path}.${process.pid}.part`;
}
