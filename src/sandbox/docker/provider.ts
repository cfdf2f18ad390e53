import { readFile } from 'node:fs/promises';
import { pack } from 'tar-stream';
import { Readable } from 'node:stream';
import { messageOf } from '../../lifetime/error.js';
import { Scope } from '../../lifetime/scope.js';
import { Semaphore } from '../../lifetime/semaphore.js';
import { SandboxCleanupError, SandboxInputError } from '../errors.js';
import type {
  ClosedNetwork, NetworkPlan, OpenSandboxOptions, OwnedSandbox, PreparedImage, ReapReport, SandboxProvider, SandboxSpec, Service,
} from '../sandbox.js';
import { GitSources } from '../prepare/git-sources.js';
import type { PrepareStep } from '../prepare/step.js';
import { handOverFolder } from './archive.js';
import { removeContainer, startAttached } from './attached.js';
import { openClosedNetwork, type DockerClosedNetwork } from './closed-network.js';
import { ContainerSandbox } from './container-sandbox.js';
import { connectEngine, statusCodeOf, type Engine } from './engine.js';
import { inspectImage, type InspectedImage } from './image-facts.js';
import { recordImageUse } from './image-use.js';
import { keeperFor } from './keeper.js';
import { labelsOf } from './labels.js';
import { ensurePreparedImage } from './prepared-image.js';
import { reapOrphans } from './reaper.js';
import { TrafficMeter } from './resource-use.js';
import { ensureSandboxImage } from './sandbox-image.js';

const DEFAULTS = { cpus: 2, memoryBytes: 4 * 1024 ** 3, pids: 2048, nofile: 16_384 } as const;
/** How many images are prepared at once. */
const BUILDS_AT_ONCE = 2;
const SERVICE = { memoryBytes: 512 * 1024 ** 2, pids: 128 } as const;
const PROGRAM_PATH = 'niceeval-service.mjs';

/**
 * Connects to the Docker engine as the backend of one run.
 *
 * @param options.runId Names the run in the labels: letters, digits and dashes.
 * @throws EngineUnavailableError when no engine answers.
 */
export async function openDockerProvider(options: { readonly runId: string }): Promise<SandboxProvider> {
  return new DockerProvider(await connectEngine(), options.runId);
}

class DockerProvider implements SandboxProvider {
  readonly name = 'docker';
  readonly #engine: Engine;
  readonly #runId: string;
  /** What is open now, in the order of opening. */
  readonly #open = new Set<AsyncDisposable>();
  readonly #images = new Map<string, Promise<InspectedImage>>();
  readonly #networks = new WeakMap<ClosedNetwork, DockerClosedNetwork>();
  readonly #meters = new WeakMap<ClosedNetwork, TrafficMeter>();
  readonly #git = new GitSources();
  readonly #builds = new Semaphore(BUILDS_AT_ONCE);
  readonly #preparing = new Set<Promise<InspectedImage>>();
  /** Aborted when this is closed: no build goes on behind its owner's back. */
  readonly #closing = new AbortController();
  #helperImage: Promise<string> | undefined;
  /** The engine's own limit of open files is lower than the default and cannot be raised; then its own is the sandbox's. */
  #hasFewFiles = false;

  constructor(engine: Engine, runId: string) {
    this.#engine = engine;
    this.#runId = runId;
  }

  prepareImage(spec: SandboxSpec, onProgress: (line: string) => void = () => undefined, signal?: AbortSignal): Promise<PreparedImage> {
    return this.#image(spec, onProgress, signal);
  }

