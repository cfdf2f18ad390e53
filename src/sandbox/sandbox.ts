import type { Readable, Writable } from 'node:stream';
import type { PrepareStep } from './prepare/step.js';

/** Options of one command. */
export interface CommandOptions {
  /** Added to the sandbox's own environment, for this command only. Never visible in the container's settings. */
  readonly env?: Readonly<Record<string, string>>;
  /** Relative to `workdir`. Default: `workdir`. */
  readonly cwd?: string;
  /** A user of the image. Default: the agent's user. */
  readonly user?: string;
  /** Milliseconds. Default: no limit of its own. */
  readonly timeoutMs?: number;
  /** Aborting it ends every process of the command; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** What the command reads, at once or as it comes. Default: nothing; it sees the end of input at once. */
  readonly stdin?: string | Uint8Array | Readable;
  /** Called with raw bytes as they come; the command is held back while a returned promise is open. */
  readonly onStdout?: (chunk: Uint8Array) => void | Promise<void>;
  readonly onStderr?: (chunk: Uint8Array) => void | Promise<void>;
  /** Values that are replaced by `[redacted]` in everything that the call returns, stores or passes on. */
  readonly sensitiveValues?: readonly string[];
}

/**
 * What made a command end other than by itself. A fact, never a guess from its output:
 * - `not-found`: it never ran; the sandbox has no such program.
 * - `not-executable`: it never ran; the file may not be executed, or is none that the kernel can execute.
 * - `not-started`: it never ran for another reason, for instance since its folder is missing or no process is left.
 * - `out-of-memory`: exit code 137, and the kernel killed a process of the sandbox for want of memory while the command ran.
 * - `killed`: exit code 137 or 143, which stand for SIGKILL and SIGTERM; a program that returns one of them by itself
 *   cannot be told apart. Also where the kernel's count cannot be read, as in a sandbox whose agent is root.
 */
export type CommandEnding = 'not-found' | 'not-executable' | 'not-started' | 'out-of-memory' | 'killed';

/** How a command ended. A non-zero exit code is a result. */
export interface CommandResult {
  readonly exitCode: number;
  /** Absent: it ended by itself. */
  readonly ending?: CommandEnding;
  /** UTF-8; bytes that are not become U+FFFD. */
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

/** Options of an upload of a folder. */
export interface UploadDirectoryOptions {
  /** Globs, relative to the folder, of what is left behind, for instance `node_modules/**`. */
  readonly ignore?: readonly string[];
}

/** A place to run commands: what authors and agents get. Paths inside are absolute or relative to `workdir`. */
export interface Sandbox {
  readonly workdir: string;

