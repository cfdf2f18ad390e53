import type Docker from 'dockerode';
import type { Container, ContainerCreateOptions } from 'dockerode';
import { PassThrough, type Duplex } from 'node:stream';
import type { Service } from '../sandbox.js';
import { statusCodeOf, type Engine } from './engine.js';
import { demultiplex } from './frames.js';

/** A helper container, which has no name yet that others find it by. */
export type AttachedContainer = Omit<Service, 'hostname'>;

const STDERR_TAIL_BYTES = 16 * 1024;

/**
 * Starts a container that is spoken to over its standard streams. Its input closes when this process goes away, so
 * a program that ends with its input never outlives its owner.
 *
 * @param beforeStart Runs between create and start, for instance to copy files in.
 */
export async function startAttached(
  engine: Engine,
  settings: ContainerCreateOptions,
  beforeStart: (container: Container) => Promise<void> = () => Promise.resolve(),
): Promise<AttachedContainer> {
  const container = await engine.call('create a helper container', (docker) => docker.createContainer({
    ...settings, OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: false,
  }));
  try {
    await beforeStart(container);
    const socket = await engine.call('attach to a helper container', (docker) => attach(docker, container.id));
    const stdout = new PassThrough();
    let stderr = Buffer.alloc(0);
    socket.on('error', () => undefined); // The end of the stream says the same, and `ended` tells it.
    const ended = demultiplex(socket, {
      stdout: (chunk) => { stdout.write(chunk); },
      stderr: (chunk) => { stderr = Buffer.concat([stderr, chunk]).subarray(-STDERR_TAIL_BYTES); },
    }).catch(() => undefined).then(() => {
      stdout.end();
      return { stderr: stderr.toString('utf8') };
    });
    await engine.call('start a helper container', () => container.start());
    const close = async (): Promise<void> => {
      await removeContainer(engine, container.id);
      socket.destroy();
    };
    return { id: container.id, stdin: socket, stdout, ended, [Symbol.asyncDispose]: close };
  } catch (error) {
    await removeContainer(engine, container.id);
    throw error;
  }
}

/**
 * As dockerode's own `attach`, which sends its options as a body besides: Podman takes a body for the first bytes of the container's
 * input. An empty one makes the client send the request and nothing more.
 */
function attach(docker: Docker, id: string): Promise<Duplex> {
  const modem = docker.modem as { dial(request: object, done: (error: Error | null, stream: Duplex) => void): void };
  return new Promise((resolve, reject) => {
    modem.dial({
      path: `/containers/${id}/attach?`,
      method: 'POST',
      isStream: true,
      hijack: true,
      openStdin: true,
      statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
      options: { _query: { stream: true, stdin: true, stdout: true, stderr: true } },
      file: Buffer.alloc(0),
    }, (error, stream) => (error === null ? resolve(stream) : reject(error)));
  });
}

/** Removes a container with its anonymous volumes, whatever state it is in. One that is gone already is fine. */
export async function removeContainer(engine: Engine, id: string): Promise<void> {
  try {
    await engine.call('remove a container', (docker) => docker.getContainer(id).remove({ force: true, v: true }));
  } catch (error) {
    const status = statusCodeOf(error);
    if (status === 404) return;
    if (status !== 409) throw error; // 409: another removal is under way; wait for its end.
    await engine.call('wait for a container to go', (docker) => docker.getContainer(id).wait({ condition: 'removed' })).catch((late: unknown) => {
      if (statusCodeOf(late) !== 404) throw late;
    });
  }
}
