import type { WindowFlag } from '../evidence/file-changes.js';
import type { GitFacts } from '../evidence/git-facts.js';
import { unescapePath } from '../evidence/path-text.js';
import { messageOf } from '../lifetime/error.js';
import type { OwnedSandbox } from '../sandbox/sandbox.js';
import type { ContentStore } from './content-store.js';
import { createGitBytes, GIT_FILE_LIMIT_BYTES } from './git-bytes.js';
import { newCommitsOf, type NewCommits } from './git-commits.js';
import { gitfileFolder, judgeGit, type GitEnd } from './git-facts.js';
import { gitSitesOf, touchedSites, type GitSite } from './git-layout.js';
import { gitfileTargetOf, gitStateOf, tipsOf } from './git-refs.js';
import { LooseObjects, looseObjectPath } from './loose-objects.js';
import { isUntouched, type Entry, type Manifest } from './manifest.js';
import { readByEngine, readFiles } from './read-files.js';

/** Repositories beyond this are counted, not compared, in each window. */
const MOST_REPOSITORIES = 32;
/** The engine reads files of an image one by one. */
const MOST_IMAGE_FILES = 64;
const STATE_LIMIT_BYTES = 16 * 1024 * 1024;

/** Bytes of files of git, by path, with the entry that they were read of. */
type KnownFiles = Map<string, { readonly entry: Entry; readonly sha256: string }>;

/** What a window did to repositories. */
export interface GitChanges { readonly git?: GitFacts; readonly flags: readonly WindowFlag[] }

/**
 * Follows HEAD and the refs of the repositories in the working directory, from bytes alone: no git runs over what an
 * agent wrote, no link is followed, and where no such file was touched nothing is read.
 */
export class GitWatch {
  readonly #sandbox: OwnedSandbox;
  readonly #root: string;
  /** Where the engine's scan put what it read. */
  readonly #store: ContentStore;
  readonly #bytes = createGitBytes(STATE_LIMIT_BYTES);
  #known: KnownFiles = new Map();

  constructor(sandbox: OwnedSandbox, options: { readonly root: string; readonly store: ContentStore }) {
    this.#sandbox = sandbox;
    this.#root = options.root;
    this.#store = options.store;
  }

  /** Remembers what the eval did to repositories, so that what the agent does to them can be told. */
  async follow(before: Manifest, after: Manifest): Promise<void> {
    try {
      await this.#readLiving(after, touchedSites(before, after).slice(0, MOST_REPOSITORIES));
    } catch {
      // What is not known here is found not to be known when a window needs it.
    }
  }