  /**
   * Runs one command and waits until it ends. A non-zero exit code is a result, not an error.
   *
   * @param command The program. No shell: `|` and `*` have no meaning.
   * @throws CommandTimeoutError after `timeoutMs`; every process it started is gone by then.
   * @throws SandboxGoneError when the sandbox ended first.
   */
  runCommand(command: string, args?: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Runs a script with `bash -c` where the image has bash, else with `sh -c`. @throws NoShellError where it has neither. */
  runShell(script: string, options?: CommandOptions): Promise<CommandResult>;
  /** As `runCommand`. @throws SandboxCommandExitError on a non-zero exit code. */
  runCommandOrThrow(command: string, args?: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** As `runShell`. @throws SandboxCommandExitError on a non-zero exit code. */
  runShellOrThrow(script: string, options?: CommandOptions): Promise<CommandResult>;

  /** @throws SandboxPathError when there is no such file. */
  readText(path: string): Promise<string>;
  /** @throws SandboxPathError when there is no such file. */
  readBytes(path: string): Promise<Uint8Array>;
  /** Writes a file of the agent's user, mode 0644, with its parent folders. */
  writeText(path: string, text: string): Promise<void>;
  writeBytes(path: string, bytes: Uint8Array): Promise<void>;
  pathExists(path: string): Promise<boolean>;

  /** Copies a file in. It belongs to the agent's user and keeps its permission bits. */
  uploadFile(hostPath: string, path: string): Promise<void>;
  /** Copies the content of a folder in. `path` defaults to `workdir`. Links are copied as links. */
  uploadDirectory(hostPath: string, path?: string, options?: UploadDirectoryOptions): Promise<void>;
  downloadFile(path: string, hostPath: string): Promise<void>;
  /** Copies the content of a folder out. Nothing is written outside `hostPath`, whatever the sandbox holds. */
  downloadDirectory(path: string, hostPath: string): Promise<void>;
}

/** Options of one raw execution. */
export type ExecOptions = Omit<CommandOptions, 'sensitiveValues'>;

/** A process of the agent's user. `pid` and `parent` are the engine's numbers, not those inside. */
export interface AgentProcess { readonly pid: string; readonly parent: string; readonly command: string; }

/** Processes that are not to be ended, nor those that they start. */
export interface SparedProcesses {
  /** Their numbers as the engine sees them. */
  readonly pids: ReadonlySet<string>;
  /** Their numbers inside the sandbox. */
  readonly innerPids: readonly string[];
}

/** What a sandbox used, from its opening to the reading. A field is absent where it cannot be read. */
export interface ResourceUse {
  /** Of all cores together. */
  readonly cpuSeconds?: number;
  /** The most that was in use at one time; caches of files count. */
  readonly peakMemoryBytes?: number;
  /** The limit, for comparison. */
  readonly memoryLimitBytes?: number;
  /** Processes that the kernel killed for want of memory. */
  readonly oomKills?: number;
  /** Processes at the time of the reading, without those of the harness. */
  readonly processesLeft?: number;
  /** What passed its network interface, with the headers of its packets. Absent: it has no network. */
  readonly network?: { readonly receivedBytes: number; readonly sentBytes: number };
}

/** A sandbox as its owner holds it. */
export interface OwnedSandbox extends Sandbox, AsyncDisposable {
  readonly id: string;
  /** The user that the agent runs as. */
  readonly agentUser: string;
  /** True when that user is root: then nothing inside the sandbox can be trusted to tell the truth about it. */
  readonly agentIsRoot: boolean;
  readonly home: string;
  /** Runs a program without keeping its output. Rejects like `runCommand`. */
  exec(argv: readonly string[], options?: ExecOptions): Promise<{ readonly exitCode: number }>;
  /** The processes of the agent's user that are alive, as the engine sees them. Works without any help from inside. */
  agentProcesses(): Promise<readonly AgentProcess[]>;
  /**
   * Ends the processes of the agent's user. Resolves when none is left.
   *
   * @param spared Processes to leave alone, from `spareAgentProcesses`.
   */
  endAgentProcesses(spared?: SparedProcesses): Promise<void>;
  /** Remembers the living processes of the agent's user, for instance a server that the eval started. */
  spareAgentProcesses(): Promise<SparedProcesses>;
  /** The tar stream of a path, made by the engine. `from: 'image'` reads the state that the sandbox was started from. */
  archive(path: string, options?: { readonly from?: 'sandbox' | 'image' }): Promise<Readable>;
  /** What it used so far. Takes at most 2 seconds. `undefined`: it cannot be asked, or nobody in it can be believed. Never rejects. */
  resources(): Promise<ResourceUse | undefined>;
  /** Whether the container still runs. */
  isRunning(): Promise<boolean>;
  /** Removes the sandbox and everything in it. Idempotent. */
  stop(): Promise<void>;
}

/** Where a sandbox may talk to. */
export type NetworkPlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'closed'; readonly network: ClosedNetwork };

/** A network without a way out, in which one sandbox meets the services that were let in. */
export interface ClosedNetwork extends AsyncDisposable {
  readonly id: string;
  /** Lets a service in under a host name. */
  admit(service: Service, hostname: string): Promise<void>;
}

/** A helper container, spoken to over its standard input and output. */
export interface Service extends AsyncDisposable {
  readonly id: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles when the container ended, with the tail of its standard error. */
  readonly ended: Promise<{ readonly stderr: string }>;
}

/** Options of opening a sandbox. */
export interface OpenSandboxOptions {
  /** A prepared image, from `prepareImage`. */
  readonly image: PreparedImage;
  readonly network: NetworkPlan;
  /** Names the Attempt in the labels. */
  readonly attemptId: string;
  /** The container ends by itself after this many milliseconds, should nobody come back for it. */
  readonly lifetimeMs: number;
  readonly signal?: AbortSignal;
}

/** An image that exists in the engine, with what its configuration says. */
export interface PreparedImage {
  readonly id: string;
  readonly reference: string;
  readonly agentUser: string;
  readonly agentIsRoot: boolean;
  readonly home: string;
  readonly workdir: string;
  /** Commits of which files were laid in. Absent: none. */
  readonly sources?: readonly ImageSource[];
  /** What whoever reads the outcome should know of it. Absent: nothing. */
  readonly notices?: readonly ImageNotice[];
}

/** A commit of which files are in an image. */
export interface ImageSource {
  readonly repo: string;
  /** What the author asked for. */
  readonly ref: string;
  /** What it was, in full. */
  readonly commit: string;
  /** The folder in the repository. Absent: all of it. */
  readonly path?: string;
}

/** Something worth knowing of an image. */
export interface ImageNotice { readonly code: string; readonly message: string; }

/** What an author asks for. */
export interface SandboxSpec {
  readonly kind: 'sandbox-spec';
  /** The backend's name, for instance `docker`. */
  readonly backend: string;
  /** An image reference. Absent: the project's own sandbox image, built when needed. */
  readonly image?: string;
  /** The user that the agent runs as. Absent: the image's own. */
  readonly user?: string;
  /** Absolute path. Absent: the image's working directory. */
  readonly workdir?: string;
  readonly resources?: ResourceLimits;
  /** Carried out once, on top of the image; every sandbox starts from what they made. Host paths are absolute once it is planned. */
  readonly steps?: readonly PrepareStep[];
}

/** Limits of one sandbox. Absent fields have the backend's defaults. */
export interface ResourceLimits {
  /** Cores, in parts if need be. Default: 2. */
  readonly cpus?: number;
  /** Memory; no swap is added. Default: 4 GiB. */
  readonly memoryBytes?: number;
  /** Processes and threads together. Default: 2,048. */
  readonly pids?: number;
  /** Open files of each process. Default: 16,384, or the engine's own limit where that is lower and cannot be raised. */
  readonly nofile?: number;
}

/** What a removal of leftovers did. */
export interface ReapReport {
  readonly containers: readonly string[];
  readonly networks: readonly string[];
  /** Resources whose owner may still live; they were left alone. */
  readonly kept: readonly string[];
}

/** A backend: it makes images, networks, services and sandboxes, and knows all that it made. */
export interface SandboxProvider extends AsyncDisposable {
  readonly name: string;
  /**
   * Builds or finds the image, with all steps of the spec carried out. Calls for one spec share the work, and its end.
   *
   * @param signal Ends a build; nothing is left of it. That of the first call for a spec counts.
   * @throws ImageError for an image that cannot be made or found.
   */
  prepareImage(spec: SandboxSpec, onProgress?: (line: string) => void, signal?: AbortSignal): Promise<PreparedImage>;
  openSandbox(spec: SandboxSpec, options: OpenSandboxOptions): Promise<OwnedSandbox>;
  openClosedNetwork(): Promise<ClosedNetwork>;
  /** Starts a program file in a helper container that `network` lets in first. */
  openService(options: { readonly program: string; readonly name: string; readonly network: ClosedNetwork; readonly hostname: string }): Promise<Service>;
  /** Removes what dead owners left. `dryRun` only tells. */
  reap(options?: { readonly dryRun?: boolean }): Promise<ReapReport>;
}
