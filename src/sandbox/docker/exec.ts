import { Readable, type Duplex } from 'node:stream';
import type { Exec } from 'dockerode';
import { messageOf } from '../../lifetime/error.js';
import { EngineCallError, EngineSilentError, SandboxGoneError } from '../errors.js';
import type { ExitFacts } from '../exit-facts.js';
import type { ExecOptions } from '../sandbox.js';
import { openStopSignal } from '../stop-signal.js';
import { statusCodeOf, type Engine } from './engine.js';
import { demultiplex, type FrameSinks } from './frames.js';

/** How often the engine is asked whether a command still runs, while its output is open. */
const POLL_MS = 400;
/** A background child may hold the output open after the command ended; this long it must be quiet to be let go. */
const QUIET_MS = 250;
/** In so many looks: a process that was held up itself must not take that for quiet. */
const QUIET_LOOKS = 4;
/** An engine that is slow to answer is slow to hand over output, too: so many times as long it must be quiet. */
const SLOW_FACTOR = 4;
const DRAIN_LIMIT_MS = 5_000;
/** Output that nobody holds open any more must end this soon. */
const LATE_LIMIT_MS = 30_000;
/** After its output ended, a command's exit code must be known this soon. */
const EXIT_CODE_LIMIT_MS = 15_000;
/** After its processes were ended, a command's output must end this soon. */
const KILL_LIMIT_MS = 10_000;
/** Pauses between looks at a container whose command was killed. */
const GOING_MS = [50, 150, 300];

/** What one execution needs from the sandbox it runs in. */
export interface ExecTarget {
  readonly engine: Engine;
  readonly containerId: string;
  /** Ends every process of the user that a command runs as. */
  readonly endProcesses: (user: string) => Promise<void>;
  /** Whether a process is left that a command of this user may have started, and so may hold its output open. */
  readonly mayHoldOutput: (user: string) => Promise<boolean>;
}

/**
 * Runs a program in a container and waits until it ends, whatever holds its output open.
 *
 * @param options.shown The command as people know it, for messages. Default: `argv`.
 * @throws CommandTimeoutError, the signal's reason, SandboxGoneError, or an engine error.
 */
export async function execInContainer(
  target: ExecTarget,
  argv: readonly string[],
  options: ExecOptions & { readonly user: string; readonly cwd: string; readonly shown?: readonly string[] },
): Promise<ExitFacts> {
  options.signal?.throwIfAborted();
  const exec = await createExec(target, argv, options);
  const socket = await target.engine.call('start a command', (): Promise<Duplex> => exec.start({ hijack: true, stdin: true, Tty: options.tty === true }))
    .catch(async (error: unknown) => { throw await asGone(error, target); });
  sendInput(socket, options.stdin, options.tty === true);

  const activity: Activity = { pieces: 0, busy: false, broke: undefined };
  const pumped = pump(socket, options, activity);
  const stop = openStopSignal(options.shown ?? argv, options);
  try {
    const ended = pumped.then(() => 'output ended' as const);
    const first = await Promise.race([ended, ...(options.untilOutputEnds === true ? [] : [exitOf(target, exec, pumped)]), stop.stopped]);
    if (first === 'stopped') {
      await target.endProcesses(options.user);
      await Promise.race([pumped.catch(() => undefined), patience(KILL_LIMIT_MS)]);
      throw stop.reason();
    }
    const exit = first === 'output ended' ? await exitSoon(target, exec) : first;
    if (first !== 'output ended') await drained(target, options.user, { pumped, activity });
    if (activity.broke !== undefined) throw new EngineCallError('hand over the whole output of a command', undefined, messageOf(activity.broke), { cause: activity.broke });
    return exit;
  } finally {
    stop.close();
    socket.destroy();
  }
}

