/** Copies a file or the content of a folder in. Made by `upload`. */
export interface UploadStep {
  readonly kind: 'upload';
  /** Relative to the file that defines it until the plan has made it absolute. */
  readonly hostPath: string;
  /** Absolute, or relative to the working directory. Absent: the working directory, under the file's own name. */
  readonly target?: string;
  readonly ignore: readonly string[];
}

/** What both kinds of commands say besides what they run. */
export interface RunStepOptions {
  /** A user of the image. Absent: the agent's user. */
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds. Absent: 30 minutes. */
  readonly timeoutMs?: number;
}

/** Runs one program. Made by `command`. */
export interface CommandStep extends RunStepOptions {
  readonly kind: 'command';
  readonly argv: readonly string[];
}

/** Runs a script of `sh`. Made by `shell`. */
export interface ShellStep extends RunStepOptions {
  readonly kind: 'shell';
  readonly script: string;
}

/** Lays the content of a host folder into the working directory. Made by `fromFolder`. */
export interface FolderStep {
  readonly kind: 'folder';
  readonly hostPath: string;
  readonly ignore: readonly string[];
}

/** Lays one commit of a repository into the working directory. Made by `fromGit`. */
export interface GitStep {
  readonly kind: 'git';
  /** A URL, `host:path`, or a path of this machine. */
  readonly repo: string;
  readonly ref: string;
  /** A folder in the repository; only its files are laid. */
  readonly path?: string;
  readonly history: 'ancestors' | 'none';
}

/** Lays the content of an archive into the working directory. Made by `fromTar`. */
export interface TarStep {
  readonly kind: 'tar';
  readonly hostPath: string;
}

/** Where the files of an eval come from. */
export type WorkspaceSource = FolderStep | GitStep | TarStep;

/** One step that is carried out once, while the image that Attempts start from is prepared. Plain data. */
export type PrepareStep = UploadStep | CommandStep | ShellStep | WorkspaceSource;

const KINDS: ReadonlySet<unknown> = new Set<PrepareStep['kind']>(['upload', 'command', 'shell', 'folder', 'git', 'tar']);
const SHOWN_CHARACTERS = 60;

/** True for what one of the factories made. */
export function isPrepareStep(value: unknown): value is PrepareStep {
  return typeof value === 'object' && value !== null && KINDS.has((value as { readonly kind?: unknown }).kind);
}

/** True for a step that brings the files of an eval. */
export function isWorkspaceSource(value: unknown): value is WorkspaceSource {
  return isPrepareStep(value) && (value.kind === 'folder' || value.kind === 'git' || value.kind === 'tar');
}

/** The step as people know it, on one line, without its environment. */
export function stepText(step: PrepareStep): string {
  switch (step.kind) {
    case 'upload': return `upload("${step.hostPath}")`;
    case 'command': return `command "${shortened(step.argv.join(' '))}"`;
    case 'shell': return `shell "${shortened(step.script)}"`;
    case 'folder': return `fromFolder("${step.hostPath}")`;
    case 'git': return `fromGit("${step.repo}" at "${step.ref}")`;
    case 'tar': return `fromTar("${step.hostPath}")`;
  }
}

function shortened(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS)}...`;
}
