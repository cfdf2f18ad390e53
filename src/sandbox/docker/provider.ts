import { readFile } from 'node:fs/promises';
import { pack } from 'tar-stream';
import { Readable } from 'node:stream';
import { messageOf } from '../../lifetime/error.js';
import { Scope } from '../../lifetime/scope.js';
import { Semaphore } from '../../lifetime/semaphore.js';
import { SandboxCleanupError, SandboxInputError } from '../errors.js';
import type {
  ClosedNetwork, NetworkPlan, OpenSandboxOptions, OpenServiceOptions, OwnedSandbox, PreparedImage, ReapReport, SandboxProvider, SandboxSpec, Service,
} from '../sandbox.js';
import { GitSources } from '../prepare/git-sources.js';
import type { PrepareStep } from '../prepare/step.js';
import { handOverFolder } from './archive.js';
import { removeContainer, startAttached } from './attached.js';
import { openClosedNetwork, type DockerClosedNetwork } from './closed-network.js';
import { ContainerSandbox } from './container-sandbox.js';
import { connectEngine, type Engine } from './engine.js';
import { inspectImage, type InspectedImage } from './image-facts.js';
import { mayLimitStorage, type StorageInfo } from './disk-watch.js';
import { recordImageUse } from './image-use.js';
import { keeperFor } from './keeper.js';
import { keptNameOf, labelsOf, USER_LABEL } from './labels.js';
import { openOutside, type Outside } from './outside.js';
import { ensurePreparedImage } from './prepared-image.js';
import { reapOrphans } from './reaper.js';
import { TrafficMeter } from './resource-use.js';
import { ensureSandboxImage } from './sandbox-image.js';
import { UlimitChoice, type Ulimit } from './ulimits.js';
import { writablePlacesOf } from './writable-places.js';

const DEFAULTS = { cpus: 2, memoryBytes: 4 * 1024 ** 3, pids: 2048, diskBytes: 10 * 1024 ** 3 } as const;
/** How many images are prepared at once. */
const BUILDS_AT_ONCE = 2;
const SERVICE = { memoryBytes: 1024 ** 3, pids: 128 } as const;
const PROGRAM_PATH = 'niceeval-service.mjs';

/** A backend that closes networks. */
export type ClosingProvider = SandboxProvider & Required<Pick<SandboxProvider, 'openClosedNetwork'>>;

/** How {@link openDockerProvider} is called. */
export interface DockerProviderOptions {
  readonly runId: string;
  readonly host?: string;
  readonly helperImage?: string;
  readonly buildsAtOnce?: number;
}

/**
 * Connects to the Docker engine as the backend of one run.
 *
 * @param options.runId Names the run in the labels: letters, digits and dashes.
 * @param options.host Where it listens, as in DOCKER_HOST. Default: where the docker command would look.
 * @param options.buildsAtOnce How many images are prepared at once. Default: 2.
 * @param options.helperImage An image with `sh`, `ip` and `node`, for helpers. Default: the project's own sandbox image.
 * @throws EngineUnavailableError when no engine answers.
 */
export async function openDockerProvider(options: DockerProviderOptions): Promise<ClosingProvider> {
  return new DockerProvider(await connectEngine(options.host), options);
}

class DockerProvider implements ClosingProvider {
  readonly name = 'docker';
  readonly #engine: Engine;
  readonly #runId: string;
  /** What is open now, in the order of opening. */
  readonly #open = new Set<AsyncDisposable>();
  readonly #images = new Map<string, Promise<InspectedImage>>();
  readonly #networks = new WeakMap<ClosedNetwork, DockerClosedNetwork>();
  readonly #meters = new WeakMap<ClosedNetwork, TrafficMeter>();
  readonly #git = new GitSources();
  readonly #builds: Semaphore;
  readonly #preparing = new Set<Promise<InspectedImage>>();
  /** Aborted when this is closed: no build goes on behind its owner's back. */
  readonly #closing = new AbortController();
  readonly #lackingFolders = new Map<string, Promise<readonly string[]>>();
  #helperImage: Promise<string> | undefined;
  #outside: Promise<Outside> | undefined;
  /** Whether the engine limits what containers write. */
  #storage: Promise<boolean> | undefined;
  readonly #outsides = new Scope();
  readonly #ulimits = new UlimitChoice();

  constructor(engine: Engine, { runId, helperImage, buildsAtOnce = BUILDS_AT_ONCE }: DockerProviderOptions) {
    this.#engine = engine;
    this.#builds = new Semaphore(buildsAtOnce);
    this.#runId = runId;
    if (helperImage !== undefined) this.#helperImage = Promise.resolve(helperImage);
  }

  prepareImage(spec: SandboxSpec, onProgress: (line: string) => void = () => undefined, signal?: AbortSignal): Promise<PreparedImage> {
    return this.#image(spec, onProgress, signal);
  }

  async openSandbox(spec: SandboxSpec, options: OpenSandboxOptions): Promise<OwnedSandbox> {
    options.signal?.throwIfAborted();
    const image = await this.#image(spec);
    return this.#ulimits.take((ulimits) => this.#startSandbox(spec, { ...options, image, ulimits }), spec.resources?.nofile);
  }

