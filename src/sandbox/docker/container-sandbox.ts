import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, posix, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { NoShellError, SandboxCommandExitError, SandboxDiskError, SandboxGoneError, SandboxInputError, SandboxPathError } from '../errors.js';
import { isKilled, type ExitFacts } from '../exit-facts.js';
import { extractBelow } from '../extract.js';
import { keepOutput } from '../kept-output.js';
import { createIgnoreRules } from '../prepare/ignore-rules.js';
import { treeOfFolder } from '../prepare/tree.js';
import type {
  AgentProcess, CommandOptions, CommandResult, ExecOptions, KeptSandbox, OwnedSandbox, ResourceUse, SparedProcesses, UploadDirectoryOptions, UploadReport,
} from '../sandbox.js';
import { shellArgv } from '../shell-argv.js';
import {
  openArchive, pathFacts, putArchive, readFileFromContainer, uploadTree, writeFileToContainer, type UploadTarget,
} from './archive.js';
import { blocksOfChangedFiles, bytesOfBlocks, DiskWatch, sizeOfContainer } from './disk-watch.js';
import { startFailureOf } from './ending.js';
import { statusCodeOf, type Engine } from './engine.js';
import { execInContainer, type ExecTarget } from './exec.js';
import type { InspectedImage } from './image-facts.js';
import { endProcesses, innerPidsOf, listProcesses } from './processes.js';
import { ResourceReader } from './resource-reader.js';
import type { ResourceReading, Traffic, TrafficMeter } from './resource-use.js';

/** Folders of every image that everybody may write to. */
const SHARED_FOLDERS = ['/tmp', '/var/tmp', '/dev/shm'];

const MEASURE_LIMIT_MS = 60_000;

/** One running container as a sandbox. */
export class ContainerSandbox implements OwnedSandbox {
  readonly workdir: string;
  readonly agentUser: string;
  readonly agentIsRoot: boolean;
  readonly rootIsTrusted: boolean;
  readonly home: string;
  readonly temporaryFolder = '/tmp';
  readonly #engine: Engine;
  readonly #image: InspectedImage;
  readonly #openPristine: () => Promise<string>;
  readonly #onStop: () => Promise<void>;
  readonly #onKeep: () => Promise<KeptSandbox>;
  readonly #memoryBytes: number;
  readonly #meter: TrafficMeter | undefined;
  #trafficShare: (total: Traffic | undefined) => Traffic | undefined = () => undefined;
  /** Absent where the agent is root: it might put a program of its own in the place of the one that reads. */
  readonly #reader: ResourceReader | undefined;
  /** Kills for want of memory up to the last reading. */
  #oomKills = 0;
  #stopping: Promise<void> | undefined;
  readonly #disk: DiskWatch | undefined;
  /** Aborted when it wrote too much; nothing of the agent's runs then. */
  readonly #overfull = new AbortController();

  /**
   * @param options.openPristine Makes, once, a container of the same image that is never started, and gives its id.
   * @param options.meter Of the network that it is in. Absent: it is in none.
   * @param options.diskBytes How much it may write. Absent: the engine sees to that.
   * @param options.onStop Removes the container and what belongs to it.
   * @param options.onKeep Makes it one that `onStop` leaves alone.
   */
  constructor(readonly id: string, options: {
    readonly engine: Engine;
    readonly image: InspectedImage;
    readonly memoryBytes: number;
    readonly diskBytes?: number;
    /** What alone can be written, where that is not everything. */
    readonly writableFolders?: readonly string[];
    readonly openPristine: () => Promise<string>;
    readonly meter?: TrafficMeter;
    readonly onStop: () => Promise<void>;
    readonly onKeep: () => Promise<KeptSandbox>;
  }) {
    this.workdir = options.image.workdir;
    this.agentUser = options.image.agentUser;
    this.agentIsRoot = options.image.agentIsRoot;
    this.rootIsTrusted = !options.image.agentIsRoot;
    this.home = options.image.home;
    this.#engine = options.engine;
    this.#image = options.image;
    this.#memoryBytes = options.memoryBytes;
    this.#openPristine = options.openPristine;
    this.#meter = options.meter;
    this.#onStop = options.onStop;
    this.#onKeep = options.onKeep;
    const { engine, diskBytes } = options;
    const confirm = (): Promise<number | undefined> => this.#bytesOnDisk(options.writableFolders ?? ['/']);
    const sizeOf = options.writableFolders === undefined ? () => sizeOfContainer(engine, id) : confirm;
    if (diskBytes !== undefined) this.#disk = new DiskWatch({ limitBytes: diskBytes, sizeOf, confirm, onExceeded: (seen) => { this.#endOverfull(new SandboxDiskError(diskBytes, seen)); } });
    this.#reader = options.image.agentIsRoot ? undefined : new ResourceReader(options.engine, id);
  }

