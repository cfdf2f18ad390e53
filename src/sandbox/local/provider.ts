import { userInfo } from 'node:os';
import { Scope } from '../../lifetime/scope.js';
import { SandboxCleanupError, SandboxInputError } from '../errors.js';
import type { OpenSandboxOptions, OpenServiceOptions, OwnedSandbox, PreparedImage, ReapReport, SandboxProvider, SandboxSpec, Service } from '../sandbox.js';
import { GitSources } from '../prepare/git-sources.js';
import { LocalSandbox, type LocalUser } from './local-sandbox.js';
import { openPlace } from './place.js';
import { carryOutHere, lookAtSteps } from './prepare.js';
import { reapFolders } from './reaper.js';
import { startService } from './service.js';
import { localFit } from './spec-fit.js';

/**
 * Opens the backend that runs everything on this machine, as the present user. For agents that are trusted, and for writing evals
 * without an engine.
 *
 * @param options.runId Names the run in the folders: letters, digits and dashes.
 */
export function openLocalProvider(options: { readonly runId: string }): Promise<SandboxProvider> {
  return Promise.resolve(new LocalProvider(options.runId));
}

class LocalProvider implements SandboxProvider {
  readonly name = 'local';
  readonly caveat: string;
  readonly #runId: string;
  readonly #user: LocalUser;
  /** What is open now, in the order of opening. */
  readonly #open = new Set<AsyncDisposable>();
  readonly #images = new Map<string, Promise<PreparedImage>>();
  readonly #git = new GitSources();
  readonly #closing = new AbortController();

  constructor(runId: string) {
    this.#runId = runId;
    this.#user = { name: userInfo().username, isRoot: process.getuid?.() === 0 };
    this.caveat = `--sandbox local isolates nothing: agents run on this machine as ${this.#user.name}, and can read, change and send whatever that user can. Use it with agents you trust.`;
  }

  /** There is no image: steps are carried out in every sandbox. What they bring is looked at here, once for each spec. */
  prepareImage(spec: SandboxSpec, _onProgress?: (line: string) => void, signal?: AbortSignal): Promise<PreparedImage> {
    const key = JSON.stringify(spec.steps ?? []);
    const image = this.#images.get(key) ?? this.#look(spec, signal);
    this.#images.set(key, image);
    return image;
  }

  async #look(spec: SandboxSpec, signal?: AbortSignal): Promise<PreparedImage> {
    const { sources, notices } = await lookAtSteps(spec.steps ?? [], { git: this.#git, signal: signal ?? this.#closing.signal });
    return {
      id: 'local', reference: 'local', agentUser: this.#user.name, agentIsRoot: this.#user.isRoot,
      ...(sources.length === 0 ? {} : { sources }), ...(notices.length === 0 ? {} : { notices }),
    };
  }

  async openSandbox(spec: SandboxSpec, options: OpenSandboxOptions): Promise<OwnedSandbox> {
    options.signal?.throwIfAborted();
    const { refused } = localFit(spec);
    if (refused.length > 0) throw new SandboxInputError(`A local sandbox cannot have the ${refused.join(' and the ')}.`);
    if (options.network.kind !== 'host') throw new SandboxInputError(`A local sandbox cannot have the network plan "${options.network.kind}": it shares the network of this machine. Take the plan "host".`);
    const place = await openPlace(this.#runId);
    const sandbox = await LocalSandbox.open(place, { user: this.#user, lifetimeMs: options.lifetimeMs, onStop: () => { this.#open.delete(sandbox); } });
    this.#open.add(sandbox);
    try {
      await carryOutHere(sandbox, spec.steps ?? [], { git: this.#git, signal: options.signal ?? this.#closing.signal });
      return sandbox;
    } catch (error) {
      await sandbox.stop();
      throw error;
    }
  }

  async openService(options: OpenServiceOptions): Promise<Service> {
    if (options.network !== undefined) throw new SandboxInputError(`The service "${options.name}" cannot be in a closed network: a local one listens on the loopback address of this machine.`);
    const service = startService(await openPlace(this.#runId), options.program);
    this.#open.add(service);
    return service;
  }

  reap(options: { readonly dryRun?: boolean } = {}): Promise<ReapReport> {
    return reapFolders(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new SandboxInputError('The local backend of this run was closed.'));
    const scope = new Scope();
    scope.use('remove what was fetched of repositories', this.#git);
    for (const thing of this.#open) scope.use('close what the backend opened', thing);
    this.#open.clear();
    const failures = await scope.close();
    if (failures[0] !== undefined) throw new SandboxCleanupError(failures.map((failure) => failure.message));
  }
}
