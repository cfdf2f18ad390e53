import { Readable } from 'node:stream';
import type { ChangeWindow, FileChange, Rename, WindowFlag, WorkspaceChanges } from '../evidence/file-changes.js';
import { messageOf } from '../lifetime/error.js';
import { SandboxGoneError } from '../sandbox/errors.js';
import type { OwnedSandbox, SparedProcesses } from '../sandbox/sandbox.js';
import { together, unspared, without } from '../sandbox/spared.js';
import { changesBetween, listedBy, netChangesOf, summariesOf, summarisedFolders } from './compare.js';
import type { ContentStore } from './content-store.js';
import { GitWatch } from './git-watch.js';
import { isUntouched, type ContentFacts, type Entry, type Manifest } from './manifest.js';
import { patchOf, type Patch } from './patch.js';
import { readByEngine, readFiles, withinLimits } from './read-files.js';
import { renamesOf } from './renames.js';
import { elsewhereChanges, furtherRoots, presentRoots } from './elsewhere.js';
import { scanWith } from './scan.js';

/** How long the processes of the agent may live on after its CLI ended, before they are ended and flagged. */
const PATIENCE_MS = 2_000;
const LOOK_AGAIN_MS = 100;

const NOBODY: SparedProcesses = { pids: new Set(), innerPids: [] };

/** States of the images that runs start from; the same for every sandbox of one image. Contents that a scan read are where its own Attempt keeps them. */
export type ImageStates = Map<string, ImageState>;

type ImageState = Promise<{ readonly manifest: Manifest; readonly elsewhere?: ReadonlyMap<string, Manifest>; readonly further: readonly string[]; readonly store: ContentStore }>;

/**
 * Keeps the states of the working directory on the host and tells the agent's changes from the eval's: what differs
 * between the two ends of a window is the agent's, everything else is not.
 */
export class WorkspaceLedger {
  readonly #sandbox: OwnedSandbox;
  readonly #root: string;
  readonly #store: ContentStore;
  readonly #git: GitWatch;
  readonly #windows: ChangeWindow[] = [];
  #netRenames: readonly Rename[] = [];
  #image: Manifest = new Map();
  /** Where the contents of the image's state are, as far as its scan read them. */
  #imageStore: ContentStore;
  #state: Manifest = new Map();
  /** Other roots that are watched. */
  #further: readonly string[] = [];
  /** Their states. Absent: nobody could look. */
  #elsewhere: ReadonlyMap<string, Manifest> | undefined;
  #dirty = false;
  /** What the eval itself left running, for instance a server; it is not the agent's. */
  #spared: SparedProcesses = NOBODY;
  /** Processes of agents that wait for an answer, by the name of their conversation. */
  readonly #waiting = new Map<string, SparedProcesses>();
  #failure: string | undefined;

  private constructor(sandbox: OwnedSandbox, store: ContentStore) {
    this.#sandbox = sandbox;
    this.#root = sandbox.workdir;
    this.#store = store;
    this.#imageStore = store;
    this.#git = new GitWatch(sandbox, { root: this.#root, store });
  }

  /**
   * Takes the state that the sandbox was started from. Nothing may have been written yet.
   *
   * @param options.watch Absolute roots besides the working directory and the agent's home. Default: none.
   * @param options.imageId Two sandboxes with the same image start from the same state; it is read once for all of them.
   */
  static async anchor(sandbox: OwnedSandbox, options: { readonly store: ContentStore; readonly imageId: string; readonly states: ImageStates; readonly watch?: readonly string[] }): Promise<WorkspaceLedger> {
    const ledger = new WorkspaceLedger(sandbox, options.store);
    const wanted = furtherRoots(sandbox, options.watch ?? []);
    const key = JSON.stringify([options.imageId, sandbox.workdir, ...wanted]);
    for (;;) {
      const known = options.states.get(key);
      const state = known ?? ledger.#imageState(key, wanted, options.states);
      try {
        const { manifest, elsewhere, further, store } = await state;
        ledger.#elsewhere = elsewhere;
        ledger.#further = further;
        ledger.#image = manifest;
        ledger.#imageStore = store;
        ledger.#state = manifest;
        return ledger;
      } catch (error) {
        // That another's sandbox broke while it looked says nothing about this one.
        if (known !== undefined) continue;
        ledger.#failure = messageOf(error);
        return ledger;
      }
    }
  }

