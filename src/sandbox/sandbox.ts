import type { Readable, Writable } from 'node:stream';
import type { PrepareStep } from './prepare/step.js';

/** Options of one command. */
export interface CommandOptions {
  /** Added to the sandbox's own environment, for this command only. Never visible in the container's settings. */
  readonly env?: Readonly<Record<string, string>>;
  /** Relative to `workdir`. Default: `workdir`. */
  readonly cwd?: string;
  /** A user of the image. Default: the agent's user. A backend that has but one user refuses any other. */
  readonly user?: string;
  /** Milliseconds. Default: no limit of its own. */
  readonly timeoutMs?: number;
  /** Aborting it ends every process of the command; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Gives the command a terminal. Then both streams come as one, on `stdout`, with the line ends and colours that the command makes for
   * terminals; the end of its input is told once, as Ctrl-D does. Default: false.
   */
  readonly tty?: boolean;
  /** What the command reads, at once or as it comes. Default: nothing; it sees the end of input at once. */
  readonly stdin?: string | Uint8Array | Readable;
  /**
   * Called with the bytes as they come, never with a part of a UTF-8 character; the command is held back while a returned promise is
   * open.
   */
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

/** What an upload came to. */
export interface UploadReport {
  /** Globs of `ignore` that fitted nothing. */
  readonly unmatchedIgnore: readonly string[];
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
  uploadDirectory(hostPath: string, path?: string, options?: UploadDirectoryOptions): Promise<UploadReport>;
  downloadFile(path: string, hostPath: string): Promise<void>;
  /** Copies the content of a folder out. Nothing is written outside `hostPath`, whatever the sandbox holds. */
  downloadDirectory(path: string, hostPath: string): Promise<void>;
}

/** Options of one raw execution. */
export type ExecOptions = Omit<CommandOptions, 'sensitiveValues'> & {
  /** Waits for the end of the output, whoever holds it open. For commands that leave nothing behind. Default: false. */
  readonly untilOutputEnds?: boolean;
};

/** A process of the agent's user. `pid` and `parent` are its numbers outside, not those inside. */
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
  /** The most that it was seen to have written, and the limit. Absent: it did not live long enough for a look, or the engine keeps the limit. */
  readonly diskBytes?: number;
  readonly diskLimitBytes?: number;
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
  /** True when that user is root. Some CLIs want to be told. */
  readonly agentIsRoot: boolean;
  /**
   * True where a command of the user `root` can be believed when it tells of files: root is not the agent. Else files are read by
   * `archive`, which asks nothing inside.
   */
  readonly rootIsTrusted: boolean;
  readonly home: string;
  /** Absolute. Where the agent and the harness put files that nobody looks at, for instance `/tmp`. */
  readonly temporaryFolder: string;
  /** Runs a program without keeping its output. Rejects like `runCommand`. */
  exec(argv: readonly string[], options?: ExecOptions): Promise<{ readonly exitCode: number }>;
  /** The processes of the agent's user in this sandbox that are alive, seen from outside. Works without any help from inside. */
  agentProcesses(): Promise<readonly AgentProcess[]>;
  /**
   * Ends the processes of the agent's user. Resolves when none is left.
   *
   * @param spared Processes to leave alone, from `spareAgentProcesses`.
   */
  endAgentProcesses(spared?: SparedProcesses): Promise<void>;
  /** Remembers the living processes of the agent's user, for instance a server that the eval started. */
  spareAgentProcesses(): Promise<SparedProcesses>;
  /** The tar stream of a path, made from outside. `from: 'image'` reads the state that the sandbox was started from. */
  archive(path: string, options?: { readonly from?: 'sandbox' | 'image' }): Promise<Readable>;
  /**
   * Lays the entries of a tar stream below a folder that exists, with the owners and modes that they have in it. Names and links stay
   * within the sandbox. Absent: the backend cannot, and no eval can be graded in a fresh sandbox.
   */
  readonly unpack?: (archive: Readable, folder: string) => Promise<void>;
  /** What it used so far. Takes at most 2 seconds. `undefined`: it cannot be asked, or nobody in it can be believed. Never rejects. */
  resources(): Promise<ResourceUse | undefined>;
  /** False once it ended, whoever ended it. */
  isRunning(): Promise<boolean>;
  /**
   * Leaves it alive for people: `stop` does not remove it any more. It ends when its lifetime does, and is removed by the next
   * reaping after that, or by `niceeval clean --kept`. It has no network when the one that it was in is gone. Absent: the backend
   * cannot.
   */
  readonly keep?: () => Promise<KeptSandbox>;
  /** Removes the sandbox and everything in it. Idempotent. */
  stop(): Promise<void>;
}

/** A sandbox that outlives its Attempt. */
export interface KeptSandbox {
  /** As the backend's own tools know it. */
  readonly name: string;
  /** When it ends by itself: ISO 8601. */
  readonly until: string;
}

/** Where a sandbox may talk to. `host`: wherever this machine can; the only plan of a backend that can close no network. */
export type NetworkPlan =
  | { readonly kind: 'host' }
  | { readonly kind: 'none' }
  | { readonly kind: 'closed'; readonly network: ClosedNetwork };

