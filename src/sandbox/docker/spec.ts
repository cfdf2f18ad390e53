import { preparable, type SandboxTemplate } from '../prepare/preparable.js';
import type { ResourceLimits } from '../sandbox.js';

/** Options of {@link docker}. */
export interface DockerOptions {
  /** An image reference. Default: the project's own sandbox image, built when it is missing. */
  readonly image?: string;
  /** The longer form of `image`. */
  readonly source?: { readonly type: 'image'; readonly image: string };
  /** The user that the agent runs as. Default: the image's own. */
  readonly user?: string;
  /** Absolute path of the working directory. Default: the image's own. */
  readonly workdir?: string;
  /** Limits of one sandbox. */
  readonly resources?: ResourceLimits;
  /** A runtime that the engine knows, for instance `runsc`. Default: the engine's own. */
  readonly runtime?: string;
  /**
   * Only the working directory, the home and the folders for temporary files can be written. They are volumes then, which nothing
   * limits the size of; so it does not go with `resources.diskBytes`. Default: false.
   */
  readonly readOnlyRoot?: boolean;
}

const KNOWN = new Set(['image', 'source', 'user', 'workdir', 'resources', 'runtime', 'readOnlyRoot']);
/** Least values. The engine refuses less than 6 MiB; a sandbox itself has three processes while a command starts, with their threads. */
const LEAST = { cpus: 0.01, memoryBytes: 6 * 1024 ** 2, pids: 16, nofile: 64, diskBytes: 1024 ** 2 } as const;

/**
 * Sandboxes in a Docker-compatible container engine. Nothing starts here. `.prepare(...)` adds steps to the image.
 *
 * @throws TypeError for an option or a limit that is not known, an image given twice, or a limit that is none.
 */
export function docker(options: DockerOptions = {}): SandboxTemplate {
  const unknown = Object.keys(options).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) throw new TypeError(`docker() does not know the option "${unknown[0]}". It knows ${[...KNOWN].join(', ')}.`);
  if (options.image !== undefined && options.source !== undefined) throw new TypeError('docker() takes `image` or `source`, not both.');
  if (options.resources !== undefined) checkLimits(options.resources);
  if (options.runtime !== undefined && (typeof options.runtime !== 'string' || !/^[\w.-]+$/.test(options.runtime))) throw new TypeError('docker({ runtime }) must be the name of a runtime, for instance "runsc".');
  if (options.readOnlyRoot !== undefined && typeof options.readOnlyRoot !== 'boolean') throw new TypeError('docker({ readOnlyRoot }) must be true or false.');
  if (options.readOnlyRoot === true && options.resources?.diskBytes !== undefined) throw new TypeError('docker() takes `readOnlyRoot` or `resources.diskBytes`, not both: nothing limits the size of the volumes that can be written then.');
  const image = options.image ?? options.source?.image;
  return preparable({
    kind: 'sandbox-spec',
    backend: 'docker',
    ...(image === undefined ? {} : { image }),
    ...(options.user === undefined ? {} : { user: options.user }),
    ...(options.workdir === undefined ? {} : { workdir: options.workdir }),
    ...(options.resources === undefined ? {} : { resources: options.resources }),
    ...(options.runtime === undefined ? {} : { runtime: options.runtime }),
    ...(options.readOnlyRoot === undefined ? {} : { readOnlyRoot: options.readOnlyRoot }),
  });
}

function checkLimits(limits: ResourceLimits): void {
  for (const [name, value] of Object.entries(limits) as [string, unknown][]) {
    if (!isLimit(name)) throw new TypeError(`docker({ resources }) does not know the limit "${name}". It knows ${Object.keys(LEAST).join(', ')}.`);
    const isWhole = name === 'cpus' || Number.isSafeInteger(value);
    if (typeof value !== 'number' || !Number.isFinite(value) || !isWhole || value < LEAST[name]) {
      throw new TypeError(`docker({ resources: { ${name} } }) must be a ${name === 'cpus' ? '' : 'whole '}number of at least ${LEAST[name]}, not ${String(value)}.`);
    }
  }
}

function isLimit(name: string): name is keyof typeof LEAST {
  return Object.hasOwn(LEAST, name);
}
