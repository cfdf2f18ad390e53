import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { CommandEnding } from '../sandbox.js';

/** A program that can be started, or why there is none. */
export type FoundProgram =
  | { readonly state: 'found'; readonly path: string }
  | StartFailure;

/** A command that never ran. Codes as shells give them. */
export interface StartFailure {
  readonly state: 'failed';
  readonly exitCode: 126 | 127;
  readonly ending: CommandEnding;
  readonly message: string;
}

/**
 * Finds a program as the kernel would. The C library is not asked: it hands a file that is no program to a shell.
 *
 * @param options.path The search path, for a name without a slash.
 */
export async function findProgram(name: string, options: { readonly cwd: string; readonly path: string }): Promise<FoundProgram> {
  if (!(await isFolder(options.cwd))) return failed('not-started', `"${name}" could not be started: the folder ${options.cwd} is missing`);
  if (!name.includes('/')) {
    const folders = options.path.split(delimiter).filter(isAbsolute);
    for (const folder of folders) if (await isExecutable(join(folder, name))) return known(join(folder, name), name);
    return missing(name);
  }
  const path = resolve(options.cwd, name);
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => error.code);
  if (facts === 'ENOENT' || facts === 'ENOTDIR') return missing(name);
  if (typeof facts !== 'object' || !facts.isFile() || !(await isExecutable(path))) {
    return failed('not-executable', `"${name}" could not be started: ${typeof facts === 'object' && facts.isDirectory() ? 'is a directory' : 'permission denied'}`);
  }
  return known(path, name);
}

/** What the system says when it cannot start a program that is there. */
export function startFailureOf(name: string, error: NodeJS.ErrnoException): StartFailure {
  // The interpreter that the first line of a script names is missing.
  if (error.code === 'ENOENT') return missing(name);
  const message = `"${name}" could not be started: ${error.message}`;
  return failed(error.code === 'EACCES' || error.code === 'ENOEXEC' ? 'not-executable' : 'not-started', message);
}

async function known(path: string, name: string): Promise<FoundProgram> {
  if (process.platform === 'linux' && !(await isLinuxProgram(path))) return failed('not-executable', `"${name}" could not be started: exec format error`);
  return { state: 'found', path };
}

/** ELF, or a script that names its interpreter. A file that may not be read may still be executed. */
async function isLinuxProgram(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return true;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const head = buffer.toString('latin1', 0, bytesRead);
    return head === '\x7fELF' || head.startsWith('#!');
  } finally {
    await file.close();
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true && access(path, constants.X_OK).then(() => true, () => false);
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

function missing(name: string): StartFailure {
  return { state: 'failed', exitCode: 127, ending: 'not-found', message: `the sandbox has no program "${name}"` };
}

function failed(ending: 'not-executable' | 'not-started', message: string): StartFailure {
  return { state: 'failed', exitCode: 126, ending, message };
}