  async runCommand(command: string, args: readonly string[] = [], options: CommandOptions = {}): Promise<CommandResult> {
    return this.#capture([command, ...args], options);
  }

  async runShell(script: string, options: CommandOptions = {}): Promise<CommandResult> {
    const result = await this.#capture(shellArgv(script), options, [script]);
    if (result.ending === 'not-found') throw new NoShellError(this.#image.reference);
    return result;
  }

  async runCommandOrThrow(command: string, args: readonly string[] = [], options: CommandOptions = {}): Promise<CommandResult> {
    return this.#orThrow([command, ...args], await this.runCommand(command, args, options));
  }

  async runShellOrThrow(script: string, options: CommandOptions = {}): Promise<CommandResult> {
    return this.#orThrow([script], await this.runShell(script, options));
  }

  async exec(argv: readonly string[], options: ExecOptions = {}, shown = argv): Promise<ExitFacts> {
    if (argv.length === 0 || argv[0] === '') throw new SandboxInputError('A command needs a program: the first word is empty.');
    this.#mustLive();
    const cwd = options.cwd === undefined ? this.workdir : this.#absolute(options.cwd);
    // The engine looks names up in /etc/passwd, which an image need not have; root is 0 everywhere.
    const user = options.user === 'root' ? '0' : options.user ?? this.agentUser;
    // Looking at what is there must still be possible.
    const ends = [...(options.signal === undefined ? [] : [options.signal]), ...(user === this.agentUser && this.#disk !== undefined ? [this.#overfull.signal] : [])];
    return execInContainer(this.#target(), argv, { ...options, ...(ends.length === 0 ? {} : { signal: AbortSignal.any(ends) }), cwd, user, shown });
  }

  /** `undefined`: the image has no `find` that can tell, or some files could not be looked at. */
  async #bytesOnDisk(folders: readonly string[]): Promise<number | undefined> {
    const { exitCode, stdout } = await this.#capture(blocksOfChangedFiles(folders), { user: '0', cwd: '/', timeoutMs: MEASURE_LIMIT_MS, untilOutputEnds: true });
    return exitCode === 0 ? bytesOfBlocks(stdout) : undefined;
  }

  /** Commands that run end with the error; what runs without one is ended too. */
  #endOverfull(error: SandboxDiskError): void {
    this.#overfull.abort(error);
    this.endAgentProcesses().catch(() => undefined); // A sandbox that is gone has none.
  }

  async #capture(argv: readonly string[], options: CommandOptions & ExecOptions, shown = argv): Promise<CommandResult> {
    const startedAt = performance.now();
    await using out = keepOutput(shown, options, options.onStdout);
    await using err = keepOutput(shown, options, options.onStderr);
    const killsBefore = this.#killsBefore();
    const exit = await this.exec(argv, { ...options, onStdout: out.take, onStderr: err.take }, shown);
    const stdout = await out.end();
    const stderr = await err.end();
    const durationMs = Math.round(performance.now() - startedAt);
    if (!exit.started) return { stdout: '', ...startFailureOf(argv[0] ?? '', `${stdout}${stderr}`), durationMs };
    const ending = isKilled(exit) ? await this.#killOf(exit, killsBefore()) : undefined;
    return { exitCode: exit.exitCode, ...(ending === undefined ? {} : { ending }), stdout, stderr, durationMs };
  }

  /** Whether the kernel killed anything for want of memory since `before`. */
  async #killOf({ exitCode }: ExitFacts, before: number): Promise<'out-of-memory' | 'killed'> {
    if (exitCode === 137) await this.#read();
    return this.#oomKills > before ? 'out-of-memory' : 'killed';
  }

  /** The count before a command. It is asked for without waiting: the answer comes long before the engine has started anything. */
  #killsBefore(): () => number {
    let kills = this.#oomKills;
    if (this.#reader?.isReady === true) void this.#read().then((reading) => { kills = reading?.oomKills ?? kills; });
    return () => kills;
  }