  /** Begins to look at the state of the image, for all sandboxes that start from it. */
  #imageState(key: string, wanted: readonly string[], states: ImageStates): ImageState {
    const state = (async () => {
      const further = await presentRoots(this.#sandbox, wanted);
      return { ...await scanWith(this.#sandbox, this.#root, further, { store: this.#store, alive: true }), further, store: this.#store };
    })();
    states.set(key, state);
    state.catch(() => states.delete(key));
    return state;
  }

  /** Says that somebody other than the agent may have changed files since the last look. */
  touched(): void {
    this.#dirty = true;
  }

  /**
   * The agent is about to start, or to go on: what differs from the last look until now is the eval's.
   *
   * @param conversation Names the line of conversation, for agents that wait for an answer between two windows.
   */
  async openWindow(conversation: string): Promise<void> {
    if (this.#dirty) {
      await this.#guarded(async () => {
        this.#spared = without(await this.#sandbox.spareAgentProcesses(), [...this.#waiting.values()]);
        const { seen, elsewhere } = await this.#look(true);
        await this.#git.follow(this.#state, seen);
        this.#state = seen;
        this.#elsewhere = elsewhere;
      });
      this.#dirty = false;
    }
    // What worked for it before it waited is its own again, and ends with it.
    this.#waiting.delete(conversation);
  }