async function createExec(
  target: ExecTarget,
  argv: readonly string[],
  options: ExecOptions & { readonly user: string; readonly cwd: string },
): Promise<Exec> {
  try {
    return await target.engine.call('prepare a command', (docker) => docker.getContainer(target.containerId).exec({
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      Tty: options.tty === true,
      Cmd: [...argv],
      Env: Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value}`),
      WorkingDir: options.cwd,
      User: options.user,
    }));
  } catch (error) {
    throw await asGone(error, target);
  }
}

/** What a terminal takes for the end of input. */
const END_OF_INPUT = '\u0004';

function sendInput(socket: Duplex, stdin: ExecOptions['stdin'], tty: boolean): void {
  // A command that ends without reading its input breaks the pipe; its exit code tells the story.
  socket.on('error', () => undefined);
  const end = (): void => {
    // A terminal whose other end is closed hangs up; one that stays open says so by a character.
    if (tty) socket.write(END_OF_INPUT);
    else socket.end();
  };
  if (stdin instanceof Readable) {
    stdin.on('error', end).on('end', end);
    stdin.pipe(socket, { end: false });
    return;
  }
  if (stdin !== undefined) socket.write(stdin);
  end();
}

/** What is known of a command's output. */
interface Activity {
  /** How many pieces came. */
  pieces: number;
  /** A callback is under way. */
  busy: boolean;
  /** The connection broke, or ended in the middle of a piece: something of the output is lost. */
  broke: unknown;
}

/** Settles when the output ended. A broken connection counts as the end; whether the sandbox is gone decides what it meant. */
async function pump(socket: Duplex, options: ExecOptions, activity: Activity): Promise<void> {
  let failure: { error: unknown } | undefined;
  const into = (callback: FrameSinks['stdout'] | undefined) => async (chunk: Uint8Array): Promise<void> => {
    activity.pieces += 1;
    activity.busy = true;
    try {
      if (failure === undefined) await callback?.(chunk);
    } catch (error) {
      failure = { error }; // The caller's own error; the rest of the output is let through unread.
    } finally {
      activity.busy = false;
    }
  };
  const sinks = { stdout: into(options.onStdout), stderr: into(options.onStderr) };
  await (options.tty === true ? takeAll(socket, sinks.stdout) : demultiplex(socket, sinks)).catch((error: unknown) => { activity.broke = error; });
  if (failure !== undefined) throw failure.error;
}

/** The stream of a terminal has no frames. */
async function takeAll(socket: Duplex, sink: FrameSinks['stdout']): Promise<void> {
  for await (const chunk of socket as AsyncIterable<Buffer>) await sink(chunk);
}

/**
 * Waits for the rest of the output of a command that has ended: to its end, unless somebody who lives on holds it open and is quiet.
 * Output that is only late is waited for; one that lacks its end would be read as if it did not.
 */
async function drained(target: ExecTarget, user: string, { pumped, activity }: { readonly pumped: Promise<void>; readonly activity: Activity }): Promise<void> {
  let isOpen = true;
  const end = pumped.finally(() => { isOpen = false; });
  end.catch(() => undefined); // Output that is let go may break off later.
  const limit = performance.now() + DRAIN_LIMIT_MS;
  const quiet = async (ms: number): Promise<void> => {
    let seen = -1;
    for (let looks = 0; isOpen && looks < QUIET_LOOKS && performance.now() < limit;) {
      looks = activity.busy || activity.pieces !== seen ? 0 : looks + 1;
      seen = activity.pieces;
      await Promise.race([end, delay(ms / QUIET_LOOKS)]);
    }
  };
  await quiet(QUIET_MS);
  if (!isOpen) return end;
  const asked = performance.now();
  if (await target.mayHoldOutput(user)) {
    await quiet(Math.max(QUIET_MS, (performance.now() - asked) * SLOW_FACTOR));
    return isOpen ? undefined : end;
  }
  await Promise.race([end, patience(LATE_LIMIT_MS).then(() => { throw new EngineSilentError('hand over the output of a command', LATE_LIMIT_MS); })]);
}

/** Watches for the exit while the output is open. Never settles once the output ended. */
async function exitOf(target: ExecTarget, exec: Exec, pumped: Promise<void>): Promise<ExitFacts> {
  let open = true;
  void pumped.finally(() => { open = false; }).catch(() => undefined);
  while (open) {
    await delay(POLL_MS);
    if (!open) break;
    const exit = await exitNow(target, exec);
    if (exit !== undefined) return exit;
  }
  return new Promise(() => undefined);
}

async function exitSoon(target: ExecTarget, exec: Exec): Promise<ExitFacts> {
  const limit = performance.now() + EXIT_CODE_LIMIT_MS;
  for (let pause = 5; performance.now() < limit; pause = Math.min(pause * 2, POLL_MS)) {
    const exit = await exitNow(target, exec);
    if (exit !== undefined) return exit;
    await delay(pause);
  }
  throw new EngineSilentError('tell the exit code of a command', EXIT_CODE_LIMIT_MS);
}

/** The end, or `undefined` while the command runs. A missing code is never taken for 0. */
async function exitNow(target: ExecTarget, exec: Exec): Promise<ExitFacts | undefined> {
  const state = await target.engine.call('look at a command', () => exec.inspect())
    .catch(async (error: unknown) => { throw await asGone(error, target); });
  if (state.Running) return undefined;
  // Docker gives a number to what it started, and to nothing else.
  const started = state.Pid !== 0 || !target.engine.dialect.tellsWhatRan;
  if (state.ExitCode !== null && state.ExitCode !== 137) return { exitCode: state.ExitCode, started };
  // Killed, or the code got lost: a container that ended explains both. One that is being ended may still be told as
  // running for a moment.
  for (const pause of GOING_MS) {
    const container = await target.engine.call('look at a container', (docker) => docker.getContainer(target.containerId).inspect())
      .catch(async (error: unknown) => { throw await asGone(error, target); });
    if (!container.State.Running || ['removing', 'dead', 'exited'].includes(container.State.Status)) {
      throw new SandboxGoneError(target.containerId, `its container ended with exit code ${container.State.ExitCode}`);
    }
    await delay(pause);
  }
  return state.ExitCode === null ? undefined : { exitCode: state.ExitCode, started };
}

/**
 * 404 and 409 on a container of ours mean that somebody else ended it. So does any other refusal when the container turns
 * out to be missing: Podman answers 500 about a command whose container was removed meanwhile.
 */
async function asGone(error: unknown, { engine, containerId }: ExecTarget): Promise<unknown> {
  const status = error instanceof EngineCallError ? statusCodeOf(error) : undefined;
  if (status === undefined) return error;
  const isGone = status === 404 || status === 409 || await engine.call('look at a container', (docker) => docker.getContainer(containerId).inspect())
    .then(() => false, (reason: unknown) => reason instanceof EngineCallError && statusCodeOf(reason) === 404);
  return isGone ? new SandboxGoneError(containerId, messageOf(error), { cause: error }) : error;
}

/** As `delay`, but nothing stays alive for it. */
function patience(ms: number): Promise<void> {
  return new Promise((resolve) => { setTimeout(resolve, ms).unref(); });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}
