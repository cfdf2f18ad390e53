import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { SandboxCommandExitError, SandboxGoneError, SandboxInputError, SandboxPathError } from '../errors.js';
import { isKilled } from '../exit-facts.js';
import { extractBelow } from '../extract.js';
import { keepOutput } from '../kept-output.js';
import type {
  AgentProcess, CommandOptions, CommandResult, ExecOptions, OwnedSandbox, ResourceUse, SparedProcesses, UploadDirectoryOptions, UploadReport,
} from '../sandbox.js';
import { createIgnoreRules } from '../prepare/ignore-rules.js';
import { treeOfFolder, type Tree } from '../prepare/tree.js';
import { shellArgv } from '../shell-argv.js';
import { environmentOf } from './environment.js';
import { execHere, type LocalExit } from './exec.js';
import { isThere, layHere, readHere, writeHere, type WriteTarget } from './files.js';
import type { LocalPlace } from './place.js';
import { endMarked, markedProcesses } from './processes.js';
import { emptyFolderTar, tarOf } from './tar.js';

/** The user of all local sandboxes: the one who runs the harness. */
export interface LocalUser { readonly name: string; readonly isRoot: boolean; }

/** What a local sandbox is opened with. */
export interface LocalSandboxOptions {
  readonly user: LocalUser;
  /** After this many milliseconds it stops by itself. Nothing stays alive for it. */
  readonly lifetimeMs: number;
  /** Called when it has been removed. */
  readonly onStop: () => void;
}

/** A temporary folder of this machine as a sandbox. It isolates nothing. */
export class LocalSandbox implements OwnedSandbox {
  readonly id: string;
  readonly workdir: string;
  readonly home: string;
  readonly temporaryFolder: string;
  readonly agentUser: string;
  readonly agentIsRoot: boolean;
  /** The agent's user is the harness's: files are read by the harness itself, which starts no program that the agent may have put there. */
  readonly rootIsTrusted = false;
  readonly #place: LocalPlace;
  readonly #onStop: () => void;
  readonly #lifetime: NodeJS.Timeout;
  #stopping: Promise<void> | undefined;

  private constructor(place: LocalPlace, options: LocalSandboxOptions) {
    this.id = place.marker;
    this.workdir = join(place.folder, 'workspace');
    this.home = join(place.folder, 'home');
    this.temporaryFolder = join(place.folder, 'tmp');
    this.agentUser = options.user.name;
    this.agentIsRoot = options.user.isRoot;
    this.#place = place;
    this.#onStop = options.onStop;
    // Whoever closes it in the end is told what went wrong.
    this.#lifetime = setTimeout(() => { this.stop().catch(() => undefined); }, options.lifetimeMs).unref();
  }

  static async open(place: LocalPlace, options: LocalSandboxOptions): Promise<LocalSandbox> {
    const sandbox = new LocalSandbox(place, options);
    for (const folder of [sandbox.workdir, sandbox.home, sandbox.temporaryFolder]) await mkdir(folder);
    return sandbox;
  }

  async runCommand(command: string, args: readonly string[] = [], options: CommandOptions = {}): Promise<CommandResult> {
    return this.#capture([command, ...args], options);
  }

  async runShell(script: string, options: CommandOptions = {}): Promise<CommandResult> {
    return this.#capture(shellArgv(script), options, [script]);
  }

  async runCommandOrThrow(command: string, args: readonly string[] = [], options: CommandOptions = {}): Promise<CommandResult> {
    return orThrow([command, ...args], await this.runCommand(command, args, options));
  }

  async runShellOrThrow(script: string, options: CommandOptions = {}): Promise<CommandResult> {
    return orThrow([script], await this.runShell(script, options));
  }