  /**
   * The agent's CLI has ended, or waits for a person: whatever differs from the window's start is the agent's.
   *
   * @param options.waits The conversation whose CLI is alive and waits. Its processes are left alone, and the window says so.
   */
  async closeWindow(label: string, options: { readonly flags?: readonly WindowFlag[]; readonly waits?: string } = {}): Promise<void> {
    await this.#guarded(async () => {
      const flags = new Set<WindowFlag>(options.flags ?? []);
      const left = options.waits === undefined ? await this.#endLateWriters() : await this.#letWait(options.waits);
      if (left === 'waiting') flags.add('waiting');
      if (left === 'ended') flags.add('late-writer');
      if (left === 'sandbox gone') flags.add('sandbox-gone');
      const before = this.#state;
      const { seen: after, elsewhere } = await this.#look(left !== 'sandbox gone');
      const folders = summarisedFolders([before, after]);
      const touched = await this.#withOriginals(before, after, listedBy(folders));
      const changes = changesBetween(touched, after, listedBy(folders));
      await this.#keepOriginals(changes);
      const { git, flags: gitFlags } = await this.#git.compare(before, after, { image: this.#image, alive: left !== 'sandbox gone' });
      this.#windows.push({
        label,
        changes,
        summaries: summariesOf(touched, after, folders),
        renames: await renamesOf(changes, (sha256) => this.#store.read(sha256)),
        flags: [...flags, ...gitFlags],
        ...(git === undefined ? {} : { git }),
        ...elsewhereChanges(this.#elsewhere, elsewhere),
      });
      this.#state = after;
      this.#elsewhere = elsewhere;
    });
  }

  /** The working directory as it was last looked at. */
  get state(): Manifest {
    return this.#state;
  }

  /** What the agent changed so far. */
  changes(): WorkspaceChanges {
    if (this.#failure !== undefined) return { state: 'unavailable', reason: this.#failure };
    return { state: 'available', root: this.#root, windows: [...this.#windows], net: netChangesOf(this.#windows), renames: this.#netRenames };
  }

  /** Adds to the changes what helps to read them: renames over all windows, and a patch for `git apply`. Nothing more changes then. */
  async finish(): Promise<Patch | undefined> {
    const seen = this.changes();
    if (seen.state === 'unavailable') return undefined;
    const content = (sha256: string): Promise<Uint8Array | undefined> => this.#store.read(sha256);
    this.#netRenames = await renamesOf(seen.net.filter((change) => change.mixed !== true), content);
    return patchOf(seen.net, content);
  }

  /** The kept bytes of a file of a change. `undefined`: not kept. */
  content(sha256: string): Promise<Uint8Array | undefined> {
    return this.#store.read(sha256);
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      await work();
    } catch (error) {
      // Only the claims that ask about files are hurt by this; the turn itself stands.
      this.#failure = messageOf(error);
    }
  }

  /** A new state, with the contents of everything that was touched since the last one. */
  async #look(alive: boolean): Promise<{ readonly seen: Manifest; readonly elsewhere: ReadonlyMap<string, Manifest> | undefined }> {
    const { manifest: seen, elsewhere } = await this.#scan(alive);
    const isListed = listedBy(summarisedFolders([seen]));
    const known = new Map<string, Entry>();
    const unread: { readonly path: string; readonly sizeBytes: number }[] = [];
    for (const [path, entry] of seen) {
      const old = this.#state.get(path);
      const content = entry.content ?? (old !== undefined && isUntouched(old, entry) ? old.content : undefined);
      known.set(path, content === undefined ? entry : { ...entry, content });
      const untouched = old !== undefined && isUntouched(old, entry);
      if (entry.kind === 'file' && content === undefined && !untouched && isListed(path)) unread.push({ path, sizeBytes: entry.sizeBytes });
    }
    const read = alive ? await readFiles(this.#sandbox, this.#root, withinLimits(unread), this.#store) : new Map<string, ContentFacts>();
    for (const [path, content] of read) known.set(path, { ...(known.get(path) as Entry), content });
    return { seen: known, elsewhere };
  }

  async #scan(alive: boolean): ReturnType<typeof scanWith> {
    const at = (isAlive: boolean): ReturnType<typeof scanWith> => scanWith(this.#sandbox, this.#root, this.#further, { store: this.#store, alive: isAlive });
    try {
      return await at(alive);
    } catch (error) {
      if (!alive || !(error instanceof SandboxGoneError)) throw error;
      return at(false);
    }
  }

  /** Files of the image that were touched for the first time: their old bytes are still in the image. */
  async #withOriginals(before: Manifest, after: Manifest, isListed: (path: string) => boolean): Promise<Manifest> {
    const unread = [...before].filter(([path, entry]) => {
      if (entry.kind !== 'file' || entry.content !== undefined || !isListed(path)) return false;
      const now = after.get(path);
      return (now === undefined || !isUntouched(entry, now)) && this.#image.get(path)?.stamp === entry.stamp;
    }).map(([path]) => path);
    if (unread.length === 0) return before;
    const read = await readByEngine(this.#sandbox, this.#root, unread, this.#store, 'image');
    const whole = new Map(before);
    for (const [path, content] of read) whole.set(path, { ...(whole.get(path) as Entry), content });
    return whole;
  }

  /** What another Attempt read of the image belongs to the record of this one as well, once its agent changed it. */
  async #keepOriginals(changes: readonly FileChange[]): Promise<void> {
    if (this.#imageStore === this.#store) return;
    for (const { before } of changes) {
      if (before?.sha256 === undefined || before.contentGap !== undefined || await this.#store.read(before.sha256) !== undefined) continue;
      const bytes = await this.#imageStore.read(before.sha256);
      if (bytes !== undefined) await this.#store.take(Readable.from([bytes], { objectMode: false }));
    }
  }

  async #letWait(conversation: string): Promise<'waiting'> {
    this.#waiting.set(conversation, without(await this.#sandbox.spareAgentProcesses(), [this.#spared, ...this.#waiting.values()]));
    return 'waiting';
  }

  /** Waits for what the agent left running, then ends it. */
  async #endLateWriters(): Promise<'none left' | 'ended' | 'sandbox gone'> {
    const until = performance.now() + PATIENCE_MS;
    const spared = together([this.#spared, ...this.#waiting.values()]);
    try {
      for (;;) {
        if (unspared(await this.#sandbox.agentProcesses(), spared).length === 0) return 'none left';
        if (performance.now() >= until) break;
        await new Promise((resolve) => { setTimeout(resolve, LOOK_AGAIN_MS); });
      }
      await this.#sandbox.endAgentProcesses(spared);
      return 'ended';
    } catch (error) {
      if (await this.#sandbox.isRunning()) throw error;
      return 'sandbox gone';
    }
  }
}