/** A network without a way out of its own, in which one sandbox meets the service that was let in. */
export interface ClosedNetwork extends AsyncDisposable {
  readonly id: string;
  /** The address that the service has here. It is asked for every name while the network is closed. */
  readonly serviceAddress: string;
  /** Lets a service in under a host name. */
  admit(service: Service, hostname: string): Promise<void>;
  /**
   * Opens or shuts it for the sandbox that lives in it. It begins `closed`: the service and nothing else. `open` adds the outside,
   * without the engine's own machine, other sandboxes and link-local addresses; `cut` takes away the service as well.
   *
   * @throws EngineCallError when it could not be done; then it must not be used any more.
   */
  switchTo(state: NetworkState): Promise<void>;
}

/** What a sandbox in a network reaches. */
export type NetworkState = 'closed' | 'open' | 'cut';

/** A helper program, spoken to over its standard input and output. */
export interface Service extends AsyncDisposable {
  readonly id: string;
  /** The name or address under which sandboxes reach it. */
  readonly hostname: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles when the program ended, with the tail of its standard error. */
  readonly ended: Promise<{ readonly stderr: string }>;
}

/** Options of opening a sandbox. */
export interface OpenSandboxOptions {
  /** A prepared image, from `prepareImage`. */
  readonly image: PreparedImage;
  readonly network: NetworkPlan;
  /** Names the Attempt in the labels. */
  readonly attemptId: string;
  /** The sandbox ends by itself after this many milliseconds, should nobody come back for it. */
  readonly lifetimeMs: number;
  readonly signal?: AbortSignal;
}

/** What sandboxes are started from, with what is known of them before they are. */
export interface PreparedImage {
  readonly id: string;
  readonly reference: string;
  readonly agentUser: string;
  readonly agentIsRoot: boolean;
  /** Absent: each sandbox has folders of its own. */
  readonly home?: string;
  readonly workdir?: string;
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
  /** A runtime that the engine knows, for instance `runsc`. Absent: the engine's default. */
  readonly runtime?: string;
  /** Only the working directory, the home and the folders for temporary files can be written. Absent: everything that the user may. */
  readonly readOnlyRoot?: boolean;
  /** What may be written, whoever asks. The folders for temporary files always can. Absent: everything that the user may. */
  readonly writes?: WriteAccess;
  /** Carried out once, on top of the image; every sandbox starts from what they made. Host paths are absolute once it is planned. */
  readonly steps?: readonly PrepareStep[];
}

/** What of a sandbox may be written besides its folders for temporary files. The rest refuses every write. */
export interface WriteAccess {
  /** Whether the working directory may be. */
  readonly workspace: boolean;
  /** Folders of the agent's home, relative to it, without which its CLI cannot work, for instance `.claude`. */
  readonly homeFolders: readonly string[];
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
  /**
   * What it may write beyond its image. Default: 10 GiB. Where the engine's storage has no such limit, as on ext4, the size is looked
   * at every two seconds or more, and a sandbox that is over it ends with SandboxDiskError: it can be more between two looks.
   */
  readonly diskBytes?: number;
}

/** What a removal of leftovers did. */
export interface ReapReport {
  readonly containers: readonly string[];
  readonly networks: readonly string[];
  /** Folders of this machine. */
  readonly folders: readonly string[];
  /** Resources whose owner may still live, and sandboxes that are kept for people; they were left alone. */
  readonly kept: readonly string[];
}

/** How a service is started. */
export interface OpenServiceOptions {
  /** A JavaScript file for Node. It takes `--host <address>` and `--port <number>`, where 0 is any free port. */
  readonly program: string;
  readonly name: string;
  /** The network that lets it in first. Absent where the backend can close none. */
  readonly network?: ClosedNetwork;
  /** What it is called in closed networks. */
  readonly hostname: string;
}

/** A backend: it makes images, networks, services and sandboxes, and knows all that it made. Closing it closes all of it. */
export interface SandboxProvider extends AsyncDisposable {
  /** As `--sandbox` calls it; it is in the record of every run. */
  readonly name: string;
  /** What everybody who reads a run must know of the backend, in whole sentences. Absent: nothing. */
  readonly caveat?: string;
  /**
   * Builds or finds the image, with all steps of the spec carried out. Calls for one spec share the work, and its end.
   *
   * @param signal Ends a build; nothing is left of it. That of the first call for a spec counts.
   * @throws ImageError for an image that cannot be made or found.
   */
  prepareImage(spec: SandboxSpec, onProgress?: (line: string) => void, signal?: AbortSignal): Promise<PreparedImage>;
  /** @throws SandboxInputError for a network plan, or an option of the spec, that the backend cannot honour. */
  openSandbox(spec: SandboxSpec, options: OpenSandboxOptions): Promise<OwnedSandbox>;
  /** Absent: the backend can close no network, and every sandbox has the plan `host`. */
  readonly openClosedNetwork?: () => Promise<ClosedNetwork>;
  openService(options: OpenServiceOptions): Promise<Service>;
  /** Gives a service a way out, once; the sandboxes that meet it get none by that. Absent: it has one, or the backend can close no network. */
  readonly letOut?: (service: Service) => Promise<void>;
  /** Removes what dead owners left. `dryRun` only tells; `keptToo` removes sandboxes that were kept for people. */
  reap(options?: { readonly dryRun?: boolean; readonly keptToo?: boolean }): Promise<ReapReport>;
}
