import { posix } from 'node:path';
import type { ImageInspectInfo } from 'dockerode';
import { messageOf } from '../../lifetime/error.js';
import { EngineUnavailableError, ImageError } from '../errors.js';
import type { GitSources } from '../prepare/git-sources.js';
import { materialOf, type Material } from '../prepare/material.js';
import { stepText, type PrepareStep } from '../prepare/step.js';
import type { ImageNotice, ImageSource } from '../sandbox.js';
import { BuildContainer, type BuildLimits } from './build-container.js';
import { commitPrepared, noticesIn } from './commit.js';
import { requireRoom } from './disk.js';
import type { Engine } from './engine.js';
import type { InspectedImage } from './image-facts.js';
import { recipeHash } from './image-recipe.js';
import { carryOut } from './prepare-step.js';

/** What preparing an image takes. */
export interface PrepareOptions {
  readonly runId: string;
  readonly git: GitSources;
  readonly limits: BuildLimits;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

/** An image with all steps carried out. */
export interface PreparedLayer {
  readonly reference: string;
  readonly sources: readonly ImageSource[];
  readonly notices: readonly ImageNotice[];
}

/** Changes when the same steps make something else than before. */
const RECIPE_VERSION = 'prepared 2';

/**
 * Finds or makes the image in which the steps were carried out on top of another one. It is found again as long as that
 * image, every step and every file that they bring are the same. Two processes that make it at once end with one of them.
 *
 * @param steps With absolute host paths; at least one.
 * @throws ImageError for a step that fails; the signal's reason when it is aborted. Nothing is left then.
 */
export async function ensurePreparedImage(engine: Engine, below: InspectedImage, steps: readonly PrepareStep[], options: PrepareOptions): Promise<PreparedLayer> {
  const materials: Material[] = [];
  for (const step of steps) materials.push(await told(step, () => materialOf(step, options), options.signal));
  const recipe = recipeHash([
    RECIPE_VERSION, below.id, below.agentUser, `${below.owner.uid}:${below.owner.gid}`, below.workdir, ...materials.map(({ identity }) => JSON.stringify(identity)),
  ]);
  const reference = `niceeval/prepared:${recipe}`;
  const sources = materials.flatMap((material) => (material.kind === 'files' && material.source !== undefined ? [material.source] : []));
  const notices = await noticesIn(engine, reference);
  if (notices !== undefined) return { reference, sources, notices };
  return { reference, sources, notices: await make(engine, below, materials, { ...options, reference, recipe }) };
}

async function make(
  engine: Engine,
  below: InspectedImage,
  materials: readonly Material[],
  options: PrepareOptions & { readonly reference: string; readonly recipe: string },
): Promise<readonly ImageNotice[]> {
  const { reference, recipe, onProgress, signal } = options;
  await requireRoom(engine, `The image ${reference}`);
  const image = await engine.call('look at an image', (docker) => docker.getImage(below.id).inspect());
  refuseVolumes(image, below, materials);
  signal.throwIfAborted();
  onProgress(`${reference}: preparing on ${below.reference}`);
  const notices: ImageNotice[] = [];
  await using container = await BuildContainer.open(engine, below, options);
  for (const [index, material] of materials.entries()) {
    onProgress(`${reference}: step ${index + 1}/${materials.length}: ${stepText(material.step)}`);
    notices.push(...await told(material.step, () => carryOut(container, material, signal), signal));
  }
  signal.throwIfAborted();
  await commitPrepared(container, image, { reference, recipe, baseId: below.id, notices });
  onProgress(`${reference}: ready`);
  return notices;
}

/** Names the step in whatever made it fail. */
async function told<T>(step: PrepareStep, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EngineUnavailableError) throw error; // No step can help that.
    throw new ImageError(`The step ${stepText(step)} failed: ${messageOf(error)}`, { cause: error });
  }
}

/** What lies in a volume is in no image: it would be gone without a word. */
function refuseVolumes(image: ImageInspectInfo, below: InspectedImage, materials: readonly Material[]): void {
  const volumes = Object.keys((image.Config.Volumes ?? {}));
  const targets = [below.workdir, ...materials.flatMap((material) => (material.kind === 'files' ? [posix.resolve(below.workdir, material.target)] : []))];
  for (const volume of volumes) {
    const hit = targets.find((target) => target === volume || target.startsWith(`${volume.replace(/\/+$/, '')}/`));
    if (hit !== undefined) throw new ImageError(`The image "${below.reference}" declares the volume ${volume}, and ${hit} lies in it. What is prepared there would not be kept; choose another \`workdir\` or target.`);
  }
}
