import { posix } from 'node:path';
import { messageOf } from '../lifetime/error.js';
import { SandboxGoneError } from '../sandbox/errors.js';
import type { SandboxAgentContext } from './agent.js';
import type { ProcessEnd, Witness } from './transcript.js';

/** One start of a CLI. */
export interface LaunchOptions {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What the CLI reads; its input ends after it. */
  readonly stdin: string;
  /** Values that are replaced in messages. */
  readonly onStdout?: (chunk: Uint8Array) => void;
}

/** How a CLI's process ended, with everything it printed. */
export interface Launched {
  readonly end: ProcessEnd;
  readonly stdout: Uint8Array;
  readonly stderr: string;
  /** Why the harness or the sandbox ended it. Absent: it ended by itself. */
  readonly stopped?: unknown;
}

/**
 * Runs a CLI in the sandbox as the agent's user. Its output goes to a file there and is followed: with a pipe, a CLI
 * that is faster than its reader has been seen to lose whole lines and to end with 0 all the same. The raw bytes are
 * stored before anything reads them.
 *
 * Never rejects because the CLI failed, timed out or lost its sandbox; `stopped` tells.
 */
export async function launch(ctx: SandboxAgentContext, options: LaunchOptions): Promise<Launched> {
  const folder = posix.join('/tmp', `niceeval-${ctx.session.ordinal}-${crypto.randomUUID()}`);
  const raw = await ctx.openRaw('stdout.jsonl');
  const chunks: Buffer[] = [];
  let seenBytes = 0;
  const see = async (chunk: Uint8Array): Promise<void> => {
    const copy = Buffer.from(chunk);
    chunks.push(copy);
    seenBytes += copy.length;
    await raw.write(copy);
    options.onStdout?.(copy);
  };
  let exitCode: number | null = null;
  let stopped: unknown;
  let shellTrouble = '';
  try {
    ({ exitCode } = await ctx.sandbox.exec(['/bin/sh', '-c', LAUNCH_SCRIPT, 'sh', folder, ...options.argv], {
      env: options.env,
      stdin: options.stdin,
      signal: ctx.signal,
      onStdout: see,
      onStderr: (chunk) => { shellTrouble = (shellTrouble + Buffer.from(chunk).toString('utf8')).slice(-4000); },
    }));
  } catch (error) {
    stopped = error;
  }
  const stderr = await readBack(ctx, posix.join(folder, 'stderr'));
  // The file is the truth; what was followed may end early when the CLI was killed.
  const whole = await readBack(ctx, posix.join(folder, 'stdout'));
  if (whole !== undefined && whole.length > seenBytes) await see(whole.subarray(seenBytes));
  await raw.close();
  const stderrText = stderr === undefined ? shellTrouble : Buffer.from(stderr).toString('utf8');
  if (stderrText !== '') {
    const sink = await ctx.openRaw('stderr.txt');
    await sink.write(Buffer.from(stderrText));
    await sink.close();
  }
  return {
    end: { exitCode, ...(stopped === undefined || stopped instanceof SandboxGoneError ? {} : { stoppedByHarness: true }) },
    stdout: Buffer.concat(chunks),
    stderr: stderrText,
    ...(stopped === undefined ? {} : { stopped }),
  };
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

/** Files below a folder of the sandbox as witnesses; none when there is no such folder. */
export async function collectWitnesses(ctx: SandboxAgentContext, kind: Witness['kind'], folder: string, suffixes: readonly string[]): Promise<readonly Witness[]> {
  const { extract } = await import('tar-stream');
  const witnesses: Witness[] = [];
  try {
    const archive = await ctx.sandbox.archive(folder);
    for await (const entry of archive.pipe(extract())) {
      if (entry.header.type !== 'file' || !suffixes.some((suffix) => entry.header.name.endsWith(suffix))) {
        entry.resume();
        continue;
      }
      const parts: Buffer[] = [];
      for await (const part of entry as AsyncIterable<Buffer>) parts.push(part);
      witnesses.push({ kind, path: entry.header.name, bytes: Buffer.concat(parts) });
    }
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'sandbox-path') ctx.diagnostic(`${kind}-files-missing`, `${folder} could not be read: ${messageOf(error)}`);
  }
  return witnesses;
}
