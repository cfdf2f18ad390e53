import type { ImageInfo } from 'dockerode';
import { messageOf } from '../../lifetime/error.js';
import { PREPARED_COMMENT, PREPARED_ROLE } from './commit.js';
import { connectEngine, statusCodeOf, type Engine } from './engine.js';
import { forgetOtherImages, lastImageUse } from './image-use.js';
import { LABEL, ROLE_LABEL } from './labels.js';
import { presentReferences } from './sandbox-image.js';

/** An image of ours in the engine. */
export interface StoredImage {
  readonly id: string;
  /** All its references. Empty: an image that another one took the reference from. */
  readonly references: readonly string[];
  /** What it takes beyond the image that it was made on, as far as that is known; else all of it. */
  readonly ownBytes: number;
  readonly lastUsedAt: Date;
  /** Why it is kept whatever its age. Absent: it may go. */
  readonly keptFor?: 'a container' | 'the present recipe' | 'another image' | 'a name of somebody else';
}

/** What {@link collectImages} takes. */
export interface CollectOptions {
  /** Milliseconds. Only what nothing used for this long goes. */
  readonly olderThanMs: number;
  /** So many of those that were used last stay in any case. */
  readonly keep: number;
  /** Only tells. */
  readonly dryRun: boolean;
}

/** What a collection did, or would do. */
export interface Collection {
  readonly removed: readonly StoredImage[];
  readonly kept: readonly StoredImage[];
  /** What the engine did not let go, and why. */
  readonly refused: readonly { readonly image: StoredImage; readonly message: string }[];
}

/** The images that niceeval made, those used last first. @throws EngineUnavailableError when no engine answers. */
export async function storedImages(): Promise<readonly StoredImage[]> {
  return imagesIn(await connectEngine());
}

/** Removes images of ours that nothing needs and nothing used for some time. Others are never touched. */
export async function collectImages(options: CollectOptions): Promise<Collection> {
  const engine = await connectEngine();
  const images = await imagesIn(engine);
  const going = new Set(collectable(images, { ...options, now: new Date() }));
  const removed: StoredImage[] = [];
  const refused: { image: StoredImage; message: string }[] = [];
  for (const image of going) {
    try {
      if (!options.dryRun) await removeImage(engine, image);
      removed.push(image);
    } catch (error) {
      refused.push({ image, message: messageOf(error) });
    }
  }
  if (!options.dryRun) await forgetOtherImages(images.filter((image) => !removed.includes(image)).map(({ id }) => id));
  return { removed, kept: images.filter((image) => !going.has(image)), refused };
}

/** What may go: nothing keeps it, it is not among those used last, and it was not used for long. */
export function collectable(images: readonly StoredImage[], { olderThanMs, keep, now }: Pick<CollectOptions, 'olderThanMs' | 'keep'> & { readonly now: Date }): readonly StoredImage[] {
  const byUse = images.filter(({ keptFor }) => keptFor === undefined).sort((a, b) => b.lastUsedAt.getTime() - a.lastUsedAt.getTime());
  return byUse.slice(keep).filter(({ lastUsedAt }) => now.getTime() - lastUsedAt.getTime() >= olderThanMs);
}

async function imagesIn(engine: Engine): Promise<readonly StoredImage[]> {
  const all = await engine.call('list images', (docker) => docker.listImages({ all: true }));
  const containers = await engine.call('list containers', (docker) => docker.listContainers({ all: true }));
  const inUse = new Set(containers.map(({ ImageID: id }) => id));
  const byId = new Map(all.map((image) => [image.Id, image]));
  const parents = new Set(all.map(({ ParentId: id }) => id));
  const present = new Set(await presentReferences());
  const found: StoredImage[] = [];
  for (const image of all) {
    if (!await isOurs(engine, image, parents)) continue;
    const references = referencesOf(image);
    const keptFor = inUse.has(image.Id) ? 'a container'
      : references.some((reference) => present.has(reference)) ? 'the present recipe'
      : references.some((reference) => !reference.startsWith('niceeval/')) ? 'a name of somebody else'
      : parents.has(image.Id) ? 'another image' : undefined;
    found.push({
      id: image.Id,
      references,
      ownBytes: Math.max(0, image.Size - (namedBelow(image, byId)?.Size ?? 0)),
      lastUsedAt: await lastImageUse(image.Id) ?? new Date(image.Created * 1000),
      ...(keptFor === undefined ? {} : { keptFor }),
    });
  }
  return found.sort((a, b) => b.lastUsedAt.getTime() - a.lastUsedAt.getTime());
}

/** Images that others build on ours have our labels as well; a name of ours, or our comment on an image without any, has none of them. */
async function isOurs(engine: Engine, image: ImageInfo, parents: ReadonlySet<string>): Promise<boolean> {
  // The engine's own list has no labels for some images.
  if ((image.Labels as Record<string, string> | null)?.[LABEL] !== '1') return false;
  const references = referencesOf(image);
  if (references.length > 0) return references.some((reference) => reference.startsWith('niceeval/'));
  if (parents.has(image.Id) || image.Labels[ROLE_LABEL] !== PREPARED_ROLE) return false;
  const facts = await engine.call('look at an image', (docker) => docker.getImage(image.Id).inspect()).catch((error: unknown) => {
    if (statusCodeOf(error) === 404) return undefined;
    throw error;
  });
  return facts?.Comment === PREPARED_COMMENT;
}

/** The next image below that has a name; those between are steps of a build. */
function namedBelow(image: ImageInfo, byId: ReadonlyMap<string, ImageInfo>): ImageInfo | undefined {
  let below = byId.get(image.ParentId);
  while (below !== undefined && referencesOf(below).length === 0) below = byId.get(below.ParentId);
  return below;
}

function referencesOf(image: ImageInfo): readonly string[] {
  return (image.RepoTags ?? []).filter((tag) => tag !== '<none>:<none>');
}

/** Never by force: what has come into use meanwhile stays. */
async function removeImage(engine: Engine, { id, references }: StoredImage): Promise<void> {
  for (const reference of references.length === 0 ? [id] : references) {
    try {
      await engine.call('remove an image', (docker) => docker.getImage(reference).remove());
    } catch (error) {
      if (statusCodeOf(error) !== 404) throw error;
    }
  }
}