  async openSandbox(spec: SandboxSpec, options: OpenSandboxOptions): Promise<OwnedSandbox> {
    options.signal?.throwIfAborted();
    const image = await this.#image(spec);
    const limits = { ...DEFAULTS, ...spec.resources };
    const nofile = spec.resources?.nofile ?? (this.#hasFewFiles ? undefined : limits.nofile);
    const keeper = keeperFor(image, options.lifetimeMs);
    const container = await this.#engine.call('create a sandbox', (docker) => docker.createContainer({
      Image: image.id,
      // The keeper belongs to root, out of the agent's reach, and ends the container when nobody comes back for it.
      User: '0',
      Entrypoint: [...keeper.entrypoint],
      Cmd: [],
      WorkingDir: image.workdir,
      Labels: labelsOf('sandbox', this.#runId, options.attemptId),
      Healthcheck: { Test: ['NONE'] },
      HostConfig: {
        Init: true,
        NetworkMode: this.#networkMode(options.network),
        IpcMode: 'private',
        CapDrop: ['ALL'],
        // Root in here only walks the tree for the harness; it must read what the agent closed to others. The agent
        // itself has no capability and cannot gain one. An agent that is root gets none either.
        CapAdd: image.agentIsRoot ? [] : ['DAC_READ_SEARCH'],
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: limits.pids,
        Memory: limits.memoryBytes,
        MemorySwap: limits.memoryBytes,
        ...(nofile === undefined ? {} : { Ulimits: [{ Name: 'nofile', Soft: nofile, Hard: nofile }] }),
        NanoCpus: Math.round(limits.cpus * 1e9),
        LogConfig: { Type: 'none', Config: {} },
      },
    }));
    const scope = new Scope();
    scope.defer('remove a container', () => removeContainer(this.#engine, container.id));
    let pristine: Promise<string> | undefined;
    const sandbox = new ContainerSandbox(container.id, {
      engine: this.#engine,
      image,
      memoryBytes: limits.memoryBytes,
      ...(options.network.kind === 'none' ? {} : { meter: this.#meterOf(options.network.network) }),
      openPristine: () => (pristine ??= this.#openPristine(image, options.attemptId, scope)),
      onStop: async () => {
        const failures = await scope.close();
        this.#open.delete(sandbox);
        if (failures[0] !== undefined) throw new SandboxCleanupError(failures.map((failure) => failure.message));
      },
    });
    this.#open.add(sandbox);
    try {
      await keeper.install(this.#engine, container.id);
      if (image.lacksWorkdir) await handOverFolder(this.#engine, container.id, image.workdir, image.owner);
      await this.#engine.call('start a sandbox', () => container.start());
    } catch (error) {
      await sandbox.stop();
      if (this.#hasFewFiles || nofile === undefined || spec.resources?.nofile !== undefined || !isRefusedLimit(error)) throw error;
      this.#hasFewFiles = true;
      return this.openSandbox(spec, options);
    }
    sandbox.beginReading();
    return sandbox;
  }

  async openClosedNetwork(): Promise<ClosedNetwork> {
    const network = await openClosedNetwork(this.#engine, await this.#helper(), this.#runId);
    this.#networks.set(network, network);
    this.#open.add(network);
    return network;
  }

  async openService(options: { readonly program: string; readonly name: string; readonly network: ClosedNetwork; readonly hostname: string }): Promise<Service> {
    const network = this.#dockerNetwork(options.network);
    const program = await readFile(options.program);
    const service = await startAttached(this.#engine, {
      Image: await this.#helper(),
      User: '65534:65534',
      WorkingDir: '/',
      Entrypoint: ['node', `/${PROGRAM_PATH}`],
      Cmd: [],
      Labels: labelsOf('service', this.#runId),
      HostConfig: {
        Init: true,
        NetworkMode: network.name,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: SERVICE.pids,
        Memory: SERVICE.memoryBytes,
        LogConfig: { Type: 'none', Config: {} },
      },
      NetworkingConfig: { EndpointsConfig: { [network.name]: { IPAMConfig: { IPv4Address: network.serviceAddress } } } },
    }, async (container) => {
      const archive = pack();
      archive.entry({ name: PROGRAM_PATH, mode: 0o444 }, program);
      archive.finalize();
      const body = Readable.from(archive as AsyncIterable<Uint8Array>, { objectMode: false });
      await this.#engine.call('copy a program into a container', () => container.putArchive(body, { path: '/' }));
    });
    this.#open.add(service);
    await network.announce(options.hostname);
    return service;
  }

  reap(options: { readonly dryRun?: boolean } = {}): Promise<ReapReport> {
    return reapOrphans(this.#engine, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new SandboxInputError('The Docker backend of this run was closed.'));
    await Promise.allSettled(this.#preparing);
    const scope = new Scope();
    scope.use('remove what was fetched of repositories', this.#git);
    for (const thing of this.#open) scope.use('close what the backend opened', thing);
    this.#open.clear();
    const failures = await scope.close();
    if (failures[0] !== undefined) throw new SandboxCleanupError(failures.map((failure) => failure.message));
  }

  #image(spec: SandboxSpec, onProgress: (line: string) => void = () => undefined, signal?: AbortSignal): Promise<InspectedImage> {
    const key = JSON.stringify([spec.image, spec.user, spec.workdir, spec.steps ?? []]);
    let image = this.#images.get(key);
    if (image === undefined) {
      image = this.#makeImage(spec, onProgress, signal);
      this.#images.set(key, image);
    }
    return image;
  }

  async #makeImage(spec: SandboxSpec, onProgress: (line: string) => void, signal?: AbortSignal): Promise<InspectedImage> {
    const { steps = [], ...plain } = spec;
    if (steps.length === 0) {
      const reference = spec.image ?? await this.#helper(onProgress);
      const image = await inspectImage(this.#engine, reference, spec, this.#runId);
      await recordImageUse(image.id);
      return image;
    }
    const below = await this.#image(plain, onProgress, signal);
    const prepared = this.#prepare(spec, { below, steps, onProgress, signal: signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]) });
    this.#preparing.add(prepared);
    return prepared.finally(() => { this.#preparing.delete(prepared); });
  }

  async #prepare(
    spec: SandboxSpec,
    { below, steps, onProgress, signal }: { readonly below: InspectedImage; readonly steps: readonly PrepareStep[]; readonly onProgress: (line: string) => void; readonly signal: AbortSignal },
  ): Promise<InspectedImage> {
    const leave = await this.#builds.acquire(signal);
    try {
      const { reference, sources, notices } = await ensurePreparedImage(this.#engine, below, steps, {
        runId: this.#runId, git: this.#git, limits: { ...DEFAULTS, ...spec.resources }, onProgress, signal,
      });
      const image = await inspectImage(this.#engine, reference, spec, this.#runId);
      await recordImageUse(image.id);
      return { ...image, ...(sources.length === 0 ? {} : { sources }), ...(notices.length === 0 ? {} : { notices }) };
    } finally {
      leave();
    }
  }

  /** The project's own image; helpers run from it whatever image the sandboxes have. */
  #helper(onProgress: (line: string) => void = () => undefined): Promise<string> {
    this.#helperImage ??= ensureSandboxImage(this.#engine, onProgress);
    return this.#helperImage;
  }

  #networkMode(plan: NetworkPlan): string {
    return plan.kind === 'none' ? 'none' : this.#dockerNetwork(plan.network).networkMode;
  }

  #dockerNetwork(network: ClosedNetwork): DockerClosedNetwork {
    const known = this.#networks.get(network);
    if (known === undefined) throw new SandboxInputError('This network was not opened by the Docker backend of this run.');
    return known;
  }

  #meterOf(network: ClosedNetwork): TrafficMeter {
    const meter = this.#meters.get(network) ?? new TrafficMeter();
    this.#meters.set(network, meter);
    return meter;
  }

  async #openPristine(image: InspectedImage, attemptId: string, scope: Scope): Promise<string> {
    const container = await this.#engine.call('look into an image', (docker) => docker.createContainer({
      Image: image.id, Cmd: ['true'], Entrypoint: [], Labels: labelsOf('probe', this.#runId, attemptId),
    }));
    scope.defer('remove a container', () => removeContainer(this.#engine, container.id));
    return container.id;
  }
}

/** An engine without CAP_SYS_RESOURCE, as one in a container, cannot raise its own limits. It has only words for that. */
function isRefusedLimit(error: unknown): boolean {
  return statusCodeOf(error) !== undefined && /setting rlimit/.test(messageOf(error));
}
