import { posix } from 'node:path';
import type { IntegrityFact } from '../../evidence/integrity.js';
import { escapePathText } from '../../evidence/path-text.js';
import { SandboxPathError } from '../../sandbox/errors.js';
import type { OwnedSandbox } from '../../sandbox/sandbox.js';
import { tarEntriesOf } from '../tar-entries.js';
import { createHashes } from './hashes.js';

/** What stands at some paths: kind, mode, link target and bytes of each entry below, as one text. */
export type ToolchainState = ReadonlyMap<string, string>;

/** Stands for a path that is not there. */
export const MISSING = 'missing';
const MOST_LINKS = 16;

/** Reads it through the engine, which nothing in the sandbox can deceive. A path that is a link is followed to the end. @param paths Absolute files or folders. */
export async function toolchainOf(sandbox: OwnedSandbox, paths: readonly string[]): Promise<ToolchainState> {
  const state = new Map<string, string>();
  for (const path of paths) {
    let at: string | undefined = path;
    for (let links = 0; at !== undefined && links <= MOST_LINKS && !state.has(at); links += 1) at = await readInto(state, sandbox, at);
  }
  return state;
}

/** @returns where a link leads. */
async function readInto(state: Map<string, string>, sandbox: OwnedSandbox, path: string): Promise<string | undefined> {
  let target: string | undefined;
  try {
    for await (const entry of tarEntriesOf(await sandbox.archive(path))) {
      const { name, type, mode, linkname } = entry.header;
      const isFile = type === 'file' || type === 'contiguous-file';
      const content = isFile ? (await createHashes().take(entry)).sha256 : '';
      if (!isFile) entry.resume();
      // The engine names entries from the last part of the path on.
      const rest = name.split('/').slice(1).filter((part) => part !== '').join('/');
      if (rest === '' && type === 'symlink' && typeof linkname === 'string') target = posix.resolve(posix.dirname(path), linkname);
      state.set(rest === '' ? path : `${path}/${rest}`, JSON.stringify([type, mode, linkname, content]));
    }
  } catch (error) {
    if (!(error instanceof SandboxPathError)) throw error;
    state.set(path, MISSING);
  }
  return target;
}

/** What differs between two states. */
export function toolchainFacts(before: ToolchainState, after: ToolchainState): readonly IntegrityFact[] {
  const fact = (path: string, detail: string): IntegrityFact => ({ kind: 'toolchain-changed', path: escapePathText(path), detail });
  return [
    ...[...before].filter(([path, state]) => after.get(path) !== state).map(([path]) => fact(path, after.has(path) ? 'not what it was before the agent worked' : 'gone')),
    ...[...after.keys()].filter((path) => !before.has(path)).map((path) => fact(path, 'it was not there before the agent worked')),
  ];
}
