import { posix } from 'node:path';
import { ImageError } from '../errors.js';
import type { PreparedImage, SandboxSpec } from '../sandbox.js';
import { pathFacts, readFileFromContainer, type FileOwner } from './archive.js';
import type { Engine } from './engine.js';
import { labelsOf } from './labels.js';

/** A prepared image with the numbers behind its user. */
export type InspectedImage = PreparedImage & {
  readonly home: string;
  readonly workdir: string;
  readonly owner: FileOwner;
  /** The engine makes a working directory that the image lacks, for root; the agent must get it. */
  readonly lacksWorkdir: boolean;
};

/**
 * Reads what an image says about its user, home and working directory, from its configuration and its own
 * /etc/passwd, without starting anything in it.
 */
export async function inspectImage(engine: Engine, reference: string, spec: SandboxSpec, runId: string): Promise<InspectedImage> {
  const image = await engine.call(`look at the image ${reference}`, (docker) => docker.getImage(reference).inspect()).catch((error: unknown) => {
    throw new ImageError(`The image "${reference}" is not in the engine. Pull or build it first.`, { cause: error });
  });
  const container = await engine.call('look into an image', (docker) => docker.createContainer({
    Image: reference, Cmd: ['true'], Labels: labelsOf('probe', runId),
  }));
  try {
    const passwd = await readFileFromContainer(engine, container.id, '/etc/passwd').then((bytes) => bytes.toString('utf8'), () => '');
    const wanted = (spec.user ?? image.Config.User ?? '') || 'root';
    const user = userOf(wanted, passwd, reference);
    const workdir = spec.workdir ?? (image.Config.WorkingDir || '/');
    if (!posix.isAbsolute(workdir)) throw new ImageError(`The working directory "${workdir}" of the sandbox must be an absolute path.`);
    return {
      id: image.Id,
      reference,
      agentUser: user.name,
      agentIsRoot: user.owner.uid === 0,
      home: user.home,
      workdir: posix.normalize(workdir),
      owner: user.owner,
      lacksWorkdir: await pathFacts(engine, container.id, posix.normalize(workdir)) === undefined,
    };
  } finally {
    await engine.call('remove a container', () => container.remove({ force: true, v: true }));
  }
}

/** `user` may be a name or a uid, with or without `:group`, as in a Dockerfile. */
function userOf(wanted: string, passwd: string, reference: string): { name: string; home: string; owner: FileOwner } {
  const [name = 'root', group] = wanted.split(':');
  const rows = passwd.split('\n').map((line) => line.split(':'));
  const row = rows.find((fields) => fields[0] === name) ?? rows.find((fields) => fields[2] === name);
  const uid = Number(row?.[2] ?? (name === 'root' ? 0 : name));
  if (!Number.isInteger(uid)) throw new ImageError(`The image "${reference}" has no user "${name}" in /etc/passwd.`);
  const gid = /^\d+$/.test(group ?? '') ? Number(group) : Number(row?.[3] ?? uid);
  return { name: row?.[0] ?? name, home: row?.[5] ?? '/', owner: { uid, gid } };
}
