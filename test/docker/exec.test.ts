import { randomBytes, createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandTimeoutError, SandboxCommandExitError, SandboxGoneError } from '../../src/sandbox/errors.js';
import { execa } from 'execa';
import { openTestSandbox, type TestSandbox } from '../support/sandboxes.js';

describe('commands in a sandbox', () => {
  let open: TestSandbox;
  beforeAll(async () => { open = await openTestSandbox(); });
  afterAll(() => open[Symbol.asyncDispose]());

  it.each([0, 1, 7, 126, 127, 137, 255])('tells exit code %i exactly', async (code) => {
    expect((await open.sandbox.runShell(`exit ${code}`)).exitCode).toBe(code);
  });

  it('keeps standard output and standard error apart', async () => {
    const { stdout, stderr } = await open.sandbox.runShell('echo out; echo err >&2; echo out2');
    expect({ stdout, stderr }).toEqual({ stdout: 'out\nout2\n', stderr: 'err\n' });
  });

  it('passes words to a program without a shell', async () => {
    const { stdout } = await open.sandbox.runCommand('printf', ['%s|', 'a b', '$HOME', '*', '; exit 3', '']);
    expect(stdout).toBe('a b|$HOME|*|; exit 3||');
  });

  it('says that a program is missing instead of blaming what it printed', async () => {
    const { exitCode, stdout, stderr } = await open.sandbox.runCommand('no-such-program');
    expect({ exitCode, stdout }).toEqual({ exitCode: 127, stdout: '' });
    expect(stderr).toContain('no-such-program');
  });

  it('gives a command its input and then the end of input', async () => {
    expect((await open.sandbox.runCommand('cat', [], { stdin: 'one\ntwo' })).stdout).toBe('one\ntwo');
    expect((await open.sandbox.runCommand('cat')).stdout).toBe('');
  });

  it('carries megabytes of any bytes unharmed', async () => {
    const bytes = randomBytes(5_000_000);
    const hash = createHash('sha256');
    await open.sandbox.exec(['cat'], { stdin: bytes, onStdout: (chunk) => { hash.update(chunk); } });
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('keeps a character whole that comes in two pieces', async () => {
    expect((await open.sandbox.runShell("printf '\\344'; sleep 0.3; printf '\\270\\255'")).stdout).toBe('中');
  });

  it('returns when the command ended, though a child of it holds the output open', async () => {
    const result = await open.sandbox.runShell('sleep 600 & echo done');
    expect({ exitCode: result.exitCode, stdout: result.stdout }).toEqual({ exitCode: 0, stdout: 'done\n' });
    expect(result.durationMs).toBeLessThan(60_000);
    await open.sandbox.endAgentProcesses();
    expect(await open.sandbox.agentProcesses()).toEqual([]);
  });

  it.each([
    ['its own child', 'sleep 600'],
    ['a child that left the session', 'setsid sleep 600 & sleep 600'],
    ['a child of a child that is gone', '(sleep 600 & ) ; sleep 600'],
    ['a process that ignores SIGTERM', "trap '' TERM; sleep 600"],
  ])('ends %s when the time is up, names the command, and stays usable', async (_what, script) => {
    const thrown = await open.sandbox.runShell(script, { timeoutMs: 700 }).catch((error: unknown) => error);
    expect(thrown).toEqual(new CommandTimeoutError([script], 700));
    expect(await open.sandbox.agentProcesses()).toEqual([]);
    expect((await open.sandbox.runCommand('echo', ['alive'])).stdout).toBe('alive\n');
  });

  it('ends a command of root when the time is up, and the sandbox lives on', async () => {
    await expect(open.sandbox.runShell('setsid sleep 600 & sleep 600', { user: 'root', timeoutMs: 700 })).rejects.toThrow(CommandTimeoutError);
    expect(await open.sandbox.isRunning()).toBe(true);
    const left = await open.sandbox.runShell("grep -l 'sleep' /proc/[0-9]*/comm | wc -l", { user: 'root' });
    expect(left.stdout.trim()).toBe('1'); // The keeper.
  });

  it('ends a command when its signal is aborted', async () => {
    const controller = new AbortController();
    const running = open.sandbox.runCommand('sleep', ['600'], { signal: controller.signal, onStdout: () => undefined });
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(await open.sandbox.agentProcesses()).toEqual([]);
  });

  it('replaces sensitive values, also where they come in two pieces', async () => {
    const seen: string[] = [];
    const result = await open.sandbox.runShell("printf 'a sec'; sleep 0.3; printf 'ret b'; printf 'secret' >&2", {
      sensitiveValues: ['secret'], onStdout: (chunk) => { seen.push(Buffer.from(chunk).toString()); },
    });
    expect({ stdout: result.stdout, stderr: result.stderr, seen: seen.join('') }).toEqual({
      stdout: 'a [redacted] b', stderr: '[redacted]', seen: 'a [redacted] b',
    });
  });

  it('hides the environment of a command from the settings of the container', async () => {
    const { stdout } = await open.sandbox.runShell('echo "$TOKEN"', { env: { TOKEN: 'hush-hush' } });
    expect(stdout).toBe('hush-hush\n');
    expect((await execa('docker', ['inspect', open.sandbox.id])).stdout).not.toContain('hush-hush');
  });

  it('throws with the output when a command had to succeed', async () => {
    const thrown = await open.sandbox.runShellOrThrow('echo why >&2; exit 3').catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(SandboxCommandExitError);
    expect((thrown as Error).message).toBe('"echo why >&2; exit 3" ended with exit code 3. why');
  });

  it('says that the sandbox is gone when its container was removed under a command', async () => {
    await using other = await openTestSandbox();
    const running = other.sandbox.runShell('echo started; sleep 600', { onStdout: () => { void execa('docker', ['rm', '-f', other.sandbox.id]); } });
    await expect(running).rejects.toThrow(SandboxGoneError);
    await expect(other.sandbox.runCommand('true')).rejects.toThrow(SandboxGoneError);
    expect(await other.sandbox.isRunning()).toBe(false);
  });
});