  async #startSandbox(spec: SandboxSpec, { image, ulimits, ...options }: OpenSandboxOptions & { readonly image: InspectedImage; readonly ulimits: Ulimit[] }): Promise<OwnedSandbox> {
    const limits = { ...DEFAULTS, ...spec.resources };
    const places = writablePlacesOf(spec, image);
    const storage = await this.#storageOf(spec);
    const keeper = keeperFor(image, options.lifetimeMs);
    const scope = new Scope();
    // A root that cannot be written takes no keeper: what holds the closed folders lends it.
    const lent = places === undefined ? [] : [...places.closed, ...(keeper.folder === undefined ? [] : [keeper.folder])];
    const shut = lent.length === 0 ? undefined : await this.#holderOf(lent, { image, attemptId: options.attemptId, scope });
    const container = await this.#engine.call('create a sandbox', (docker) => docker.createContainer({
      Image: image.id,
      // The keeper belongs to root, out of the agent's reach, and ends the container when nobody comes back for it.
      User: '0',
      Entrypoint: [...keeper.entrypoint],
      Cmd: [],
      WorkingDir: image.workdir,
      Labels: { ...labelsOf('sandbox', this.#runId, options.attemptId), [USER_LABEL]: image.agentUser },
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
        Ulimits: ulimits,
        NanoCpus: Math.round(limits.cpus * 1e9),
        ...(storage === 'engine' ? { StorageOpt: { size: String(limits.diskBytes) } } : {}),
        ...(spec.runtime === undefined ? {} : { Runtime: spec.runtime }),
        ...places?.settings,
        ...(shut === undefined ? {} : { VolumesFrom: [`${shut}:ro`] }),
        LogConfig: { Type: 'none', Config: {} },
      },
    })).catch(async (error: unknown) => {
      await scope.close();
      if (storage !== 'engine' || !/storage-opt|pquota/.test(messageOf(error))) throw error;
      this.#storage = Promise.resolve(false);
      return undefined;
    });
    if (container === undefined) return this.#startSandbox(spec, { ...options, image, ulimits });
    const endsAt = new Date(Date.now() + options.lifetimeMs);
    let isKept = false;
    scope.defer('remove a container', async () => { if (!isKept) await removeContainer(this.#engine, container.id); });
    let pristine: Promise<string> | undefined;
    const sandbox = new ContainerSandbox(container.id, {
      engine: this.#engine,
      image,
      memoryBytes: limits.memoryBytes,
      ...(storage === 'engine' || spec.readOnlyRoot === true ? {} : { diskBytes: limits.diskBytes }),
      ...(places === undefined ? {} : { writableFolders: places.folders }),
      ...(options.network.kind === 'closed' ? { meter: this.#meterOf(options.network.network) } : {}),
      openPristine: () => (pristine ??= this.#openPristine(image, options.attemptId, scope)),
      onKeep: async () => {
        const name = keptNameOf(this.#runId, options.attemptId);
        await this.#engine.call('keep a sandbox', () => container.rename({ name }));
        isKept = true;
        return { name, until: endsAt.toISOString() };
      },
      onStop: async () => {
        const failures = await scope.close();
        this.#open.delete(sandbox);
        if (failures[0] !== undefined) throw new SandboxCleanupError(failures.map((failure) => failure.message));
      },
    });
    this.#open.add(sandbox);
    try {
      await keeper.install(this.#engine, shut ?? container.id);
      if (image.lacksWorkdir && places === undefined) await handOverFolder(this.#engine, container.id, image.workdir, image.owner);
      await this.#engine.call('start a sandbox', () => container.start());
      if (places !== undefined) await this.#handOver(sandbox, image, image.lacksWorkdir && places.folders.includes(image.workdir) ? [image.workdir, ...places.homeFolders] : places.homeFolders);
    } catch (error) {
      await sandbox.stop();
      throw error;
    }
    sandbox.beginReading();
    return sandbox;
  }

  async openClosedNetwork(): Promise<ClosedNetwork> {
    const network = await openClosedNetwork(this.#engine, { image: await this.#helper(), runId: this.#runId, ulimits: this.#ulimits, outside: () => this.#way() });
    this.#networks.set(network, network);
    this.#open.add(network);
    return network;
  }

  async openService(options: OpenServiceOptions): Promise<Service> {
    if (options.network === undefined) throw new SandboxInputError(`The service "${options.name}" needs a network: the Docker backend closes one for every sandbox.`);
    const network = this.#dockerNetwork(options.network);
    const program = await readFile(options.program);
    const image = await this.#helper();
    const container = await this.#ulimits.take((ulimits) => startAttached(this.#engine, {
      Image: image,
      User: '65534:65534',
      WorkingDir: '/',
      Entrypoint: ['node', `/${PROGRAM_PATH}`],
      Cmd: [],
      Labels: labelsOf('service', this.#runId),
      HostConfig: {
        Init: true,
        NetworkMode: network.name,
        ExtraHosts: [...this.#engine.dialect.machineHosts],
        Sysctls: { 'net.ipv4.ip_unprivileged_port_start': '0' }, // It answers names on port 53, and is not root.
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: SERVICE.pids,
        Memory: SERVICE.memoryBytes,
        Ulimits: ulimits,
        LogConfig: { Type: 'none', Config: {} },
      },
      NetworkingConfig: { EndpointsConfig: { [network.name]: { IPAMConfig: { IPv4Address: network.serviceAddress } } } },
    }, async (created) => {
      const archive = pack();
      archive.entry({ name: PROGRAM_PATH, mode: 0o444 }, program);
      archive.finalize();
      const body = Readable.from(archive as AsyncIterable<Uint8Array>, { objectMode: false });
      await this.#engine.call('copy a program into a container', () => created.putArchive(body, { path: '/' }));
    }));
    this.#open.add(container);
    await network.announce(options.hostname);
    return { ...container, hostname: options.hostname };
  }

  async letOut(service: Service): Promise<void> {
    const { networkId } = await this.#way();
    await this.#engine.call('give a service a way out', (docker) => docker.getNetwork(networkId).connect({ Container: service.id }));
  }

  reap(options: { readonly dryRun?: boolean; readonly keptToo?: boolean } = {}): Promise<ReapReport> {
    return reapOrphans(this.#engine, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new SandboxInputError('The Docker backend of this run was closed.'));
    await Promise.allSettled(this.#preparing);
    const scope = new Scope();
    scope.use('remove what was fetched of repositories', this.#git);
    for (const thing of this.#open) scope.use('close what the backend opened', thing);
    this.#open.clear();
    // Networks and services that are connected to the way out go first.
    const failures = [...await scope.close(), ...await this.#outsides.close()];
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

  /**
   * A container that never runs and holds folders of the image as volumes: an engine (20.10) makes none without a name that cannot be
   * written, but lends those of another container as such.
   */
  async #holderOf(folders: readonly string[], { image, attemptId, scope }: { readonly image: InspectedImage; readonly attemptId: string; readonly scope: Scope }): Promise<string> {
    const holder = await this.#engine.call('create a sandbox', (docker) => docker.createContainer({
      Image: image.id, Entrypoint: ['true'], Cmd: [], Labels: labelsOf('probe', this.#runId, attemptId), Volumes: Object.fromEntries(folders.map((path) => [path, {}])),
    }));
    scope.defer('remove a container', () => removeContainer(this.#engine, holder.id));
    return holder.id;
  }

  /** A volume for a folder that the image lacks belongs to root; the agent must be able to write there all the same. */
  async #handOver(sandbox: ContainerSandbox, image: InspectedImage, folders: readonly string[]): Promise<void> {
    if (folders.length === 0 || image.agentIsRoot) return;
    const key = JSON.stringify([image.id, folders]);
    const lacking = this.#lackingFolders.get(key)
      ?? Promise.all(folders.map(async (folder) => ((await sandbox.runCommand('test', ['-w', folder], { cwd: '/' })).exitCode === 0 ? [] : [folder]))).then((found) => found.flat());
    this.#lackingFolders.set(key, lacking);
    const wanted = await lacking;
    if (wanted.length > 0) await sandbox.runCommandOrThrow('chmod', ['0777', ...wanted], { user: 'root', cwd: '/' });
  }

  /** Who sees to the limit of what a sandbox writes: the engine knows nothing of volumes. */
  async #storageOf(spec: SandboxSpec): Promise<'engine' | 'watch'> {
    if (spec.readOnlyRoot === true || spec.writes !== undefined) return 'watch';
    this.#storage ??= this.#engine.call('look at the engine', (docker) => docker.info() as Promise<StorageInfo>).then(mayLimitStorage);
    return await this.#storage ? 'engine' : 'watch';
  }

  /** The way out of the run, made when it is first needed. */
  #way(): Promise<Outside> {
    if (this.#outside === undefined) {
      const outside = this.#helper().then((image) => openOutside(this.#engine, image, this.#runId));
      outside.then((opened) => this.#outsides.use('remove the way out', opened), () => { this.#outside = undefined; });
      this.#outside = outside;
    }
    return this.#outside;
  }

  #networkMode(plan: NetworkPlan): string {
    switch (plan.kind) {
      case 'host': throw new SandboxInputError('The Docker backend opens no sandbox in the network of the host. Take the plan `none` or a closed network.');
      case 'none': return 'none';
      case 'closed': return this.#dockerNetwork(plan.network).networkMode;
    }
  }

  #dockerNetwork(network: ClosedNetwork): DockerClosedNetwork {
    const known = this.#networks.get(network);
    if (known === undefined) throw new SandboxInputError('This network was not opened by the Docker backend of this run.');
    return known;
  }

  #meterOf(network: ClosedNetwork): TrafficMeter {
    const meter = this.#meters.get(network) ?? new TrafficMeter(() => this.#dockerNetwork(network).passedBefore());
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
