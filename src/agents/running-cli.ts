import { posix } from 'node:path';
import { PassThrough } from 'node:stream';
import { messageOf } from '../lifetime/error.js';
import { SandboxGoneError } from '../sandbox/errors.js';
import { createRedactor, redactedBytes } from '../sandbox/redactor.js';
import type { SandboxAgentContext } from './agent.js';
import type { ProcessEnd } from './transcript.js';

/** One start of a CLI. */
export interface CliStart {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What is written to its input is kept as raw `stdin.jsonl`. Default: false. */
  readonly keepInput?: boolean;
  /** Values that are replaced by `[redacted]` before the first byte is stored. Default: none. */
  readonly sensitiveValues?: readonly string[];
  /** Called with each piece of stdout, after it was stored. */
  readonly onStdout?: (chunk: Uint8Array) => void;
}

/** How a CLI's process ended. */
export interface CliEnd {
  readonly end: ProcessEnd;
  readonly stderr: string;
  /** Why the harness or the sandbox ended it. Absent: it ended by itself. */
  readonly stopped?: unknown;
}

/** A CLI at work in the sandbox. It is spoken to over its standard input and may outlive the send that started it. */
export interface RunningCli {
  /** Writes to its input. A CLI that has ended hears nothing. */
  write(text: string): void;
  endInput(): void;
  /** Stdout since the last call. `wholeLines`: what follows the last line feed is left for the next one. */
  takeOutput(options?: { readonly wholeLines?: boolean }): Uint8Array;
  /** Called after each piece of stdout, until replaced. */
  listen(listener: (() => void) | undefined): void;
  /** Never rejects. */
  readonly ended: Promise<CliEnd>;
  /** Ends its processes and waits until they are gone. */
  stop(reason: Error): Promise<void>;
}

/**
 * Starts a CLI in the sandbox as the agent's user. Its output goes to a file there and is followed: with a pipe, a CLI
 * that is faster than its reader has been seen to lose whole lines and to end with 0 all the same. The raw bytes are
 * stored before anything reads them.
 *
 * Whoever leaves it running after a send registers `stop` with `ctx.onEnd`.
 */
