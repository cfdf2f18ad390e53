import { posix } from 'node:path';
import type { Tree } from '../prepare/tree.js';
import { handOverFolder, pathFacts, uploadTree, type UploadTarget } from './archive.js';
import { removeContainer } from './attached.js';
import { endProcesses } from './processes.js';
import { startFailureOf } from './ending.js';
import type { Engine } from './engine.js';
import { execInContainer, type ExecTarget } from './exec.js';
import type { InspectedImage } from './image-facts.js';
import { keeperFor } from './keeper.js';
import { labelsOf } from './labels.js';

/** Limits of a container in which an image is prepared. */
export interface BuildLimits { readonly cpus: number; readonly memoryBytes: number; readonly pids: number; }

/** How a command in it ended. */
export interface BuildExit { readonly exitCode: number; readonly output: string; }

const LIFETIME_MS = 24 * 60 * 60_000;
const KEPT_CHARACTERS = 4_000;

/** A container with an open network in which the steps of a prepared image are carried out. Closing it removes it. */
export class BuildContainer implements AsyncDisposable {
  private constructor(readonly engine: Engine, readonly id: string, readonly image: InspectedImage) {}

  /** Starts one on an image; the working directory is there, and the agent's. */
  static async open(engine: Engine, image: InspectedImage, options: { readonly runId: string; readonly limits: BuildLimits }): Promise<BuildContainer> {
    const { limits } = options;
    const keeper = keeperFor(image, LIFETIME_MS);
    // Whatever is set here beside the entry point would end up in the image, so user, environment and folder are the image's own.
    const created = await engine.call('create a container to prepare an image in', (docker) => docker.createContainer({
      Image: image.id,
      Entrypoint: [...keeper.entrypoint],
      Cmd: [],
      Labels: labelsOf('build', options.runId),
      HostConfig: {
        Init: true, NetworkMode: 'bridge', PidsLimit: limits.pids, Memory: limits.memoryBytes, MemorySwap: limits.memoryBytes,
        NanoCpus: Math.round(limits.cpus * 1e9), LogConfig: { Type: 'none', Config: {} },
      },
    }));
    const container = new BuildContainer(engine, created.id, image);
    try {
      await keeper.install(engine, created.id);
      if (image.lacksWorkdir) await handOverFolder(engine, created.id, image.workdir, image.owner);
      await engine.call('start a container', (docker) => docker.getContainer(created.id).start());
      return container;
    } catch (error) {
      await container[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** @param target Relative to the working directory, or absolute. */
  async lay(tree: Tree, target: string): Promise<void> {
    const { image } = this;
    const upload: UploadTarget = { path: posix.resolve(image.workdir, target), owner: image.owner, agentFolders: [image.workdir, image.home].filter((folder) => folder !== '/') };
    await uploadTree(this.engine, this.id, tree, upload);
  }

  /** Gives the working directory itself to the agent, who is to work in it. The root of all files stays root's. */
  async handOverWorkdir(): Promise<void> {
    const { image } = this;
    if (image.workdir === '/') return;
    const facts = await pathFacts(this.engine, this.id, image.workdir);
    // One that is a link stays as it is: giving it away would put a folder in its place.
    if (facts?.isDirectory === true) await handOverFolder(this.engine, this.id, image.workdir, image.owner, facts.mode);
  }

  /** Runs a program in the working directory. A non-zero exit code is a result. */
  async run(argv: readonly string[], options: {
    readonly user?: string; readonly env: Readonly<Record<string, string>>; readonly timeoutMs: number; readonly signal: AbortSignal; readonly shown: string;
  }): Promise<BuildExit> {
    let output = '';
    const take = (chunk: Uint8Array): void => { output = (output + Buffer.from(chunk).toString('utf8')).slice(-KEPT_CHARACTERS); };
    const { exitCode, started } = await execInContainer(this.#target(), argv, {
      user: options.user === undefined ? this.image.agentUser : numbered(options.user), cwd: this.image.workdir, env: options.env, timeoutMs: options.timeoutMs,
      signal: options.signal, shown: [options.shown], onStdout: take, onStderr: take,
    });
    if (started) return { exitCode, output };
    const failure = startFailureOf(argv[0] ?? '', output);
    return { exitCode: failure.exitCode, output: failure.stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeContainer(this.engine, this.id);
  }

  #target(): ExecTarget {
    return { engine: this.engine, containerId: this.id, endProcesses: (user) => endProcesses(this.#target(), { name: user }), mayHoldOutput: () => Promise.resolve(true) };
  }
}

/** The engine looks names up in /etc/passwd, which an image need not have; root is 0 everywhere. */
function numbered(user: string): string {
  return user === 'root' ? '0' : user;
}
