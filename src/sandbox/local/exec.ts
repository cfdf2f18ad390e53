import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { Readable, type Writable } from 'node:stream';
import type { ExitFacts } from '../exit-facts.js';
import type { ExecOptions } from '../sandbox.js';
import { openStopSignal } from '../stop-signal.js';
import { openPipes, type CommandPipes } from './pipes.js';
import { findProgram, startFailureOf, type StartFailure } from './program.js';

/** A background child may hold the output open after the command ended; this long it must be quiet to be let go. */
const QUIET_MS = 250;
/** In so many looks: a process that was held up itself must not take that for quiet. */
const QUIET_LOOKS = 8;
/** More than a pipe and a reader hold: what comes after that many bytes was printed after the command ended. */
const HELD_BYTES = 2 * 1024 * 1024;
/** After its processes were ended, a command's output must end this soon. */
const KILL_LIMIT_MS = 10_000;

/** What one execution needs of its sandbox. */
export interface LocalExecTarget {
  /** For the names of pipes. */
  readonly folder: string;
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly started: (group: number) => void;
  /** Ends every process of the sandbox. */
  readonly endProcesses: () => Promise<void>;
}

/** How an execution ended. With `failure` it never ran. */
export type LocalExit = ExitFacts & { readonly failure?: StartFailure };

/**
 * Runs a program of this machine, in a session of its own, and waits until it ends, whatever holds its output open.
 *
 * @param options.cwd Absolute.
 * @param options.shown The command as people know it, for messages.
 * @throws CommandTimeoutError, or the signal's reason; every process of the sandbox is gone by then.
 */
export async function execHere(
  target: LocalExecTarget,
  argv: readonly string[],
  options: ExecOptions & { readonly cwd: string; readonly shown: readonly string[] },
): Promise<LocalExit> {
  options.signal?.throwIfAborted();
  const [name = '', ...args] = argv;
  const program = await findProgram(name, { cwd: options.cwd, path: target.env['PATH'] ?? '' });
  if (program.state === 'failed') return exitOf(program);
  const pipes = await openPipes(target.folder, options.stdin);
  const activity: Activity = { busy: 0, bytes: 0, failures: [] };
  const stop = openStopSignal(options.shown, options);
  try {
    const start = await started(program.path, [name, ...args], { pipes, cwd: options.cwd, env: target.env });
    if (start.state === 'refused') return exitOf(startFailureOf(name, start.error));
    target.started(start.group);
    if (start.stdin !== null && options.stdin instanceof Readable) sendInput(start.stdin, options.stdin);
    const pumped = pump(pipes, options, activity);
    const ended = options.untilOutputEnds === true ? pumped.then(() => start.ended) : start.ended;
    const first = await Promise.race([ended, stop.stopped]);
    if (first === 'stopped') {
      await target.endProcesses();
      await Promise.race([pumped, patience(KILL_LIMIT_MS)]);
      throw stop.reason();
    }
    await drained(pumped, activity);
    if (activity.failures.length > 0) throw activity.failures[0];
    return first;
  } finally {
    stop.close();
    for (const stream of [pipes.stdout, pipes.stderr]) stream.destroy();
  }
}

interface Activity {
  /** Callbacks under way. */
  busy: number;
  bytes: number;
  /** What callbacks threw: the caller's own errors. */
  readonly failures: unknown[];
}

type Start =
  | { readonly state: 'running'; readonly group: number; readonly stdin: Writable | null; readonly ended: Promise<LocalExit> }
  | { readonly state: 'refused'; readonly error: NodeJS.ErrnoException };

async function started(
  path: string,
  argv: readonly string[],
  { pipes, cwd, env }: { readonly pipes: CommandPipes; readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Start> {
  try {
    // Detached: a session, and so a process group, of its own.
    const child = spawn(path, argv.slice(1), { argv0: argv[0] ?? path, cwd, env, detached: true, stdio: [...pipes.childEnds] });
    const ended = endOf(child);
    return await new Promise((resolve) => {
      child.once('spawn', () => resolve({ state: 'running', group: child.pid ?? 0, stdin: child.stdin, ended }));
      child.once('error', (error) => resolve({ state: 'refused', error }));
    });
  } catch (error) {
    return { state: 'refused', error: error as NodeJS.ErrnoException }; // Words or an environment that hold a NUL byte.
  } finally {
    pipes.closeChildEnds();
  }
}

/** Killed by a signal counts as in a shell: 128 and its number. A code that is missing is never taken for 0. */
function endOf(child: ChildProcess): Promise<LocalExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ exitCode: signal === null ? code ?? 255 : 128 + constants.signals[signal], started: true }));
  });
}

function exitOf(failure: StartFailure): LocalExit {
  return { exitCode: failure.exitCode, started: false, failure };
}

function sendInput(stream: Writable, stdin: Readable): void {
  // A command that ends without reading its input breaks the pipe; its exit code tells the story.
  stream.on('error', () => undefined);
  stdin.on('error', () => stream.end());
  stdin.pipe(stream);
}

/** Settles when both streams ended. Never rejects. */
async function pump(pipes: CommandPipes, options: ExecOptions, activity: Activity): Promise<void> {
  const through = async (stream: Readable, callback: ExecOptions['onStdout']): Promise<void> => {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      activity.bytes += chunk.length;
      activity.busy += 1;
      try {
        // After an error of the caller the rest of the output is let through unread.
        if (activity.failures.length === 0) await callback?.(chunk);
      } catch (error) {
        activity.failures.push(error);
      }
      activity.busy -= 1;
    }
  };
  // A stream that is let go before its end, since the command has ended, breaks off.
  await Promise.allSettled([through(pipes.stdout, options.onStdout), through(pipes.stderr, options.onStderr)]);
}

/** Waits for the end of the output, or until what is left of it can only come from others. */
async function drained(pumped: Promise<void>, activity: Activity): Promise<void> {
  const before = activity.bytes;
  let seen = -1;
  let ended = false;
  const end = pumped.then(() => { ended = true; });
  for (let looks = 0; !ended && activity.bytes - before < HELD_BYTES && looks < QUIET_LOOKS;) {
    looks = activity.busy > 0 || activity.bytes !== seen ? 0 : looks + 1;
    seen = activity.bytes;
    await Promise.race([end, new Promise((resolve) => { setTimeout(resolve, QUIET_MS / QUIET_LOOKS); })]);
  }
}

/** Nothing stays alive for it. */
function patience(ms: number): Promise<void> {
  return new Promise((resolve) => { setTimeout(resolve, ms).unref(); });
}
