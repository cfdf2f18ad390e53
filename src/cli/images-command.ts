import { plainLine } from '../report/plain-text.js';
import { openDockerProvider } from '../sandbox/docker/provider.js';
import { collectImages, storedImages, type StoredImage } from '../sandbox/docker/image-store.js';
import { docker } from '../sandbox/docker/spec.js';
import { sizeText } from '../sandbox/size-text.js';
import { EXIT } from './exit-codes.js';

/** Options of `niceeval images gc`. */
export interface CollectFlags {
  readonly dryRun?: boolean;
  /** Milliseconds. */
  readonly olderThan: number;
  readonly keep: number;
}

/** `niceeval images build`. */
export async function buildImagesCommand(): Promise<number> {
  await using provider = await openDockerProvider({ runId: 'images' });
  const image = await provider.prepareImage(docker(), (line) => process.stdout.write(`${plainLine(line)}\n`));
  process.stdout.write(`${image.reference} is ready: agents run as ${image.agentUser} in ${image.workdir}\n`);
  return EXIT.ok;
}

/** `niceeval images list`. */
export async function listImagesCommand(): Promise<number> {
  const images = await storedImages();
  for (const image of images) process.stdout.write(`${lineOf(image)}${image.keptFor === undefined ? '' : `  kept for ${image.keptFor}`}\n`);
  process.stdout.write(`${images.length} images, ${sizeText(sumOf(images))}\n`);
  return EXIT.ok;
}

/** `niceeval images gc`. */
export async function collectImagesCommand(flags: CollectFlags): Promise<number> {
  const { removed, kept, refused } = await collectImages({ dryRun: flags.dryRun === true, olderThanMs: flags.olderThan, keep: flags.keep });
  const verb = flags.dryRun === true ? 'would remove' : 'removed';
  for (const image of removed) process.stdout.write(`${verb}  ${lineOf(image)}\n`);
  for (const { image, message } of refused) process.stdout.write(`not removed  ${lineOf(image)}: ${plainLine(message)}\n`);
  process.stdout.write(`${verb} ${removed.length} images, ${sizeText(sumOf(removed))}; kept ${kept.length + refused.length}\n`);
  return EXIT.ok;
}

/** Reference, size and day of last use, in columns. */
function lineOf({ id, references, ownBytes, lastUsedAt }: StoredImage): string {
  const name = plainLine(references.join(', ')) || id.replace(/^sha256:/, '').slice(0, 12);
  return `${name.padEnd(32)}  ${sizeText(ownBytes).padStart(9)}  used ${lastUsedAt.toISOString().slice(0, 16).replace('T', ' ')}`;
}

function sumOf(images: readonly StoredImage[]): number {
  return images.reduce((sum, { ownBytes }) => sum + ownBytes, 0);
}
