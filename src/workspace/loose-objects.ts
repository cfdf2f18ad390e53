import type { OwnedSandbox } from '../sandbox/sandbox.js';
import type { ContentStore } from './content-store.js';
import { createGitBytes } from './git-bytes.js';
import { parseLooseObject, type GitObject } from './git-commits.js';
import type { ContentFacts, Manifest } from './manifest.js';
import { readFiles } from './read-files.js';

/** So few new objects are read in one go; of more only those that are asked for. */
const FEW_OBJECTS = 256;
/** Of its file, which is compressed. */
const OBJECT_LIMIT_BYTES = 16 * 1024;
const TOTAL_LIMIT_BYTES = 16 * 1024 * 1024;

/** Where objects are read. */
export interface LooseObjectsOptions {
  readonly before: Manifest;
  readonly after: Manifest;
  /** The path of the folder `objects`, with a slash behind it. */
  readonly folder: string;
  /** False when the container ended: then the scan has read everything into `store`. */
  readonly alive: boolean;
  readonly sandbox: OwnedSandbox;
  readonly root: string;
  readonly store: ContentStore;
}

/** Objects of a repository that have a file of their own. */
export class LooseObjects {
  readonly #options: LooseObjectsOptions;
  readonly #found = new Map<string, GitObject | undefined>();

  constructor(options: LooseObjectsOptions) {
    this.#options = options;
  }

  async read(ids: readonly string[]): Promise<ReadonlyMap<string, GitObject>> {
    const lacking = ids.filter((id) => !this.#found.has(id));
    if (lacking.length > 0) await this.#readNow(this.#found.size === 0 ? this.#withFew(lacking) : lacking);
    return new Map(ids.flatMap((id) => {
      const object = this.#found.get(id);
      return object === undefined ? [] : [[id, object] as const];
    }));
  }

  /** All new objects where they are few: one look instead of one for each commit. */
  #withFew(ids: readonly string[]): readonly string[] {
    const { before, after, folder } = this.#options;
    const fresh: string[] = [];
    for (const [path, entry] of after) {
      if (!path.startsWith(folder) || entry.sizeBytes > OBJECT_LIMIT_BYTES || before.has(path)) continue;
      const id = path.slice(folder.length).replace('/', '');
      if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) fresh.push(id);
      if (fresh.length > FEW_OBJECTS) return ids;
    }
    return [...new Set([...ids, ...fresh])];
  }

  async #readNow(ids: readonly string[]): Promise<void> {
    const { after, folder, alive, sandbox, root, store } = this.#options;
    const bytes = createGitBytes(TOTAL_LIMIT_BYTES);
    const paths = new Map(ids.map((id) => [looseObjectPath(folder, id), id]));
    const readable = [...paths.keys()].filter((path) => {
      const entry = after.get(path);
      return entry?.kind === 'file' && entry.sizeBytes <= OBJECT_LIMIT_BYTES;
    });
    const read = alive ? await readFiles(sandbox, root, readable.filter((path) => after.get(path)?.content === undefined), bytes) : new Map<string, ContentFacts>();
    for (const id of ids) this.#found.set(id, undefined);
    for (const path of readable) {
      const id = paths.get(path) as string;
      const facts = after.get(path)?.content ?? read.get(path);
      const packed = facts === undefined ? undefined : await bytes.read(facts.sha256) ?? await store.read(facts.sha256);
      if (packed !== undefined) this.#found.set(id, parseLooseObject(id, packed));
    }
  }
}

/** Where an object has its file. */
export function looseObjectPath(folder: string, id: string): string {
  return `${folder}${id.slice(0, 2)}/${id.slice(2)}`;
}
