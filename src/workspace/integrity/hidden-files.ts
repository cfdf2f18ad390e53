import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IntegrityFact } from '../../evidence/integrity.js';
import type { OwnedSandbox } from '../../sandbox/sandbox.js';
import type { Manifest } from '../manifest.js';
import { readFiles } from '../read-files.js';
import { createHashes } from './hashes.js';

/** Shorter files are found everywhere: an empty one hides nothing. */
const LEAST_BYTES = 16;
const MOST_CANDIDATES = 1_000;

/** A file of the host that no agent may see before it has worked. */
export interface HiddenFile {
  /** As the author names it. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** What was found of them, and what could not be looked at. */
export interface HiddenFindings {
  readonly facts: readonly IntegrityFact[];
  readonly unchecked: readonly string[];
}

/** Reads files of the host. @param files Absolute path by name. @throws the system's error for one that cannot be read. */
export async function readHidden(files: ReadonlyMap<string, string>): Promise<readonly HiddenFile[]> {
  const hashes = createHashes();
  return Promise.all([...files].map(async ([name, path]) => {
    const { size } = await stat(path);
    return { name, sizeBytes: size, sha256: (await hashes.take(createReadStream(path))).sha256 };
  }));
}

/** Which of them are in a state of the sandbox, under whatever name: the same bytes. Only files of the same size are read. */
export async function hiddenIn(manifest: Manifest, hidden: readonly HiddenFile[], options: { readonly sandbox: OwnedSandbox; readonly root: string; readonly moment: string }): Promise<HiddenFindings> {
  const sizes = new Set(hidden.map(({ sizeBytes }) => sizeBytes).filter((size) => size >= LEAST_BYTES));
  const candidates = [...manifest].filter(([, entry]) => entry.kind === 'file' && sizes.has(entry.sizeBytes)).map(([path]) => path);
  const read = await readFiles(options.sandbox, options.root, candidates.slice(0, MOST_CANDIDATES), createHashes());
  const unchecked = [
    ...hidden.filter(({ sizeBytes }) => sizeBytes < LEAST_BYTES).map(({ name }) => `the hidden file ${name}: with less than ${LEAST_BYTES} bytes it is found everywhere`),
    ...(candidates.length > MOST_CANDIDATES ? [`hidden files: ${candidates.length - MOST_CANDIDATES} more files have the size of one`] : []),
  ];
  const facts = [...read].flatMap(([path, { sha256 }]) => hidden.filter((file) => file.sha256 === sha256).map(({ name }) => (
    { kind: 'hidden-present' as const, path, detail: `the same bytes as ${name}, ${options.moment}` }
  )));
  return { facts, unchecked };
}