  async exec(argv: readonly string[], options: ExecOptions = {}, shown = argv): Promise<LocalExit> {
    if (argv.length === 0 || argv[0] === '') throw new SandboxInputError('A command needs a program: the first word is empty.');
    if (options.user !== undefined && options.user !== this.agentUser) {
      throw new SandboxInputError(`"${shown.join(' ')}" cannot run as "${options.user}": a local sandbox has one user, "${this.agentUser}".`);
    }
    await this.#mustLive();
    const exit = await execHere({
      folder: this.#place.folder,
      env: { ...environmentOf(this.#place.marker, { home: this.home, temporary: this.temporaryFolder }), ...options.env },
      started: (group) => { this.#place.groups.add(group); },
      endProcesses: () => this.endAgentProcesses(),
    }, argv, { ...options, cwd: options.cwd === undefined ? this.workdir : this.#absolute(options.cwd), shown });
    await this.#mustLive();
    if (exit.failure !== undefined) await options.onStderr?.(Buffer.from(exit.failure.message));
    return exit;
  }

  async #capture(argv: readonly string[], options: CommandOptions, shown = argv): Promise<CommandResult> {
    const startedAt = performance.now();
    await using out = keepOutput(shown, options, options.onStdout);
    await using err = keepOutput(shown, options, options.onStderr);
    const exit = await this.exec(argv, { ...options, onStdout: out.take, onStderr: err.take }, shown);
    const ending = exit.failure?.ending ?? (isKilled(exit) ? 'killed' as const : undefined);
    return {
      exitCode: exit.exitCode,
      ...(ending === undefined ? {} : { ending }),
      stdout: await out.end(),
      stderr: await err.end(),
      durationMs: Math.round(performance.now() - startedAt),
    };
  }

  async readBytes(path: string): Promise<Uint8Array> {
    await this.#mustLive();
    return readHere(this.#absolute(path));
  }

  async readText(path: string): Promise<string> {
    return Buffer.from(await this.readBytes(path)).toString('utf8');
  }

  async writeBytes(path: string, bytes: Uint8Array): Promise<void> {
    await this.#mustLive();
    await writeHere(this.#writeTo(path), { bytes, mode: 0o644 });
  }

  writeText(path: string, text: string): Promise<void> {
    return this.writeBytes(path, Buffer.from(text));
  }

  async pathExists(path: string): Promise<boolean> {
    await this.#mustLive();
    return isThere(this.#absolute(path));
  }

  async uploadFile(hostPath: string, path: string): Promise<void> {
    await this.#mustLive();
    const facts = await stat(hostPath).catch((error: unknown) => {
      throw new SandboxInputError(`The file "${hostPath}" cannot be uploaded: it cannot be read.`, { cause: error });
    });
    await writeHere(this.#writeTo(path), { bytes: await readFile(hostPath), mode: facts.mode & 0o7777 });
  }

  async uploadDirectory(hostPath: string, path = '.', options: UploadDirectoryOptions = {}): Promise<UploadReport> {
    const rules = createIgnoreRules(options.ignore ?? []);
    await this.lay(treeOfFolder(resolve(hostPath), rules), path);
    return { unmatchedIgnore: rules.unmatched() };
  }

  /** Lays a tree of files below a path. @throws SandboxPathError outside of the sandbox's folder, or through a link. */
  async lay(tree: Tree, path: string): Promise<void> {
    await this.#mustLive();
    await layHere(tree, this.#writeTo(path));
  }

  async downloadFile(path: string, hostPath: string): Promise<void> {
    const bytes = await this.readBytes(path);
    await mkdir(dirname(resolve(hostPath)), { recursive: true });
    await writeFile(hostPath, bytes);
  }

  async downloadDirectory(path: string, hostPath: string): Promise<void> {
    await extractBelow(await this.archive(path), resolve(hostPath));
  }

  async archive(path: string, options: { readonly from?: 'sandbox' | 'image' } = {}): Promise<Readable> {
    await this.#mustLive();
    const absolute = this.#absolute(path);
    if (options.from !== 'image') return tarOf(absolute);
    if (![this.workdir, this.home, this.temporaryFolder].includes(absolute)) throw new SandboxPathError(absolute, 'there is no such path');
    return emptyFolderTar(basename(absolute));
  }

  async agentProcesses(): Promise<readonly AgentProcess[]> {
    await this.#mustLive();
    return markedProcesses(this.#place.marker, this.#place.groups);
  }

  async endAgentProcesses(spared?: SparedProcesses): Promise<void> {
    await endMarked(this.#place.marker, this.#place.groups, spared);
  }

  async spareAgentProcesses(): Promise<SparedProcesses> {
    const pids = new Set((await this.agentProcesses()).map(({ pid }) => pid));
    return { pids, innerPids: [...pids] };
  }

  /** Nothing of this machine counts for a folder. */
  resources(): Promise<ResourceUse | undefined> {
    return Promise.resolve(undefined);
  }

  async isRunning(): Promise<boolean> {
    return this.#stopping === undefined && (await stat(this.#place.folder).catch(() => undefined))?.isDirectory() === true;
  }

  stop(): Promise<void> {
    clearTimeout(this.#lifetime);
    this.#stopping ??= this.#place.close().finally(this.#onStop);
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #mustLive(): Promise<void> {
    if (await this.isRunning()) return;
    throw new SandboxGoneError(this.id, this.#stopping === undefined ? `its folder ${this.#place.folder} was removed` : 'it was stopped');
  }

  #writeTo(path: string): WriteTarget {
    return { path: this.#absolute(path), folder: this.#place.folder };
  }

  #absolute(path: string): string {
    if (path.includes('\0')) throw new SandboxInputError(`The path ${JSON.stringify(path)} holds a NUL byte.`);
    return resolve(this.workdir, path);
  }
}

function orThrow(argv: readonly string[], result: CommandResult): CommandResult {
  if (result.exitCode !== 0) throw new SandboxCommandExitError(argv, result);
  return result;
}
