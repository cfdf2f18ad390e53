import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptFile } from '../agents/parse-transcript.js';

/** What the paths of a command line hold. */
export interface FoundFiles {
  /** Paths that were named one by one. */
  readonly named: readonly TranscriptFile[];
  /** What lies in the folders that were named, by path. */
  readonly walked: readonly TranscriptFile[];
}

/**
 * Reads files, and folders to their bottom. Links are followed only when they were named themselves.
 *
 * @throws what the file system says of a path that cannot be read.
 */
export async function readTranscriptFiles(paths: readonly string[]): Promise<FoundFiles> {
  const named: TranscriptFile[] = [];
  const walked: TranscriptFile[] = [];
  for (const path of paths) {
    if ((await stat(path)).isDirectory()) walked.push(...await filesBelow(path));
    else named.push({ path, bytes: await readFile(path) });
  }
  return { named, walked };
}

async function filesBelow(folder: string): Promise<readonly TranscriptFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort(inNumber);
  const files: TranscriptFile[] = [];
  for (const path of paths) files.push({ path, bytes: await readFile(path) });
  return files;
}

/** Turn 10 comes after turn 2. */
function inNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true }) || (a < b ? -1 : 1);
}
