import { posix } from 'node:path';
import type { ImageInspectInfo } from 'dockerode';
import { ImageError } from '../errors.js';
import type { PreparedImage, SandboxSpec } from '../sandbox.js';
import { pathFacts, readFileFromContainer, type FileOwner } from './archive.js';
import { removeContainer } from './attached.js';
import { statusCodeOf, type Engine } from './engine.js';
import { labelsOf } from './labels.js';

/** A prepared image with what it takes to start a sandbox of it. */
export type InspectedImage = PreparedImage & {
  readonly home: string;
  readonly workdir: string;
  readonly owner: FileOwner;
  /** The engine makes a working directory that the image lacks, for root; the agent must get it. */
  readonly lacksWorkdir: boolean;
  /** It has no program `sleep` that could keep a container alive. */
  readonly lacksSleep: boolean;
  /** Folders that it declares as volumes: every container has them writable, and for itself. */
  readonly volumes: readonly string[];
  /** As the engine calls it, for instance `amd64`. */
  readonly architecture: string;
};

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Reads what an image says about its user, home and working directory, from its configuration and its own
 * /etc/passwd and /etc/group, without starting anything in it.
 */
export async function inspectImage(engine: Engine, reference: string, spec: SandboxSpec, runId: string): Promise<InspectedImage> {
  const image = await engine.call(`look at the image ${reference}`, (docker) => docker.getImage(reference).inspect()).catch((error: unknown) => {
    throw new ImageError(`The image "${reference}" is not in the engine. Pull or build it first.`, { cause: error });
  });
  const container = await engine.call('look into an image', (docker) => docker.createContainer({
    Image: image.Id, Entrypoint: [], Cmd: ['true'], Labels: labelsOf('probe', runId),
  }));
  try {
    const read = (path: string): Promise<string> => readFileFromContainer(engine, container.id, path).then((bytes) => bytes.toString('utf8'), () => '');
    const wanted = (spec.user ?? image.Config.User ?? '') || 'root';
    const user = userOf(wanted, { passwd: await read('/etc/passwd'), group: wanted.includes(':') ? await read('/etc/group') : '', reference });
    const workdir = spec.workdir ?? (image.Config.WorkingDir || '/');
    if (!posix.isAbsolute(workdir)) throw new ImageError(`The working directory "${workdir}" of the sandbox must be an absolute path.`);
    return {
      id: image.Id,
      reference,
      agentUser: user.name,
      agentIsRoot: user.owner.uid === 0,
      // The engine asks /etc/passwd only where the environment has no HOME.
      home: variableOf(image, 'HOME') ?? user.home,
      workdir: posix.normalize(workdir),
      owner: user.owner,
      lacksWorkdir: await pathFacts(engine, container.id, posix.normalize(workdir)) === undefined,
      lacksSleep: await lacksProgram(engine, container.id, 'sleep', variableOf(image, 'PATH') ?? DEFAULT_PATH),
      volumes: Object.keys(image.Config.Volumes ?? {}).map((path) => posix.resolve('/', path)),
      architecture: image.Architecture,
    };
  } finally {
    await removeContainer(engine, container.id);
  }
}

/** The rows of a file like /etc/passwd. */
function rowsOf(text: string): readonly (readonly string[])[] {
  return text.split('\n').map((line) => line.split(':'));
}

/** `user` may be a name or a uid, with or without `:group`, as in a Dockerfile. Without a row its group is root's, as for the engine. */
function userOf(wanted: string, image: { readonly passwd: string; readonly group: string; readonly reference: string }): { name: string; home: string; owner: FileOwner } {
  const [name = 'root', group] = wanted.split(':');
  const rows = rowsOf(image.passwd);
  const row = rows.find((fields) => fields[0] === name) ?? rows.find((fields) => fields[2] === name);
  const uid = Number(row?.[2] ?? (name === 'root' ? 0 : name));
  if (!Number.isInteger(uid)) throw new ImageError(`The image "${image.reference}" has no user "${name}" in /etc/passwd.`);
  const gid = group === undefined || group === '' ? Number(row?.[3] ?? 0) : groupOf(group, image);
  // The engine finds a name only in /etc/passwd; a number always.
  return { name: row === undefined ? wanted.replace(/^root(?=:|$)/, '0') : wanted, home: row?.[5] ?? '/', owner: { uid, gid } };
}

function groupOf(wanted: string, image: { readonly group: string; readonly reference: string }): number {
  const gid = Number(rowsOf(image.group).find((fields) => fields[0] === wanted)?.[2] ?? wanted);
  if (!Number.isInteger(gid)) throw new ImageError(`The image "${image.reference}" has no group "${wanted}" in /etc/group.`);
  return gid;
}

function variableOf(image: ImageInspectInfo, name: string): string | undefined {
  const found = (image.Config.Env ?? []).find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
  return found === '' ? undefined : found;
}

async function lacksProgram(engine: Engine, containerId: string, name: string, path: string): Promise<boolean> {
  for (const folder of path.split(':').filter((part) => part.startsWith('/'))) {
    const facts = await pathFacts(engine, containerId, posix.join(folder, name)).catch((error: unknown) => {
      if (statusCodeOf(error) === 500) return undefined; // A path that leads through a loop of links.
      throw error;
    });
    if (facts !== undefined && !facts.isDirectory) return false;
  }
  return true;
}