  /**
   * What differs between the two ends of a window.
   *
   * @param options.image The state that the sandbox was started from.
   * @param options.alive False when the container ended: then the scan has read everything.
   */
  async compare(before: Manifest, after: Manifest, options: { readonly image: Manifest; readonly alive: boolean }): Promise<GitChanges> {
    const touched = touchedSites(before, after);
    if (touched.length === 0) return { flags: [] };
    const paths = touched.slice(0, MOST_REPOSITORIES);
    const leftOut = touched.length - paths.length;
    try {
      const old: KnownFiles = new Map(this.#known);
      if (options.alive) await this.#readLiving(after, paths);
      await this.#readOriginals(before, old, { paths, image: options.image });
      const judged = await Promise.all(paths.map(async (path) => {
        const ends = { before: await this.#endOf(before, path, old), after: await this.#endOf(after, path, this.#known) };
        return judgeGit(path, ends.before, ends.after, await this.#newCommits(before, after, { path, ...ends, alive: options.alive }));
      }));
      const found = judged.flatMap((one) => one ?? []);
      if (found.length === 0 && leftOut === 0) return { flags: [] };
      return { git: { repositories: found.map(({ fact }) => fact), leftOut }, flags: [...new Set(found.flatMap(({ flags }) => flags))] };
    } catch (error) {
      // The changes of files stand without it.
      return { git: { repositories: [], leftOut: touched.length, gap: messageOf(error) }, flags: [] };
    }
  }

  /** Reads what is not known of these places, in one go. */
  async #readLiving(manifest: Manifest, paths: readonly string[]): Promise<void> {
    const unread = await this.#unread(manifest, paths, [this.#known]);
    const read = await readFiles(this.#sandbox, this.#root, unread, this.#bytes);
    for (const [path, { sha256 }] of read) this.#known.set(path, { entry: manifest.get(path) as Entry, sha256 });
  }

  /** The bytes of before, where they are still those of the image, or of now. */
  async #readOriginals(before: Manifest, old: KnownFiles, options: { readonly paths: readonly string[]; readonly image: Manifest }): Promise<void> {
    const lacking = await this.#unread(before, options.paths, [old, this.#known]);
    const unread = lacking.filter((path) => {
      const [original, entry] = [options.image.get(path), before.get(path)];
      return original !== undefined && (original === entry || isUntouched(original, entry as Entry));
    });
    const read = await readByEngine(this.#sandbox, this.#root, unread.slice(0, MOST_IMAGE_FILES), this.#bytes, 'image');
    for (const [path, known] of this.#known) if (!old.has(path)) old.set(path, known);
    for (const [path, { sha256 }] of read) old.set(path, { entry: before.get(path) as Entry, sha256 });
  }

  async #unread(manifest: Manifest, paths: readonly string[], known: readonly KnownFiles[]): Promise<readonly string[]> {
    const unread: string[] = [];
    for (const { folder, files } of sitesAt(manifest, paths)) {
      for (const [name, entry] of files) {
        const path = name === '' ? folder : `${folder}/${name}`;
        if (entry.kind !== 'file' || entry.sizeBytes > GIT_FILE_LIMIT_BYTES) continue;
        const found = await Promise.all(known.map((one) => this.#bytesOf(path, entry, one)));
        if (found.every((bytes) => bytes === undefined)) unread.push(path);
      }
    }
    return unread;
  }

  async #bytesOf(path: string, entry: Entry, known: KnownFiles): Promise<Uint8Array | undefined> {
    // Old versions of git made HEAD a link to its branch.
    if (entry.kind === 'symlink' && path.endsWith('/HEAD')) return Buffer.concat([Buffer.from('ref: '), unescapePath(entry.linkTarget ?? '')]);
    if (entry.kind !== 'file') return undefined;
    const seen = known.get(path);
    if (seen !== undefined && isUntouched(seen.entry, entry)) return this.#bytes.read(seen.sha256);
    return entry.content === undefined ? undefined : await this.#store.read(entry.content.sha256) ?? this.#bytes.read(entry.content.sha256);
  }

  async #endOf(manifest: Manifest, path: string, known: KnownFiles): Promise<GitEnd> {
    const site = gitSitesOf(manifest).get(path);
    if (site === undefined) return { form: 'none' };
    if (site.form === 'link') return { form: 'link', target: site.files.get('')?.linkTarget ?? '' };
    if (site.form !== 'repository') {
      const bytes = await this.#bytesOf(site.folder, site.files.get('') as Entry, known);
      const target = bytes === undefined ? undefined : gitfileTargetOf(bytes);
      if (target === undefined) return { form: 'none' };
      const leadsTo = gitfileFolder(path, target, this.#root);
      return { form: 'gitfile', target, ...(leadsTo !== undefined && manifest.has(`${leadsTo}/HEAD`) ? { leadsTo } : {}) };
    }
    const files = new Map<string, Uint8Array | undefined>();
    for (const [name, entry] of site.files) files.set(name, await this.#bytesOf(`${site.folder}/${name}`, entry, known));
    return { form: 'repository', state: gitStateOf(files, site.refsLeftOut), hidesObjects: site.hidesObjects };
  }

  async #newCommits(before: Manifest, after: Manifest, options: { readonly path: string; readonly before: GitEnd; readonly after: GitEnd; readonly alive: boolean }): Promise<NewCommits | undefined> {
    if (options.before.form !== 'repository' || options.after.form !== 'repository') return undefined;
    const old = tipsOf(options.before.state);
    const tips = [...tipsOf(options.after.state)];
    if (tips.every((id) => old.has(id))) return undefined;
    const folder = `${options.path === '' ? '' : `${options.path}/`}.git/objects/`;
    const objects = new LooseObjects({ before, after, folder, alive: options.alive, sandbox: this.#sandbox, root: this.#root, store: this.#store });
    return newCommitsOf(tips, { isOld: (id) => old.has(id) || before.has(looseObjectPath(folder, id)), read: (ids) => objects.read(ids) });
  }
}

function sitesAt(manifest: Manifest, paths: readonly string[]): readonly GitSite[] {
  const sites = gitSitesOf(manifest);
  return paths.flatMap((path) => sites.get(path) ?? []);
}
