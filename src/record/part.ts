import { constants } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { messageOf } from '../lifetime/error.js';
import { parseJson } from '../evidence/json.js';
import { migrate } from './migrate.js';
import type { SCHEMA_VERSIONS } from './schema.js';

/** A part of a record, or why it cannot be read. `missing`: there is no such file. */
export type Part<T> =
  | { readonly state: 'read'; readonly value: T }
  | { readonly state: 'missing' | 'unreadable'; readonly problem: string };

/** Opens a regular file for reading; never through a link, and never something that could be waited at for ever. */
export async function openPart(folder: string, name: string): Promise<Part<FileHandle>> {
  let handle: FileHandle;
  try {
    handle = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { state: 'missing', problem: `${name} is missing` };
    return { state: 'unreadable', problem: code === 'ELOOP' ? `${name} is a link, which is not followed` : `${name} cannot be read: ${messageOf(error)}` };
  }
  if ((await handle.stat()).isFile()) return { state: 'read', value: handle };
  await handle.close();
  return { state: 'unreadable', problem: `${name} is no file` };
}

/** A whole text. */
export async function readText(folder: string, name: string): Promise<Part<string>> {
  const opened = await openPart(folder, name);
  if (opened.state !== 'read') return opened;
  try {
    return { state: 'read', value: await opened.value.readFile('utf8') };
  } catch (error) {
    return { state: 'unreadable', problem: `${name} cannot be read: ${messageOf(error)}` };
  } finally {
    await opened.value.close();
  }
}

/** One of the JSON files, in the words of the present version. */
export async function readJson<S extends z.ZodType>(folder: string, file: keyof typeof SCHEMA_VERSIONS, schema: S): Promise<Part<z.infer<S>>> {
  const name = `${file}.json`;
  const text = await readText(folder, name);
  if (text.state !== 'read') return text;
  const parsed = parseJson(text.value);
  if (parsed === undefined) return { state: 'unreadable', problem: `${name} is no JSON; it may be cut` };
  const migrated = migrate(file, parsed);
  if (migrated.state === 'refused') return { state: 'unreadable', problem: `${name}: ${migrated.reason}` };
  const checked = schema.safeParse(migrated.value);
  if (checked.success) return { state: 'read', value: checked.data };
  const issue = checked.error.issues[0];
  return { state: 'unreadable', problem: `${name} does not fit its schema at "${issue?.path.join('.') ?? ''}": ${issue?.message ?? ''}` };
}

/** True where a file of this name lies, whatever is in it. */
export async function hasPart(folder: string, name: string): Promise<boolean> {
  const opened = await openPart(folder, name);
  if (opened.state !== 'read') return false;
  await opened.value.close();
  return true;
}

/** The names of the folders in a folder, sorted; links are none. Empty where there is no such folder. */
export async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();
}

/** The names of the folders of Attempts in the folder of a run. */
export async function attemptFoldersIn(folder: string): Promise<readonly string[]> {
  return (await foldersIn(folder)).includes('attempts') ? foldersIn(join(folder, 'attempts')) : [];
}