export async function startCli(ctx: SandboxAgentContext, start: CliStart): Promise<RunningCli> {
  const folder = posix.join(ctx.sandbox.temporaryFolder, `niceeval-${ctx.session.ordinal}-${crypto.randomUUID()}`);
  const raw = await ctx.openRaw('stdout.jsonl');
  const rawInput = start.keepInput === true ? await ctx.openRaw('stdin.jsonl') : undefined;
  const secrets = start.sensitiveValues ?? [];
  const redactor = createRedactor(secrets);
  const input = new PassThrough();
  const stop = new AbortController();
  let untaken: Uint8Array[] = [];
  let seenBytes = 0;
  let listener: (() => void) | undefined;
  let keptInput = Promise.resolve();

  const pass = async (safe: Uint8Array): Promise<void> => {
    if (safe.length === 0) return;
    const copy = Buffer.from(safe);
    untaken.push(copy);
    await raw.write(copy);
    start.onStdout?.(copy);
    listener?.();
  };
  const see = (chunk: Uint8Array): Promise<void> => {
    seenBytes += chunk.length;
    return pass(redactor.push(chunk));
  };

  /** What was printed and not followed, and stderr. @returns the text of stderr. */
  const keepTheRest = async (shellTrouble: string): Promise<string> => {
    const stderr = await readBack(ctx, posix.join(folder, 'stderr'));
    // The file is the truth; what was followed may end early when the CLI was killed.
    const whole = await readBack(ctx, posix.join(folder, 'stdout'));
    if (whole !== undefined && whole.length > seenBytes) await see(whole.subarray(seenBytes));
    await pass(redactor.flush());
    await raw.close();
    await keptInput;
    await rawInput?.close();
    const text = Buffer.from(redactedBytes(secrets, stderr ?? Buffer.from(shellTrouble))).toString('utf8');
    if (text !== '') {
      const sink = await ctx.openRaw('stderr.txt');
      await sink.write(Buffer.from(text));
      await sink.close();
    }
    return text;
  };

  const work = async (): Promise<CliEnd> => {
    let exitCode: number | null = null;
    let stopped: unknown;
    let shellTrouble = '';
    try {
      ({ exitCode } = await ctx.sandbox.exec(['/bin/sh', '-c', LAUNCH_SCRIPT, 'sh', folder, ...start.argv], {
        env: start.env,
        stdin: input,
        signal: stop.signal,
        onStdout: see,
        onStderr: (chunk) => { shellTrouble = (shellTrouble + Buffer.from(chunk).toString('utf8')).slice(-4000); },
      }));
    } catch (error) {
      stopped = error;
    }
    input.destroy();
    let stderrText = '';
    try {
      stderrText = await keepTheRest(shellTrouble);
    } catch (error) {
      stopped ??= error; // What cannot be stored must not be judged.
    }
    return {
      end: { exitCode, ...(stopped === undefined || stopped instanceof SandboxGoneError ? {} : { stoppedByHarness: true }) },
      stderr: stderrText,
      ...(stopped === undefined ? {} : { stopped }),
    };
  };

  const ended = work();
  return {
    ended,
    write(text) {
      if (input.destroyed || input.writableEnded) return;
      input.write(text);
      if (rawInput === undefined) return;
      keptInput = keptInput.then(() => rawInput.write(redactedBytes(secrets, Buffer.from(text))));
      keptInput.catch(() => undefined); // Told at the end, where it is waited for.
    },
    endInput: () => { input.end(); },
    takeOutput: ({ wholeLines = false } = {}) => {
      const all = Buffer.concat(untaken);
      const end = wholeLines ? all.lastIndexOf(LINE_FEED) + 1 : all.length;
      untaken = end === all.length ? [] : [all.subarray(end)];
      return all.subarray(0, end);
    },
    listen: (heard) => { listener = heard; },
    stop: async (reason) => {
      stop.abort(reason);
      await ended;
    },
  };
}

const LINE_FEED = 0x0a;

/** A CLI that has nothing more to ask for is quiet; this long nothing more may come before a person is asked. */
const QUIET_MS = 250;

/** Lets a CLI work until its process has ended, or until it asks a person and does nothing else that is heard of. */
export function untilRest(cli: RunningCli, isAsking: () => boolean): Promise<'ended' | 'asking'> {
  return new Promise((resolve) => {
    let quiet: NodeJS.Timeout | undefined;
    const rest = (how: 'ended' | 'asking'): void => {
      clearTimeout(quiet);
      cli.listen(undefined);
      resolve(how);
    };
    const look = (): void => {
      clearTimeout(quiet);
      if (isAsking()) quiet = setTimeout(() => rest('asking'), QUIET_MS);
    };
    cli.listen(look);
    void cli.ended.then(() => rest('ended'));
    look();
  });
}

// $1 is a private folder, the rest is the CLI. Its input is the script's own; a background job would get none.
// tail ends by itself once the CLI is gone and everything was passed on.
const LAUNCH_SCRIPT = `
folder=$1; shift
umask 077
mkdir "$folder" || exit 125
: > "$folder/stdout"
exec 3<&0
(umask 022; exec "$@") <&3 3<&- > "$folder/stdout" 2> "$folder/stderr" &
cli=$!
exec 3<&- < /dev/null
tail -c +1 -f -s 0.05 --pid="$cli" "$folder/stdout" &
follower=$!
wait "$cli"
code=$?
wait "$follower"
exit "$code"`;

/** `undefined`: there is no such file, or nobody left to ask. */
async function readBack(ctx: SandboxAgentContext, path: string): Promise<Uint8Array | undefined> {
  try {
    return await ctx.sandbox.readBytes(path);
  } catch (error) {
    ctx.diagnostic('raw-output-incomplete', `${path} could not be read back: ${messageOf(error)}`);
    return undefined;
  }
}
