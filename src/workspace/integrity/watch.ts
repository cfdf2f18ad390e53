import type { IntegrityFact } from '../../evidence/integrity.js';
import { messageOf } from '../../lifetime/error.js';
import type { OwnedSandbox } from '../../sandbox/sandbox.js';
import { statusOf } from '../compare.js';
import type { Manifest } from '../manifest.js';
import { scan } from '../scan.js';
import { createHashes } from './hashes.js';
import { hiddenIn, readHidden, type HiddenFile } from './hidden-files.js';
import { futureHistory } from './history.js';
import { toolchainFacts, toolchainOf, type ToolchainState } from './toolchain.js';

/** What an eval wants to be looked at. */
export interface IntegrityWatchOptions {
  /** Absolute paths in the sandbox. */
  readonly toolchain: readonly string[];
  /** Absolute paths of the host, by the names that the author gave. */
  readonly hidden: ReadonlyMap<string, string>;
}

/** What the watch itself found; what the changes of files show is not in it. */
export interface IntegrityFindings {
  readonly facts: readonly IntegrityFact[];
  readonly unchecked: readonly string[];
  /** Paths below the agent's home, outside of the working directory, that came or changed since the first send. */
  readonly changedAtHome: readonly string[];
}

/** Looks at what an agent could bend, before its first send and after its last. */
export class IntegrityWatch {
  readonly #sandbox: OwnedSandbox;
  readonly #options: IntegrityWatchOptions;
  readonly #facts: IntegrityFact[] = [];
  readonly #unchecked: string[] = [];
  #hidden: readonly HiddenFile[] = [];
  #before: { readonly toolchain: ToolchainState | undefined; readonly home: Manifest | undefined } | undefined;

  constructor(sandbox: OwnedSandbox, options: IntegrityWatchOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
  }

  /** The agent is about to begin. @param workdir What it finds. @param label Of the window. */
  async beforeWindow(workdir: Manifest, label: string): Promise<void> {
    if (this.#before === undefined) await this.#begin(workdir);
    const known = new Set(this.#facts.filter(({ kind }) => kind === 'hidden-present').map(({ path }) => path));
    await this.#try('hidden files', async () => {
      const found = await hiddenIn(workdir, this.#hidden, { sandbox: this.#sandbox, root: this.#sandbox.workdir, moment: `when ${label} began` });
      this.#facts.push(...found.filter(({ path }) => !known.has(path)));
    });
  }

  /** The agent has ended; the sandbox still lives. Without a send there is nothing to find. */
  async finish(): Promise<IntegrityFindings> {
    const before = this.#before;
    let changedAtHome: readonly string[] = [];
    if (before !== undefined) {
      await this.#try('the toolchain', async () => {
        if (before.toolchain !== undefined) this.#facts.push(...toolchainFacts(before.toolchain, await toolchainOf(this.#sandbox, this.#options.toolchain)));
      });
      await this.#try('the home of the agent', async () => {
        if (before.home !== undefined) changedAtHome = differing(before.home, await this.#home());
      });
    }
    return { facts: this.#facts, unchecked: this.#unchecked, changedAtHome };
  }

  async #begin(workdir: Manifest): Promise<void> {
    this.#before = { toolchain: undefined, home: undefined };
    await this.#try('hidden files', async () => { this.#hidden = await readHidden(this.#options.hidden); });
    await this.#try('histories', async () => {
      const { facts, unchecked } = await futureHistory(this.#sandbox, this.#sandbox.workdir, workdir);
      this.#facts.push(...facts);
      this.#unchecked.push(...unchecked);
    });
    const toolchain = await this.#try('the toolchain', () => toolchainOf(this.#sandbox, this.#options.toolchain));
    this.#before = { toolchain, home: await this.#try('the home of the agent', () => this.#home()) };
  }

  /** The home without the working directory, which has a watch of its own. */
  async #home(): Promise<Manifest> {
    const { home, workdir } = this.#sandbox;
    if (home === '/' || home === workdir || home.startsWith(`${workdir}/`)) return new Map();
    const all = await scan(this.#sandbox, home, createHashes(), { alive: true });
    if (!workdir.startsWith(`${home}/`)) return all;
    const inside = `${workdir.slice(home.length + 1)}/`;
    return new Map([...all].filter(([path]) => !`${path}/`.startsWith(inside)));
  }

  /** What cannot be looked at is told; it never breaks the Attempt. */
  async #try<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#unchecked.push(`${what}: ${messageOf(error)}`);
      return undefined;
    }
  }
}

function differing(before: Manifest, after: Manifest): readonly string[] {
  return [...after].filter(([path, entry]) => {
    const old = before.get(path);
    return entry.kind !== 'directory' && (old === undefined || statusOf(old, entry) !== undefined);
  }).map(([path]) => path);
}
