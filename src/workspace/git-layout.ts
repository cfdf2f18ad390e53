import { statusOf } from './compare.js';
import type { Entry, Manifest } from './manifest.js';

/** Refs of one repository beyond this are counted, not read. */
const MOST_REFS = 1_000;

/** Where a manifest has something that git takes for a repository. */
export type GitSite =
  | {
      readonly form: 'repository';
      /** The path of its `.git`. */
      readonly folder: string;
      /** `HEAD`, `packed-refs` and what is under `refs`, by name within the folder. */
      readonly files: ReadonlyMap<string, Entry>;
      /** Refs that are not among `files`, or are links. */
      readonly refsLeftOut: number;
      /** Whether some of its objects are where a manifest cannot show them: in packs, or in another repository. */
      readonly hidesObjects: boolean;
    }
  /** `files` holds the gitfile or the link itself, under an empty name. */
  | { readonly form: 'gitfile'; readonly folder: string; readonly files: ReadonlyMap<string, Entry> }
  | { readonly form: 'link'; readonly folder: string; readonly files: ReadonlyMap<string, Entry> };

const sitesByManifest = new WeakMap<Manifest, ReadonlyMap<string, GitSite>>();

/** Repositories, gitfiles and links called `.git`, by the path of the folder they are in; empty text for the root. Nothing inside a `.git` is looked for. */
export function gitSitesOf(manifest: Manifest): ReadonlyMap<string, GitSite> {
  let sites = sitesByManifest.get(manifest);
  if (sites === undefined) sitesByManifest.set(manifest, sites = findSites(manifest));
  return sites;
}

/** The folders whose HEAD, refs or gitfile may differ between two states; the root comes first. */
export function touchedSites(before: Manifest, after: Manifest): readonly string[] {
  const [old, now] = [gitSitesOf(before), gitSitesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((path) => differ(old.get(path), now.get(path))).sort();
}

function differ(before: GitSite | undefined, after: GitSite | undefined): boolean {
  if (before === undefined || after === undefined || before.form !== after.form || before.files.size !== after.files.size) return true;
  return [...after.files].some(([name, entry]) => {
    const old = before.files.get(name);
    return old === undefined || statusOf(old, entry) !== undefined;
  });
}

function findSites(manifest: Manifest): ReadonlyMap<string, GitSite> {
  const sites = new Map<string, GitSite>();
  const folders = new Map<string, { readonly path: string; readonly files: Map<string, Entry>; refs: number; refsLeftOut: number; hidesObjects: boolean }>();
  for (const [folder, entry] of manifest) {
    if (folder !== '.git' && !folder.endsWith('/.git')) continue;
    const path = folder.slice(0, Math.max(0, folder.length - '/.git'.length));
    if (`/${path}/`.includes('/.git/')) continue;
    if (entry.kind === 'file') sites.set(path, { form: 'gitfile', folder, files: new Map([['', entry]]) });
    if (entry.kind === 'symlink') sites.set(path, { form: 'link', folder, files: new Map([['', entry]]) });
    if (entry.kind === 'directory' && manifest.has(`${folder}/HEAD`) && manifest.has(`${folder}/objects`)) {
      folders.set(folder, { path, files: new Map(), refs: 0, refsLeftOut: 0, hidesObjects: false });
    }
  }
  if (folders.size === 0) return sites;
  for (const [path, entry] of manifest) {
    const start = path.startsWith('.git/') ? 0 : path.indexOf('/.git/') + 1;
    if (start === 0 && !path.startsWith('.git/')) continue;
    const found = folders.get(path.slice(0, start + '.git'.length));
    if (found === undefined || entry.kind === 'directory') continue;
    const name = path.slice(start + '.git/'.length);
    if (name === 'objects/info/alternates' || (name.startsWith('objects/pack/') && name.endsWith('.pack'))) found.hidesObjects = true;
    // Objects behind a link are not seen either.
    if (entry.kind === 'symlink' && name.startsWith('objects')) found.hidesObjects = true;
    if (name === 'HEAD' || name === 'packed-refs') found.files.set(name, entry);
    // What is behind a link is not looked at, be it a ref or a folder of them.
    if (entry.kind === 'symlink' && (name === 'refs' || name.startsWith('refs/'))) found.refsLeftOut += 1;
    if (!name.startsWith('refs/')) continue;
    if (found.refs < MOST_REFS) found.files.set(name, entry);
    else found.refsLeftOut += 1;
    found.refs += 1;
  }
  for (const [folder, { path, files, refsLeftOut, hidesObjects }] of folders) sites.set(path, { form: 'repository', folder, files, refsLeftOut, hidesObjects });
  return sites;
}
