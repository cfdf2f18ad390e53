import { Readable } from 'node:stream';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDockerProvider } from '../../src/sandbox/docker/provider.js';
import { docker } from '../../src/sandbox/docker/spec.js';
import { SandboxDiskError } from '../../src/sandbox/errors.js';
import type { OwnedSandbox } from '../../src/sandbox/sandbox.js';
import { openTestSandbox, testRunId, type TestSandbox } from '../support/sandboxes.js';

const MIB = 1024 ** 2;

describe('a sandbox that writes too much', () => {
  let open: TestSandbox;
  beforeAll(async () => { open = await openTestSandbox({ resources: { diskBytes: 64 * MIB } }); });
  afterAll(() => open[Symbol.asyncDispose]());

  it('runs what keeps to the limit', async () => {
    expect((await open.sandbox.runShell('head -c 20M /dev/zero > small && sleep 4')).exitCode).toBe(0);
    const { diskBytes = 0, diskLimitBytes } = await open.sandbox.resources() ?? {};
    expect(diskBytes).toBeGreaterThanOrEqual(20 * MIB);
    expect(diskBytes).toBeLessThan(21 * MIB);
    expect(diskLimitBytes).toBe(64 * MIB);
  });

  it('does not take a hole in a file for what is on the disk', async () => {
    expect((await open.sandbox.runShell('truncate -s 900M hole && sleep 5 && rm hole')).exitCode).toBe(0);
  });

  it('ends with the fact; nothing of the agent is left, and what is there can still be looked at', async () => {
    // At most 200 MB, whatever happens.
    const ended = await open.sandbox.runShell('(sleep 300 &) ; head -c 200M /dev/zero > big; sleep 300').catch((error: unknown) => error);
    expect(ended).toBeInstanceOf(SandboxDiskError);
    expect((ended as Error).message).toMatch(/^The sandbox wrote 2\d\d MiB; 64 MiB is its limit\. Raise `resources\.diskBytes` if the task needs more\.$/);
    await expect.poll(() => open.sandbox.agentProcesses()).toEqual([]);
    await expect(open.sandbox.runCommand('true')).rejects.toThrow(SandboxDiskError);
    expect((await open.sandbox.runCommand('stat', ['-c', '%s', 'big'], { user: 'root' })).stdout).toBe(`${200 * MIB}\n`);
    expect((await open.sandbox.resources())?.diskBytes).toBeGreaterThanOrEqual(200 * MIB);
  });
});

describe('other settings of a sandbox', () => {
  const openWith = async (options: Parameters<typeof docker>[0]): Promise<AsyncDisposable & { readonly sandbox: OwnedSandbox }> => {
    const provider = await openDockerProvider({ runId: testRunId() });
    try {
      const spec = docker(options);
      const image = await provider.prepareImage(spec);
      const sandbox = await provider.openSandbox(spec, { image, network: { kind: 'none' }, attemptId: 'settings', lifetimeMs: 300_000 });
      return { sandbox, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() as Promise<void> };
    } catch (error) {
      await provider[Symbol.asyncDispose]();
      throw error;
    }
  };

  it('are a root that cannot be written, with room to work', async () => {
    let volumes: readonly string[];
    {
      await using open = await openWith({ readOnlyRoot: true });
      const { sandbox } = open;
      const tried = await sandbox.runShell('for place in . "$HOME" /tmp /var/tmp; do touch "$place/x" && echo "$place"; done; touch /usr/local/x /opt/x; id -un');
      expect(tried.stdout).toBe('.\n/home/agent\n/tmp\n/var/tmp\nagent\n');
      expect((await sandbox.runShell('touch /etc/x /root/x /x', { user: 'root' })).stderr.match(/Read-only file system/g)).toHaveLength(3);
      await sandbox.writeText('by/the/eval.txt', 'x');
      expect((await sandbox.runShell('echo more >> by/the/eval.txt && cat by/the/eval.txt')).stdout).toBe('xmore\n');
      expect((await execa('docker', ['inspect', '-f', '{{.HostConfig.ReadonlyRootfs}}', sandbox.id])).stdout).toBe('true');
      volumes = (await execa('docker', ['inspect', '-f', '{{range .Mounts}}{{.Name}} {{end}}', sandbox.id])).stdout.trim().split(' ');
      expect(volumes).toHaveLength(4);
    }
    const left = (await execa('docker', ['volume', 'ls', '-q'])).stdout.split('\n');
    expect(volumes.filter((name) => left.includes(name))).toEqual([]);
  });

  it('are a runtime that the engine has', async () => {
    await using open = await openWith({ runtime: 'runc' });
    expect((await execa('docker', ['inspect', '-f', '{{.HostConfig.Runtime}}', open.sandbox.id])).stdout).toBe('runc');
    expect((await open.sandbox.runCommand('true')).exitCode).toBe(0);
    await expect(openWith({ runtime: 'runsc-of-nobody' })).rejects.toThrow(/runsc-of-nobody/);
  });
});

describe('a command with a terminal', () => {
  let open: TestSandbox;
  beforeAll(async () => { open = await openTestSandbox(); });
  afterAll(() => open[Symbol.asyncDispose]());

  it('sees one, and both streams come as one', async () => {
    const { stdout, stderr, exitCode } = await open.sandbox.runShell('test -t 0 && test -t 1 && echo terminal; echo oops >&2; exit 5', { tty: true });
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: 'terminal\r\noops\r\n', stderr: '', exitCode: 5 });
    expect((await open.sandbox.runShell('test -t 1 || echo none')).stdout).toBe('none\n');
  });

  it.each([['nothing', undefined], ['a text', 'typed\n'], ['a stream', Readable.from(['ty', 'ped\n'])]])('comes to the end of its input: %s', async (_what, stdin) => {
    const { stdout, exitCode } = await open.sandbox.runShell('stty -echo; cat; echo end', { tty: true, timeoutMs: 20_000, ...(stdin === undefined ? {} : { stdin }) });
    expect({ last: stdout.split('\r\n').at(-2), exitCode }).toEqual({ last: 'end', exitCode: 0 });
    if (stdin !== undefined) expect(stdout).toContain('typed\r\n');
  });

  it('never hands a part of a character over', async () => {
    const text = 'ä€😀'.repeat(30_000);
    await open.sandbox.writeText('text', text);
    const parts: string[] = [];
    await open.sandbox.runCommand('cat', ['text'], { onStdout: (chunk) => { parts.push(new TextDecoder('utf-8', { fatal: true }).decode(chunk)); } });
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join('')).toBe(text);
  });
});
