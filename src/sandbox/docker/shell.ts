import { once } from 'node:events';
import type { Duplex, Readable, Writable } from 'node:stream';
import { SandboxInputError } from '../errors.js';
import { isKeptName, ATTEMPT_LABEL, LABEL, ROLE_LABEL, RUN_LABEL, USER_LABEL } from './labels.js';
import { statusCodeOf, type Engine } from './engine.js';
import { demultiplex } from './frames.js';

/** A living sandbox, as people know it. */
export interface FoundSandbox {
  readonly id: string;
  readonly name: string;
  readonly runId: string;
  readonly attemptId: string;
  /** Its Attempt has ended. */
  readonly isKept: boolean;
}

/** The living sandboxes of all runs in the engine, the newest first. */
export async function livingSandboxes(engine: Engine): Promise<readonly FoundSandbox[]> {
  const filters = JSON.stringify({ label: [LABEL, `${ROLE_LABEL}=sandbox`], status: ['running'] });
  const found = await engine.call('list containers', (docker) => docker.listContainers({ filters }));
  return [...found].sort((a, b) => b.Created - a.Created).map(({ Id: id, Names: names, Labels: labels }) => {
    const name = (names[0] ?? id).replace(/^\//, '');
    return { id, name, runId: labels[RUN_LABEL] ?? '', attemptId: labels[ATTEMPT_LABEL] ?? '', isKept: isKeptName(name) };
  });
}

/**
 * The sandbox that a person means: by the Attempt's id or the beginning of it, or by the container's name. Of several runs the newest.
 *
 * @throws SandboxInputError when there is none, or the beginning fits several Attempts.
 */
export function pickSandbox(all: readonly FoundSandbox[], wanted: string): FoundSandbox {
  const exact = all.find(({ attemptId, name }) => attemptId === wanted || name === wanted);
  if (exact !== undefined) return exact;
  const fitting = all.filter(({ attemptId }) => attemptId.startsWith(wanted));
  const ids = [...new Set(fitting.map(({ attemptId }) => attemptId))];
  if (ids.length > 1) throw new SandboxInputError(`"${wanted}" fits several Attempts: ${ids.join(', ')}. Say more of the id.`);
  const [only] = fitting;
  if (only !== undefined) return only;
  const there = all.length === 0 ? 'No sandbox lives' : `There are: ${[...new Set(all.map(({ attemptId }) => attemptId))].join(', ')}`;
  throw new SandboxInputError(`No living sandbox belongs to "${wanted}". ${there}. A sandbox outlives its Attempt only with \`niceeval run --keep-sandbox\`.`);
}

/** Where a shell talks to. */
export interface ShellStreams {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(mode: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly stderr: Writable;
}

/**
 * Runs a command in a sandbox with the caller's own streams, as a terminal where they are one. Ends with the command.
 *
 * @param options.argv Default: the best shell that the image has.
 * @param options.user Default: the agent's.
 * @returns the exit code.
 */
export async function runInSandbox(engine: Engine, sandbox: FoundSandbox, options: { readonly argv: readonly string[]; readonly user?: string }, streams: ShellStreams): Promise<number> {
  const tty = streams.stdin.isTTY === true && streams.stdout.isTTY === true;
  const { Config: config } = await engine.call('look at a sandbox', (docker) => docker.getContainer(sandbox.id).inspect());
  const exec = await engine.call('prepare a shell', (docker) => docker.getContainer(sandbox.id).exec({
    AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: tty,
    Cmd: options.argv.length > 0 ? [...options.argv] : ['sh', '-c', 'if command -v bash >/dev/null 2>&1; then exec bash; else exec sh; fi'],
    // The container's own user is the keeper's.
    User: options.user ?? config.Labels[USER_LABEL] ?? '0',
    WorkingDir: config.WorkingDir || '/',
    Env: tty ? [`TERM=${process.env['TERM'] ?? 'xterm'}`] : [],
  }));
  const socket = await engine.call('start a shell', (): Promise<Duplex> => exec.start({ hijack: true, stdin: true, Tty: tty }));
  const resize = (): void => {
    const { columns: w, rows: h } = streams.stdout;
    if (w !== undefined && h !== undefined) exec.resize({ w, h }).catch(() => undefined);
  };
  if (tty) {
    streams.stdin.setRawMode?.(true);
    streams.stdout.on('resize', resize);
    resize();
  }
  socket.on('error', () => undefined); // Its end says the same.
  streams.stdin.pipe(socket);
  try {
    const write = (to: Writable) => async (chunk: Uint8Array): Promise<void> => { if (!to.write(chunk)) await once(to, 'drain'); };
    if (tty) for await (const chunk of socket) await write(streams.stdout)(chunk as Uint8Array);
    else await demultiplex(socket, { stdout: write(streams.stdout), stderr: write(streams.stderr) });
  } catch (error) {
    if (statusCodeOf(error) !== undefined) throw error;
  } finally {
    streams.stdin.unpipe(socket);
    streams.stdin.pause();
    socket.destroy();
    if (tty) {
      streams.stdin.setRawMode?.(false);
      streams.stdout.off('resize', resize);
    }
  }
  const { ExitCode: exitCode } = await engine.call('look at a shell', () => exec.inspect());
  return exitCode ?? 1;
}
