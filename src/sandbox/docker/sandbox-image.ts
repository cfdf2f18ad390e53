import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { execa } from 'execa';
import { pack } from 'tar-stream';
import { messageOf } from '../../lifetime/error.js';
import { ImageError } from '../errors.js';
import { ensureBaseImage, followProgress, hasImage, localBaseReference } from './base-image.js';
import { requireRoom } from './disk.js';
import type { Engine } from './engine.js';
import { BASE, cliVersions, readRecipeFile, recipeHash } from './image-recipe.js';
import { LABEL, ROLE_LABEL } from './labels.js';

const BUILD_LIMIT_MS = 30 * 60_000;

/** Finds or builds the project's own sandbox image (`Dockerfile.sandbox`). Nothing is built while its recipe is unchanged. */
export async function ensureSandboxImage(engine: Engine, onProgress: (line: string) => void): Promise<string> {
  const dockerfile = await readRecipeFile('Dockerfile.sandbox');
  const base = await ensureBaseImage(engine, onProgress);
  const versions = cliVersions(process.env);
  const reference = await sandboxReferenceOn(base);
  if (await hasImage(engine, reference)) return reference;
  await requireRoom(engine, 'The sandbox image');
  onProgress(`building ${reference} on ${base}`);
  const context = pack();
  context.entry({ name: 'Dockerfile' }, dockerfile);
  context.entry({ name: 'build-ca.crt' }, await hostAuthorities());
  context.finalize();
  const body = Readable.from(context as AsyncIterable<Uint8Array>, { objectMode: false });
  const buildargs = { BASE_IMAGE: base, NPM_REGISTRY: await npmRegistry(), ...versions };
  try {
    const stream = await engine.call<NodeJS.ReadableStream>('build the sandbox image', (docker) => docker.buildImage(body, {
      t: reference,
      buildargs,
      labels: { [LABEL]: '1', [ROLE_LABEL]: 'image' },
      forcerm: true,
    }), BUILD_LIMIT_MS);
    await followProgress(engine, stream, onBuildLine(onProgress));
  } catch (error) {
    throw new ImageError(`The sandbox image could not be built: ${messageOf(error)}`, { cause: error });
  }
  return reference;
}

/** What the present recipe makes: on either base, and the base that is made here. */
export async function presentReferences(): Promise<readonly string[]> {
  const local = await localBaseReference();
  return [local, await sandboxReferenceOn(local), await sandboxReferenceOn(BASE.official)];
}

async function sandboxReferenceOn(base: string): Promise<string> {
  const dockerfile = await readRecipeFile('Dockerfile.sandbox');
  return `niceeval/sandbox:${recipeHash([dockerfile, base, JSON.stringify(cliVersions(process.env))])}`;
}

/** Passes on the steps of a build and what its commands say; the engine's own bookkeeping and colours are left out. */
function onBuildLine(onProgress: (line: string) => void): (line: string) => void {
  return (line) => {
     
    const text = line.replace(/\u001b\[[0-9;]*m/g, '').trim();
    if (text === '' || /^(--->|Removing intermediate container)/.test(text)) return;
    onProgress(text.length > 120 ? `${text.slice(0, 117)}...` : text);
  };
}

/** The certificate authorities that this machine trusts, or nothing where they are not in one file. */
async function hostAuthorities(): Promise<Buffer> {
  for (const file of [process.env['NODE_EXTRA_CA_CERTS'], '/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt']) {
    if (file === undefined) continue;
    const bytes = await readFile(file).catch(() => undefined);
    if (bytes !== undefined) return bytes;
  }
  return Buffer.alloc(0);
}

/** The registry that this machine's npm uses, so that the image is built from the same place. */
async function npmRegistry(): Promise<string> {
  const { stdout } = await execa('npm', ['config', 'get', 'registry'], { stdin: 'ignore', timeout: 20_000 }).catch(() => ({ stdout: '' }));
  return /^https?:\/\/\S+$/.test(stdout.trim()) ? stdout.trim() : 'https://registry.npmjs.org/';
}
