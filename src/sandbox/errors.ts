import { NiceEvalError } from '../lifetime/error.js';
import type { CommandEnding } from './sandbox.js';
import { sizeText } from './size-text.js';

/** No container engine answers. */
export class EngineUnavailableError extends NiceEvalError {
  readonly code = 'engine-unavailable';
  constructor(readonly where: string, options?: ErrorOptions) {
    super(`No container engine answers at ${where}. Start it, or set DOCKER_HOST to one that runs.`, options);
  }
}

/** The Docker context that is chosen cannot be used. */
export class EngineContextError extends NiceEvalError {
  readonly code = 'engine-context';
  constructor(readonly context: string, problem: string) {
    super(`The Docker context "${context}" ${problem} Look at \`docker context ls\`, or set DOCKER_HOST.`);
  }
}

/** The engine answered one call with an error. */
export class EngineCallError extends NiceEvalError {
  readonly code = 'engine-call-failed';
  constructor(readonly what: string, readonly statusCode: number | undefined, detail: string, options?: ErrorOptions) {
    super(`The container engine could not ${what}: ${detail}`, options);
  }
}

/** The engine did not answer one call in time. */
export class EngineSilentError extends NiceEvalError {
  readonly code = 'engine-silent';
  constructor(readonly what: string, readonly limitMs: number) {
    super(`The container engine did not ${what} within ${limitMs} ms. Look at its log and its load.`);
  }
}

/** The sandbox ended before the harness ended it. */
export class SandboxGoneError extends NiceEvalError {
  readonly code = 'sandbox-gone';
  constructor(readonly sandboxId: string, detail: string, options?: ErrorOptions) {
    super(`The sandbox ${sandboxId} is gone: ${detail}`, options);
  }
}

/** A command was still running when its time was up. Every process it started is gone by then. */
export class CommandTimeoutError extends NiceEvalError {
  readonly code = 'sandbox-command-timeout';
  constructor(readonly argv: readonly string[], readonly timeoutMs: number) {
    super(`"${argv.join(' ')}" was still running after ${timeoutMs} ms. Raise \`timeoutMs\` or split the command.`);
  }
}

/** A command printed more than can be handed over as one text. */
export class CommandOutputError extends NiceEvalError {
  readonly code = 'command-output';
  constructor(readonly argv: readonly string[], readonly sizeBytes: number, limitBytes: number) {
    super(`"${argv.join(' ')}" printed ${sizeText(sizeBytes)}; ${sizeText(limitBytes)} is the most that is handed over. Take it by onStdout as it comes, or let it write to a file.`);
  }
}

/** A command that had to succeed ended with another exit code. `result` has the whole output, `result.ending` what ended it. */
export class SandboxCommandExitError extends NiceEvalError {
  readonly code = 'sandbox-command-exit';
  constructor(
    readonly argv: readonly string[],
    readonly result: { readonly exitCode: number; readonly ending?: CommandEnding; readonly stdout: string; readonly stderr: string },
    options: ErrorOptions & { readonly memoryLimitBytes?: number } = {},
  ) {
    super(`"${argv.join(' ')}" ${endingText(result, options.memoryLimitBytes)}. ${tailOf(result.stderr || result.stdout)}`.trimEnd(), options);
  }
}

/** A sandbox wrote more than it may. The processes of its agent are gone by then. */
export class SandboxDiskError extends NiceEvalError {
  readonly code = 'sandbox-disk';
  constructor(readonly limitBytes: number, readonly seenBytes: number) {
    super(`The sandbox wrote ${sizeText(seenBytes)}; ${sizeText(limitBytes)} is its limit. Raise \`resources.diskBytes\` if the task needs more.`);
  }
}

/** Processes of a sandbox could not be ended. */
export class SandboxProcessError extends NiceEvalError {
  readonly code = 'sandbox-process';
  constructor(readonly processes: readonly string[]) {
    super(`Processes of the sandbox could not be ended: ${processes.join('; ')}. End them by hand.`);
  }
}

/** A path that had to exist in the sandbox does not. */
export class SandboxPathError extends NiceEvalError {
  readonly code = 'sandbox-path';
  constructor(readonly path: string, detail: string) {
    super(`"${path}" in the sandbox: ${detail}`);
  }
}

/** A value given to a sandbox operation cannot be used. */
export class SandboxInputError extends NiceEvalError {
  readonly code = 'sandbox-input';
}

/** A script was to be run in a sandbox that has no shell. */
export class NoShellError extends NiceEvalError {
  readonly code = 'no-shell';
  constructor(readonly image: string) {
    super(`A script cannot be run: the image "${image}" has no shell (\`sh\` is not in its PATH). Use runCommand, or add a shell to the image.`);
  }
}

/** An archive holds something that must not be unpacked. */
export class UnsafeArchiveError extends NiceEvalError {
  readonly code = 'unsafe-archive';
  constructor(readonly entry: string, detail: string) {
    super(`The archive entry ${JSON.stringify(entry)} was refused: ${detail}`);
  }
}

/** Something that the harness made could not be removed. */
export class SandboxCleanupError extends NiceEvalError {
  readonly code = 'sandbox-cleanup';
  constructor(readonly details: readonly string[]) {
    super(`Not everything could be removed: ${details.join('; ')}. \`niceeval clean\` tries again.`);
  }
}

/** An image that a sandbox needs could not be made or found. */
export class ImageError extends NiceEvalError {
  readonly code = 'image';
}

const TAIL_CHARACTERS = 600;

function tailOf(output: string): string {
  const text = output.trim();
  return text.length <= TAIL_CHARACTERS ? text : `...${text.slice(-TAIL_CHARACTERS)}`;
}

function endingText({ exitCode, ending }: { readonly exitCode: number; readonly ending?: CommandEnding }, memoryLimitBytes: number | undefined): string {
  if (ending === undefined) return `ended with exit code ${exitCode}`;
  switch (ending) {
    case 'not-found': return `was not found (exit code ${exitCode})`;
    case 'not-executable': return `cannot be executed (exit code ${exitCode})`;
    case 'not-started': return `could not be started (exit code ${exitCode})`;
    case 'out-of-memory': return `was killed for want of memory${memoryLimitBytes === undefined ? '' : `: limit ${sizeText(memoryLimitBytes)}`}`;
    case 'killed': return `was killed (${exitCode})`;
  }
}
