import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../lifetime/error.js';
import { DefinitionError } from '../errors.js';
import { currentDiscovery } from './discovery.js';

/** The text of a data file, read. */
export interface DataText {
  /** Without a byte order mark. */
  readonly text: string;
  /** The call as messages name it, for instance `loadJson("data/cases.json")`. */
  readonly call: string;
}

/**
 * Reads a file of the project and registers it as something that the module depends on.
 *
 * @param loader The name of the function, for messages.
 * @param path Relative to the project's root, or a file URL.
 * @throws DefinitionError at run time, for a path that leaves the project, and for what is no UTF-8 text.
 */
export function readDataText(loader: string, path: string | URL): DataText {
  const call = `${loader}(${shown(path)})`;
  const { root, register } = currentDiscovery(call);
  const top = realpathSync(root);
  const asked = hostPathOf(call, top, path);
  const file = realPathOf(call, asked);
  if (!file.startsWith(top.endsWith(sep) ? top : `${top}${sep}`)) throw new DefinitionError(`${call}: the file lies outside the project ${JSON.stringify(top)}. Copy it into the project.`);
  const bytes = bytesOf(call, file);
  register({ path: relative(top, file).split(sep).join('/'), sha256: createHash('sha256').update(bytes).digest('hex') });
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), call };
  } catch (error) {
    throw new DefinitionError(`${call}: the file is no UTF-8 text. Save it as UTF-8.`, { cause: error });
  }
}

function shown(path: unknown): string {
  return JSON.stringify(path instanceof URL ? path.href : path) ?? String(path);
}

function hostPathOf(call: string, root: string, path: unknown): string {
  const rule = 'The path must be relative to the project\'s root, or `new URL("./file", import.meta.url)`';
  if (path instanceof URL) {
    if (path.protocol !== 'file:') throw new DefinitionError(`${call}: ${rule}, and that is no file.`);
    try {
      return fileURLToPath(path);
    } catch (error) {
      throw new DefinitionError(`${call}: ${rule}: ${messageOf(error)}.`, { cause: error });
    }
  }
  if (typeof path !== 'string' || path === '' || path.includes('\0') || isAbsolute(path)) throw new DefinitionError(`${call}: ${rule}.`);
  return resolve(root, path);
}

/** Where links lead in the end. */
function realPathOf(call: string, path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new DefinitionError(`${call}: there is no such file. A path is relative to the project's root; write \`new URL("./file", import.meta.url)\` for one beside the module.`, { cause: error });
  }
}

function bytesOf(call: string, file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new DefinitionError(`${call}: the file cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}
