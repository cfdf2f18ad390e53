import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, posix, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { SandboxCommandExitError, SandboxInputError } from '../errors.js';
import { createRedactor } from '../redactor.js';
import type {
  AgentProcess, CommandOptions, CommandResult, ExecOptions, OwnedSandbox, PreparedImage, SparedProcesses, UploadDirectoryOptions,
} from '../sandbox.js';
import {
  openArchive, pathFacts, readFileFromContainer, uploadDirectoryToContainer, writeFileToContainer, type FileOwner,
} from './archive.js';
import { statusCodeOf, type Engine } from './engine.js';
import { execInContainer, type ExecTarget } from './exec.js';
import { extractBelow } from './extract.js';
import { endProcesses, innerPidsOf, listProcesses } from './processes.js';

/** One running container as a sandbox. */
export class ContainerSandbox implements OwnedSandbox {
  readonly workdir: string;
  readonly agentUser: string;
  readonly agentIsRoot: boolean;
  readonly home: string;
  readonly #engine: Engine;
  readonly #image: PreparedImage & { readonly owner: FileOwner };
  readonly #openPristine: () => Promise<string>;
  readonly #onStop: () => Promise<void>;
  #stopping: Promise<void> | undefined;

  /**
   * @param options.openPristine Makes, once, a container of the same image that is never started, and gives its id.
   * @param options.onStop Removes the container and what belongs to it.
   */
  constructor(readonly id: string, options: {
    readonly engine: Engine;
    readonly image: PreparedImage & { readonly owner: FileOwner };
    readonly openPristine: () => Promise<string>;
    readonly onStop: () => Promise<void>;
  }) {
    this.workdir = options.image.workdir;
    this.agentUser = options.image.agentUser;
    this.agentIsRoot = options.image.agentIsRoot;
    this.home = options.image.home;
    this.#engine = options.engine;
    this.#image = options.image;
    this.#openPristine = options.openPristine;
    this.#onStop = options.onStop;
  }

  async runCommand(command: string, args: readonly string[] = [], options: CommandOptions = {}): Promise<CommandResult> {
    return this.#capture([command, ...args], options);
  }

  async runShell(script: string, options: CommandOptions = {}): Promise<CommandResult> {
    // `exec` so that the script's own exit code and signals are the command's; sh only finds out which shell there is.
    const choose = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi';
    return this.#capture(['sh', '-c', choose, 'sh', script], options, [script]);
  }

  async runCommandOrThrow(command: string, args: readonly string[] = [], options: CommandOptions = {}): Promise<CommandResult> {
    return orThrow([command, ...args], await this.runCommand(command, args, options));
  }

  async runShellOrThrow(script: string, options: CommandOptions = {}): Promise<CommandResult> {
    return orThrow([script], await this.runShell(script, options));
  }

  exec(argv: readonly string[], options: ExecOptions = {}, shown = argv): Promise<{ readonly exitCode: number }> {
    if (argv.length === 0 || argv[0] === '') throw new SandboxInputError('A command needs a program: the first word is empty.');
    const cwd = options.cwd === undefined ? this.workdir : this.#absolute(options.cwd);
    return execInContainer(this.#target(), argv, { ...options, cwd, user: options.user ?? this.agentUser, shown });
  }

  async #capture(argv: readonly string[], options: CommandOptions, shown = argv): Promise<CommandResult> {
    const startedAt = performance.now();
    const out = collector(options, options.onStdout);
    const err = collector(options, options.onStderr);
    const { exitCode } = await this.exec(argv, { ...options, onStdout: out.take, onStderr: err.take }, shown);
    return { ...described(argv[0] ?? '', exitCode, await out.text(), await err.text()), durationMs: Math.round(performance.now() - startedAt) };
  }

