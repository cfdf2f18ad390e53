import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import type { InputFile } from '../agents/agent.js';
import { ClaimAuthoringError } from '../assert/errors.js';
import { show } from '../expect/match.js';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.gif': 'image/gif', '.webp': 'image/webp', '.pdf': 'application/pdf',
};

/**
 * A file to show to the agent: one that is there already, or one of the host, by its path relative to the eval's file.
 * The media type follows from the name's ending; an unknown one is `application/octet-stream`.
 *
 * @throws ClaimAuthoringError for a file that cannot be read, or a value that is no file.
 */
export async function inputFileOf(file: string | InputFile, evalFile: string): Promise<InputFile> {
  if (typeof file === 'string') {
    const path = resolve(dirname(evalFile), file);
    const bytes = await readFile(path).catch((error: unknown) => {
      throw new ClaimAuthoringError(`The file "${file}" cannot be shown to the agent: it cannot be read. The path is relative to the eval's file.`, { cause: error });
    });
    return { name: basename(path), mediaType: MEDIA_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream', data: bytes.toString('base64') };
  }
  const { name, mediaType, data } = (file ?? {}) as Partial<InputFile>;
  if (typeof name !== 'string' || name === '' || typeof mediaType !== 'string' || typeof data !== 'string') {
    throw new ClaimAuthoringError(`A file of send(...) is a path or { name, mediaType, data }, not ${show(file)}.`);
  }
  if (data === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) throw new ClaimAuthoringError(`The \`data\` of the file "${name}" is not base64.`);
  return { name, mediaType, data };
}
