import { createHash, randomBytes } from 'node:crypto';
import type { NamedCheck } from './stage.js';

const MANY_BYTES = 5_000_000;
/** More than lies in pipes, sockets and buffers between a command and its reader. */
const TOO_MANY_BYTES = 64_000_000;
/** A command that nobody holds back has long printed everything. */
const HELD_MS = 700;
/** A child that holds the output open lives longer than this. */
const RETURN_LIMIT_MS = 60_000;

export const everyByte = Uint8Array.from({ length: 256 }, (_item, index) => index);

/** What commands print. */
export const outputChecks: readonly NamedCheck[] = [
  {
    name: 'keeps standard output and standard error apart',
    play: async ({ sandbox, equal }) => {
      const { stdout, stderr } = await sandbox.runShell('echo out; echo err >&2; echo out2; echo err2 >&2');
      equal('a script that prints to both', { stdout, stderr }, { stdout: 'out\nout2\n', stderr: 'err\nerr2\n' });
    },
  },
  {
    name: 'hands over every byte of both streams',
    play: async ({ sandbox, equal, at }) => {
      await sandbox.writeBytes(at('all'), everyByte);
      const [out, err]: [Buffer[], Buffer[]] = [[], []];
      await sandbox.exec(['sh', '-c', 'cat "$1"; cat "$1" >&2', 'sh', at('all')], { onStdout: (chunk) => { out.push(Buffer.from(chunk)); }, onStderr: (chunk) => { err.push(Buffer.from(chunk)); } });
      const expected = Buffer.from(everyByte).toString('hex');
      equal('all 256 bytes on both streams', { out: Buffer.concat(out).toString('hex'), err: Buffer.concat(err).toString('hex') }, { out: expected, err: expected });
    },
  },
  {
    name: 'carries 5 MB in and out unharmed',
    play: async ({ sandbox, equal }) => {
      const bytes = randomBytes(MANY_BYTES);
      const hash = createHash('sha256');
      const { exitCode } = await sandbox.exec(['cat'], { stdin: bytes, onStdout: (chunk) => { hash.update(chunk); } });
      equal('cat of 5 MB', { exitCode, sha256: hash.digest('hex') }, { exitCode: 0, sha256: createHash('sha256').update(bytes).digest('hex') });
    },
  },
  {
    name: 'keeps a character whole that comes in two pieces',
    play: async ({ sandbox, equal }) => {
      equal('a character of three bytes', (await sandbox.runShell("printf '\\344'; sleep 0.3; printf '\\270\\255'")).stdout, '\u4e2d');
    },
  },
  {
    name: 'holds a command back while a callback is busy',
    play: async ({ sandbox, equal, at }) => {
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => { release = resolve; });
      let [sizeBytes, calls] = [0, 0];
      const running = sandbox.exec(['sh', '-c', 'head -c "$1" /dev/zero; : > "$2"', 'sh', String(TOO_MANY_BYTES), at('printed')], {
        onStdout: async (chunk) => {
          sizeBytes += chunk.length;
          calls += 1;
          await held;
        },
      });
      running.catch(() => undefined); // Waited for below.
      await new Promise((resolve) => { setTimeout(resolve, HELD_MS); });
      const whileHeld = { calls, isPrinted: await sandbox.pathExists(at('printed')) };
      release();
      await running;
      equal('a command that prints 64 MB to a reader that waits', { ...whileHeld, sizeBytes }, { calls: 1, isPrinted: false, sizeBytes: TOO_MANY_BYTES });
    },
  },
  {
    name: 'passes on what a callback throws',
    play: async ({ sandbox, equal, rejects }) => {
      const thrown = new RangeError('of the caller');
      const error = await rejects('a callback that throws', sandbox.runCommand('echo', ['x'], { onStdout: () => { throw thrown; } }), RangeError);
      equal('its own error', error === thrown, true);
    },
  },
  {
    name: 'replaces sensitive values, also where one comes in two pieces',
    play: async ({ sandbox, equal }) => {
      let seen = '';
      const { stdout, stderr } = await sandbox.runShell("printf 'a hush'; sleep 0.3; printf -- '-hush b'; printf 'hush-hush' >&2", {
        sensitiveValues: ['hush-hush'], onStdout: (chunk) => { seen += Buffer.from(chunk).toString(); },
      });
      equal('a secret in both streams', { stdout, stderr, seen }, { stdout: 'a [redacted] b', stderr: '[redacted]', seen: 'a [redacted] b' });
    },
  },
  {
    name: 'returns when the command has ended, though a child of it holds the output open',
    play: async ({ sandbox, equal, holds }) => {
      const { exitCode, stdout, durationMs } = await sandbox.runShell('sleep 600 & echo done; exit 4');
      await sandbox.endAgentProcesses();
      equal('a script that leaves a child', { exitCode, stdout }, { exitCode: 4, stdout: 'done\n' });
      holds('a script that leaves a child', durationMs < RETURN_LIMIT_MS, `an answer within ${RETURN_LIMIT_MS} ms`, `one after ${durationMs} ms`);
    },
  },
  {
    name: 'lets a command open its standard streams by name',
    play: async ({ sandbox, equal }) => {
      const { exitCode, stdout, stderr } = await sandbox.runCommand('sh', ['-c', 'cat /dev/stdin > /dev/stdout; echo err > /dev/stderr'], { stdin: 'in\n' });
      equal('a script that opens /dev/stdin, /dev/stdout and /dev/stderr', { exitCode, stdout, stderr }, { exitCode: 0, stdout: 'in\n', stderr: 'err\n' });
    },
  },
];
