import type { ResourceLimits, SandboxSpec } from '../sandbox.js';

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
}

const KNOWN = new Set(['image', 'source', 'user', 'workdir', 'resources']);

/**
 * Sandboxes in a Docker-compatible container engine. Nothing starts here.
 *
 * @throws TypeError for an option that is not known or an image given twice.
 */
export function docker(options: DockerOptions = {}): SandboxSpec {
  const unknown = Object.keys(options).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) throw new TypeError(`docker() does not know the option "${unknown[0]}". It knows ${[...KNOWN].join(', ')}.`);
  if (options.image !== undefined && options.source !== undefined) throw new TypeError('docker() takes `image` or `source`, not both.');
  const image = options.image ?? options.source?.image;
  return {
    kind: 'sandbox-spec',
    backend: 'docker',
    ...(image === undefined ? {} : { image }),
    ...(options.user === undefined ? {} : { user: options.user }),
    ...(options.workdir === undefined ? {} : { workdir: options.workdir }),
    ...(options.resources === undefined ? {} : { resources: options.resources }),
  };
}
