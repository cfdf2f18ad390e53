import type { IntegrityFact } from '../../evidence/integrity.js';
import { escapePathText } from '../../evidence/path-text.js';
import { messageOf } from '../../lifetime/error.js';
import type { OwnedSandbox } from '../../sandbox/sandbox.js';
import { statusOf } from '../compare.js';
import type { Manifest } from '../manifest.js';
import { scan } from '../scan.js';
import { createHashes } from './hashes.js';
import { hiddenIn, readHidden, type HiddenFile } from './hidden-files.js';
import { futureHistory } from './history.js';
import { MISSING, toolchainFacts, toolchainOf, type ToolchainState } from './toolchain.js';

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
  /** Paths below the agent's home, outside of the working directory, that came or changed while the agent worked. */
  readonly changedAtHome: readonly string[];
}

/** Looks at what an agent could bend, at both ends of every window: what the eval does in between is not the agent's. */
export class IntegrityWatch {
  readonly #sandbox: OwnedSandbox;
  readonly #options: IntegrityWatchOptions;
  readonly #facts = new Map<string, IntegrityFact>();
  readonly #unchecked = new Set<string>();
  readonly #changedAtHome = new Set<string>();
  #hidden: readonly HiddenFile[] | undefined;
  #before: { readonly toolchain: ToolchainState | undefined; readonly home: Manifest | undefined } | undefined;

  constructor(sandbox: OwnedSandbox, options: IntegrityWatchOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
  }

  /** The agent is about to begin. @param workdir What it finds. @param label Of the window. */
  async beforeWindow(workdir: Manifest, label: string): Promise<void> {
    if (this.#hidden === undefined) await this.#begin(workdir);
    await this.#try('hidden files', async () => {
      const { facts, unchecked } = await hiddenIn(workdir, this.#hidden ?? [], { sandbox: this.#sandbox, root: this.#sandbox.workdir, moment: `when ${label} began` });
      this.#keep(facts);
      for (const reason of unchecked) this.#unchecked.add(reason);
    });
    const toolchain = await this.#try('the toolchain', () => toolchainOf(this.#sandbox, this.#options.toolchain));
    for (const [path, state] of toolchain ?? []) if (state === MISSING) this.#unchecked.add(`the toolchain: there was no ${path} when ${label} began`);
    this.#before = { toolchain, home: await this.#try('the home of the agent', () => this.#home()) };
  }

  /** The agent has ended, or waits. */
  async afterWindow(): Promise<void> {
    const before = this.#before;
    this.#before = undefined;
    await this.#try('the toolchain', async () => {
      if (before?.toolchain !== undefined) this.#keep(toolchainFacts(before.toolchain, await toolchainOf(this.#sandbox, this.#options.toolchain)));
    });
    await this.#try('the home of the agent', async () => {
      if (before?.home !== undefined) for (const path of differing(before.home, await this.#home())) this.#changedAtHome.add(path);
    });
  }

  /** All that was found so far. Without a send there is nothing to find. */
  get findings(): IntegrityFindings {
    return { facts: [...this.#facts.values()], unchecked: [...this.#unchecked], changedAtHome: [...this.#changedAtHome] };
  }

  async #begin(workdir: Manifest): Promise<void> {
    this.#hidden = await this.#try('hidden files', () => readHidden(this.#options.hidden)) ?? [];
    await this.#try('histories', async () => {
      const { facts, unchecked } = await futureHistory(this.#sandbox, this.#sandbox.workdir, workdir);
      this.#keep(facts);
      for (const reason of unchecked) this.#unchecked.add(reason);
    });
    const { home, workdir: root } = this.#sandbox;
    if (home === '/' || home === root || home.startsWith(`${root}/`)) this.#unchecked.add(`the home of the agent: it is ${home === '/' ? 'the root of the image' : 'in the working directory'}`);
  }

  /** One fact of a kind and a path is enough. */
  #keep(facts: readonly IntegrityFact[]): void {
    for (const fact of facts) {
      const key = `${fact.kind} ${fact.path}`;
      if (!this.#facts.has(key)) this.#facts.set(key, fact);
    }
  }

  /** The home without the working directory, which has a watch of its own. */
  async #home(): Promise<Manifest> {
    const { home, workdir } = this.#sandbox;
    if (home === '/' || home === workdir || home.startsWith(`${workdir}/`) || !await this.#sandbox.pathExists(home)) return new Map();
    const all = await scan(this.#sandbox, home, createHashes(), { alive: true });
    if (!workdir.startsWith(`${home}/`)) return all;
    const inside = `${escapePathText(workdir.slice(home.length + 1))}/`;
    return new Map([...all].filter(([path]) => !`${path}/`.startsWith(inside)));
  }

  /** What cannot be looked at is told; it never breaks the Attempt. */
  async #try<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#unchecked.add(`${what}: ${messageOf(error)}`);
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