  async readBytes(path: string): Promise<Uint8Array> {
    return readFileFromContainer(this.#engine, this.id, this.#absolute(path));
  }

  async readText(path: string): Promise<string> {
    return Buffer.from(await this.readBytes(path)).toString('utf8');
  }

  async writeBytes(path: string, bytes: Uint8Array): Promise<void> {
    const file = { bytes, mode: 0o644, owner: this.#image.owner };
    await writeFileToContainer(this.#engine, this.id, this.#absolute(path), file);
  }

  writeText(path: string, text: string): Promise<void> {
    return this.writeBytes(path, Buffer.from(text));
  }

  async pathExists(path: string): Promise<boolean> {
    return await pathFacts(this.#engine, this.id, this.#absolute(path)) !== undefined;
  }

  async uploadFile(hostPath: string, path: string): Promise<void> {
    const facts = await stat(hostPath).catch((error: unknown) => {
      throw new SandboxInputError(`The file "${hostPath}" cannot be uploaded: it cannot be read.`, { cause: error });
    });
    const file = { bytes: await readFile(hostPath), mode: facts.mode & 0o7777, owner: this.#image.owner };
    await writeFileToContainer(this.#engine, this.id, this.#absolute(path), file);
  }

  uploadDirectory(hostPath: string, path = '.', options: UploadDirectoryOptions = {}): Promise<void> {
    const source = { hostPath: resolve(hostPath), ignore: options.ignore ?? [] };
    return uploadDirectoryToContainer(this.#engine, this.id, source, { path: this.#absolute(path), owner: this.#image.owner });
  }

  async downloadFile(path: string, hostPath: string): Promise<void> {
    const bytes = await this.readBytes(path);
    await mkdir(dirname(resolve(hostPath)), { recursive: true });
    await writeFile(hostPath, bytes);
  }

  async downloadDirectory(path: string, hostPath: string): Promise<void> {
    await extractBelow(await openArchive(this.#engine, this.id, this.#absolute(path)), resolve(hostPath));
  }

  async archive(path: string, options: { readonly from?: 'sandbox' | 'image' } = {}): Promise<Readable> {
    const id = options.from === 'image' ? await this.#openPristine() : this.id;
    return openArchive(this.#engine, id, this.#absolute(path));
  }

  agentProcesses(): Promise<readonly AgentProcess[]> {
    return listProcesses(this.#engine, this.id, this.#image.owner.uid);
  }

  endAgentProcesses(spared?: SparedProcesses): Promise<void> {
    return endProcesses(this.#target(), { name: this.agentUser, uid: this.#image.owner.uid }, spared);
  }

  async spareAgentProcesses(): Promise<SparedProcesses> {
    const pids = new Set((await this.agentProcesses()).map((found) => found.pid));
    return { pids, innerPids: pids.size === 0 ? [] : await innerPidsOf(this.#target(), this.agentUser) };
  }

  async isRunning(): Promise<boolean> {
    try {
      const state = await this.#engine.call('look at a container', (docker) => docker.getContainer(this.id).inspect());
      return state.State.Running;
    } catch (error) {
      if (statusCodeOf(error) === 404) return false;
      throw error;
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#onStop();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #target(): ExecTarget {
    return {
      engine: this.#engine,
      containerId: this.id,
      endProcesses: (user) => {
        const isAgent = user === this.agentUser;
        return endProcesses(this.#target(), { name: user, ...(isAgent ? { uid: this.#image.owner.uid } : {}) });
      },
    };
  }

  #absolute(path: string): string {
    if (path.includes('\0')) throw new SandboxInputError(`The path ${JSON.stringify(path)} holds a NUL byte.`);
    return posix.resolve(this.workdir, path);
  }
}

function orThrow(argv: readonly string[], result: CommandResult): CommandResult {
  if (result.exitCode !== 0) throw new SandboxCommandExitError(argv, result);
  return result;
}

/** Keeps a stream as text and passes it on, secrets replaced before either. */
function collector(options: CommandOptions, callback: CommandOptions['onStdout']): {
  take: (chunk: Uint8Array) => void | Promise<void>;
  text: () => Promise<string>;
} {
  const redactor = createRedactor(options.sensitiveValues ?? []);
  const kept: Uint8Array[] = [];
  const keep = (chunk: Uint8Array): void | Promise<void> => {
    if (chunk.length === 0) return undefined;
    kept.push(Buffer.from(chunk));
    return callback?.(chunk);
  };
  return {
    take: (chunk) => keep(redactor.push(chunk)),
    text: async () => {
      await keep(redactor.flush());
      return Buffer.concat(kept).toString('utf8');
    },
  };
}

/**
 * A program that could not be started has no output of its own; the engine writes its own message to the command's
 * standard output, where it must not be taken for the program's (Docker 20.10 to 28). Which of the two shell codes
 * comes with it differs by engine, so the message decides: 127 not found, 126 not executable.
 */
function described(program: string, exitCode: number, stdout: string, stderr: string): { exitCode: number; stdout: string; stderr: string } {
  const fromEngine = (exitCode === 126 || exitCode === 127) && stderr === '' && stdout.startsWith('OCI runtime exec failed:');
  if (!fromEngine) return { exitCode, stdout, stderr };
  const isMissing = /executable file not found|no such file or directory/.test(stdout);
  return isMissing
    ? { exitCode: 127, stdout: '', stderr: `the sandbox has no program "${program}"` }
    : { exitCode: 126, stdout: '', stderr: `"${program}" could not be started: ${stdout.trim()}` };
}