  async #read(): Promise<ResourceReading | undefined> {
    const reading = await this.#reader?.read();
    this.#oomKills = Math.max(this.#oomKills, reading?.oomKills ?? 0);
    return reading;
  }

  /** To be called once, when the container runs. Waits for nothing. */
  beginReading(): void {
    if (this.#meter !== undefined) this.#trafficShare = this.#meter.begin();
    this.#reader?.begin();
    this.#disk?.begin();
  }

  async resources(): Promise<ResourceUse | undefined> {
    const reading = await this.#read();
    const share = this.#trafficShare(reading?.network);
    if (reading === undefined) return undefined;
    const { network: _total, ...own } = reading;
    const { mostBytes: diskBytes, options: { limitBytes: diskLimitBytes } } = this.#disk ?? { options: {} };
    return { ...own, ...(diskBytes === undefined || diskLimitBytes === undefined ? {} : { diskBytes, diskLimitBytes }), memoryLimitBytes: this.#memoryBytes, ...(share === undefined ? {} : { network: share }) };
  }

  async readBytes(path: string): Promise<Uint8Array> {
    return readFileFromContainer(this.#engine, this.id, this.#absolute(path));
  }

  async readText(path: string): Promise<string> {
    return Buffer.from(await this.readBytes(path)).toString('utf8');
  }

  async writeBytes(path: string, bytes: Uint8Array): Promise<void> {
    await writeFileToContainer(this.#engine, this.id, this.#uploadTo(path), { bytes, mode: 0o644 });
  }

  async writeText(path: string, text: string): Promise<void> {
    return this.writeBytes(path, Buffer.from(text));
  }

  async pathExists(path: string): Promise<boolean> {
    return await pathFacts(this.#engine, this.id, this.#absolute(path)) !== undefined;
  }

  async uploadFile(hostPath: string, path: string): Promise<void> {
    const facts = await stat(hostPath).catch((error: unknown) => {
      throw new SandboxInputError(`The file "${hostPath}" cannot be uploaded: it cannot be read.`, { cause: error });
    });
    await writeFileToContainer(this.#engine, this.id, this.#uploadTo(path), { bytes: await readFile(hostPath), mode: facts.mode & 0o7777 });
  }

  async uploadDirectory(hostPath: string, path = '.', options: UploadDirectoryOptions = {}): Promise<UploadReport> {
    const rules = createIgnoreRules(options.ignore ?? []);
    await uploadTree(this.#engine, this.id, treeOfFolder(resolve(hostPath), rules), this.#uploadTo(path));
    return { unmatchedIgnore: rules.unmatched() };
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

  async unpack(archive: Readable, folder: string): Promise<void> {
    this.#mustLive();
    await putArchive(this.#engine, this.id, this.#absolute(folder), archive);
  }

  async agentProcesses(): Promise<readonly AgentProcess[]> {
    this.#mustLive();
    return listProcesses(this.#engine, this.id, { name: this.agentUser, uid: this.#image.owner.uid });
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

  keep(): Promise<KeptSandbox> {
    return this.#onKeep();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#onStop();
    this.#reader?.close();
    this.#disk?.end();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Of a container that is gone the engine says that its files are missing. */
  #mustLive(): void {
    if (this.#stopping !== undefined) throw new SandboxGoneError(this.id, 'it was stopped');
  }

  #target(): ExecTarget {
    return {
      engine: this.#engine,
      containerId: this.id,
      endProcesses: (user) => {
        const isAgent = user === this.agentUser;
        return endProcesses(this.#target(), { name: user, ...(isAgent ? { uid: this.#image.owner.uid } : {}) });
      },
      // Of root there are always some: the harness's own.
      mayHoldOutput: async (user) => user !== this.agentUser || this.agentIsRoot || (await this.agentProcesses()).length > 0,
    };
  }

  #orThrow(argv: readonly string[], result: CommandResult): CommandResult {
    if (result.exitCode !== 0) throw new SandboxCommandExitError(argv, result, { memoryLimitBytes: this.#memoryBytes });
    return result;
  }

  #uploadTo(path: string): UploadTarget {
    return { path: this.#absolute(path), owner: this.#image.owner, agentFolders: [this.workdir, this.home, ...SHARED_FOLDERS].filter((folder) => folder !== '/') };
  }

  #absolute(path: string): string {
    this.#mustLive();
    if (path.includes('\0')) throw new SandboxInputError(`The path ${JSON.stringify(path)} holds a NUL byte.`);
    if (this.#engine.dialect.patterns?.test(path) === true) throw new SandboxPathError(path, 'holds *, ?, [ or \\, which this engine takes for a pattern. Name the file otherwise, or read it by a command.');
    return posix.resolve(this.workdir, path);
  }
}
