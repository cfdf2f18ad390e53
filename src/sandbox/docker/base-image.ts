import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '../../lifetime/error.js';
import { ImageError } from '../errors.js';
import { requireRoom } from './disk.js';
import type { Engine } from './engine.js';
import { BASE, packageFile, readRecipeFile, recipeHash } from './image-recipe.js';
import { ROLE_LABEL, LABEL } from './labels.js';

const REGISTRY_LIMIT_MS = 6_000;
const BUILD_LIMIT_MS = 30 * 60_000;

/** Finds or makes the base of the sandbox image. Gives a reference that exists in the engine. */
export async function ensureBaseImage(engine: Engine, onProgress: (line: string) => void): Promise<string> {
  const local = await localBaseReference();
  for (const reference of [BASE.official, local]) {
    if (await hasImage(engine, reference)) return reference;
  }
  await requireRoom(engine, 'The base image');
  if (await registryHas(engine, BASE.official)) {
    await pull(engine, BASE.official, onProgress);
    return BASE.official;
  }
  onProgress(`no image registry answers; making ${local} from Debian's packages (one to three minutes, once)`);
  await buildLocally(engine, local, onProgress);
  return local;
}

/** What a base that is made here is called. */
export async function localBaseReference(): Promise<string> {
  const script = await readRecipeFile('images/base-from-debian.sh');
  return `niceeval/base:${recipeHash([script, BASE.nodeVersion, BASE.npmVersion, BASE.suite])}`;
}

/** Whether the engine has an image under this reference. */
export async function hasImage(engine: Engine, reference: string): Promise<boolean> {
  try {
    await engine.call('look at an image', (docker) => docker.getImage(reference).inspect());
    return true;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return false;
    throw error;
  }
}

async function registryHas(engine: Engine, reference: string): Promise<boolean> {
  try {
    await engine.call('ask the image registry', (docker) => docker.getImage(reference).distribution(), REGISTRY_LIMIT_MS);
    return true;
  } catch {
    return false; // Any refusal and any silence mean the same: the base is made here.
  }
}

async function pull(engine: Engine, reference: string, onProgress: (line: string) => void): Promise<void> {
  onProgress(`pulling ${reference}`);
  const stream = await engine.call<NodeJS.ReadableStream>(`pull ${reference}`, (docker) => docker.pull(reference));
  await followProgress(engine, stream, () => undefined);
}

/** Waits for a pull or a build. @throws ImageError with the engine's own message. */
export function followProgress(engine: Engine, stream: NodeJS.ReadableStream, onLine: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, output: readonly { error?: string }[] = []): void => {
      const failure = error ?? output.find((entry) => entry.error !== undefined)?.error;
      if (failure === null || failure === undefined) resolve();
      else reject(new ImageError(`The engine could not make the image: ${messageOf(failure)}`, { cause: failure }));
    };
    engine.docker.modem.followProgress(stream, done, (event: { stream?: string }) => {
      for (const line of (event.stream ?? '').split('\n')) if (line.trim() !== '') onLine(line.trimEnd());
    });
  });
}

async function buildLocally(engine: Engine, reference: string, onProgress: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'niceeval-base-'));
  const tar = join(folder, 'base.tar');
  try {
    const build = execa('sh', [packageFile('images/base-from-debian.sh'), tar], {
      stdin: 'ignore',
      stdout: 'ignore',
      buffer: { stderr: true },
      timeout: BUILD_LIMIT_MS,
      env: { NODE_VERSION: BASE.nodeVersion, NPM_VERSION: BASE.npmVersion, DEBIAN_SUITE: BASE.suite },
    });
    const told = (async () => { for await (const line of build.iterable({ from: 'stderr' })) onProgress(String(line)); })();
    await Promise.all([build, told.catch(() => undefined)]);
    const [repo = reference, tag = 'latest'] = reference.split(':');
    onProgress(`importing ${reference}`);
    const stream = await engine.call<NodeJS.ReadableStream>('import the base image', (docker) => docker.importImage(createReadStream(tar), {
      repo,
      tag,
      changes: [
        'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        `LABEL ${LABEL}=1 ${ROLE_LABEL}=image`,
      ],
    }), BUILD_LIMIT_MS);
    await followProgress(engine, stream, () => undefined);
  } catch (error) {
    throw new ImageError(
      `The base image could not be made from Debian's packages: ${messageOf(error)}. `
        + 'It needs root, apt-get and npm; or make a registry with node:22-bookworm-slim reachable.',
      { cause: error },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
