import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandTimeoutError, SandboxCommandExitError } from '../../src/sandbox/errors.js';
import { openTestSandbox, type TestSandbox } from '../support/sandboxes.js';

const MIB = 1024 ** 2;
const RESOURCES = { cpus: 1, memoryBytes: 256 * MIB, pids: 64, nofile: 256 } as const;
/** Allocates and touches memory until it is stopped. */
const MEMORY_BOMB = ['node', '-e', 'const kept = []; for (;;) kept.push(Buffer.alloc(8 * 1024 * 1024, 1));'] as const;

const openSmall = (): Promise<TestSandbox> => openTestSandbox({ resources: RESOURCES, lifetimeMs: 300_000 });

describe('a sandbox under a flood', () => {
  let open: TestSandbox;
  let neighbour: TestSandbox;
  beforeAll(async () => { [open, neighbour] = await Promise.all([openSmall(), openSmall()]); });
  afterAll(async () => { await Promise.all([open[Symbol.asyncDispose](), neighbour[Symbol.asyncDispose]()]); });

  const shell = (script: string, timeoutMs?: number) => open.sandbox.runShell(script, timeoutMs === undefined ? {} : { timeoutMs });
  const ended = (script: string, timeoutMs: number): Promise<unknown> => shell(script, timeoutMs).then(({ exitCode }) => ({ exitCode }), (error: unknown) => error);

  /** Nothing of the agent is left, the same sandbox works, the one beside it never noticed. */
  async function isUnharmed(): Promise<void> {
    expect(await open.sandbox.agentProcesses()).toEqual([]);
    for (const { sandbox } of [open, neighbour]) {
      const { exitCode, stdout, durationMs } = await sandbox.runShell('echo alive | cat');
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'alive\n' });
      expect(durationMs).toBeLessThan(10_000);
    }
    await open.sandbox.writeText('after.txt', 'x');
    expect(await open.sandbox.readText('after.txt')).toBe('x');
  }

  it('of processes ends with the time of the command', async () => {
    const begun = performance.now();
    expect(await ended('bomb() { bomb | bomb & }; bomb; sleep 600', 3_000)).toEqual(new CommandTimeoutError(['bomb() { bomb | bomb & }; bomb; sleep 600'], 3_000));
    expect(performance.now() - begun).toBeLessThan(60_000);
    await isUnharmed();
  });

  it('of processes that its command leaves behind is ended all the same', async () => {
    await shell('bomb() { sleep 600 & bomb | bomb & }; bomb 2>/dev/null & sleep 1', 20_000).catch(() => undefined);
    await open.sandbox.endAgentProcesses();
    await isUnharmed();
  });

  it('of memory is told as a kill for want of memory, by the command and by the sandbox', async () => {
    const before = (await open.sandbox.resources())?.oomKills ?? 0;
    const { exitCode, ending } = await open.sandbox.runCommand(MEMORY_BOMB[0], MEMORY_BOMB.slice(1), { timeoutMs: 60_000 });
    expect({ exitCode, ending }).toEqual({ exitCode: 137, ending: 'out-of-memory' });
    const thrown = await open.sandbox.runCommandOrThrow(MEMORY_BOMB[0], MEMORY_BOMB.slice(1)).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(SandboxCommandExitError);
    expect((thrown as Error).message).toMatch(/^"node -e [^\n]+" was killed for want of memory: limit 256 MiB\./);
    const used = await open.sandbox.resources();
    expect(used).toMatchObject({ memoryLimitBytes: 256 * MIB, oomKills: before + 2, processesLeft: 0 });
    expect(used?.peakMemoryBytes).toBeGreaterThan(200 * MIB);
    expect(used?.peakMemoryBytes).toBeLessThanOrEqual(256 * MIB);
    expect(await open.sandbox.isRunning()).toBe(true);
    await isUnharmed();
  });

  it('does not call another kill one for want of memory', async () => {
    for (const [signal, exitCode] of [['KILL', 137], ['TERM', 143]] as const) {
      const result = await shell(`kill -${signal} $$`);
      expect({ exitCode: result.exitCode, ending: result.ending }).toEqual({ exitCode, ending: 'killed' });
    }
  });

  it('of open files meets its limit in its own process only', async () => {
    const { stdout } = await open.sandbox.runCommand('node', ['-e', `
      const fs = require('node:fs');
      let count = 0;
      try { for (;;) { fs.openSync('/dev/null'); count += 1; } } catch (error) { console.log(error.code, count > 200 && count < 256); }`]);
    expect(stdout).toBe('EMFILE true\n');
    await isUnharmed();
  });

  it('of output ends with the time of the command, and the harness keeps little of it', async () => {
    const before = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => { most = Math.max(most, process.memoryUsage().rss); }, 20);
    let seen = 0;
    const options = { timeoutMs: 3_000, onStdout: (chunk: Uint8Array) => { seen += chunk.length; } };
    await expect(open.sandbox.runCommand('yes', ['a line that has no end'], options)).rejects.toEqual(new CommandTimeoutError(['yes', 'a line that has no end'], 3_000));
    clearInterval(watch);
    expect(seen).toBeGreaterThan(1 * MIB);
    expect(most - before).toBeLessThan(256 * MIB);
    await isUnharmed();
  });

  it('of 80 MB comes back whole', async () => {
    let seen = 0;
    const { exitCode, stdout } = await open.sandbox.runShell('echo first; yes 0123456789abcde | head -c 80000000; echo last', { onStdout: (chunk) => { seen += chunk.length; } });
    expect({ exitCode, seen, length: stdout.length }).toEqual({ exitCode: 0, seen: 80_000_011, length: 80_000_011 });
    expect(stdout.startsWith('first\n0123')).toBe(true);
    expect(stdout.endsWith('cde\nlast\n')).toBe(true);
  });

  it('of work ends with the time of the command, and the sandbox beside it goes on meanwhile', async () => {
    const looping = ended('while :; do :; done', 4_000);
    const beside = await neighbour.sandbox.runShell('echo on');
    expect({ stdout: beside.stdout, inTime: beside.durationMs < 4_000 }).toEqual({ stdout: 'on\n', inTime: true });
    expect(await looping).toEqual(new CommandTimeoutError(['while :; do :; done'], 4_000));
    expect((await open.sandbox.resources())?.cpuSeconds).toBeGreaterThan(2);
    await isUnharmed();
  });

  it('of orphans leaves no zombie', async () => {
    await shell('for i in $(seq 50); do sh -c "(sleep 0.1 &)"; done; sleep 1');
    const zombies = await open.sandbox.runShell("cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z ' || true");
    expect(zombies.stdout).toBe('0\n');
    await isUnharmed();
  });

  it('tells a missing program, one that may not be executed, and a missing folder from programs that return such codes', async () => {
    await open.sandbox.writeText('plain', 'x');
    const facts = async (command: string, args: readonly string[] = [], cwd = '.') => {
      const { exitCode, ending, stdout } = await open.sandbox.runCommand(command, args, { cwd });
      return { exitCode, ending, stdout };
    };
    expect(await facts('nosuch')).toEqual({ exitCode: 127, ending: 'not-found', stdout: '' });
    expect(await facts('/no/such')).toEqual({ exitCode: 127, ending: 'not-found', stdout: '' });
    expect(await facts('./plain')).toEqual({ exitCode: 126, ending: 'not-executable', stdout: '' });
    expect(await facts('/tmp')).toEqual({ exitCode: 126, ending: 'not-executable', stdout: '' });
    expect(await facts('true', [], '/no/such')).toEqual({ exitCode: 126, ending: 'not-started', stdout: '' });
    const said = 'OCI runtime exec failed: exec failed: executable file not found';
    expect(await facts('sh', ['-c', `printf '${said}'; exit 127`])).toEqual({ exitCode: 127, ending: undefined, stdout: said });
    expect(await facts('sh', ['-c', 'exit 126'])).toEqual({ exitCode: 126, ending: undefined, stdout: '' });
  });

  it('gives a program that waits for the end of its input that end at once', async () => {
    const { stdout, durationMs } = await shell('cat > /dev/null; echo ok');
    expect(stdout).toBe('ok\n');
    expect(durationMs).toBeLessThan(5_000);
  });

  it('removes a sandbox at once whatever ignores SIGTERM in it', async () => {
    const other = await openSmall();
    const running = other.sandbox.runShell("trap '' TERM; while :; do sleep 1; done").catch((error: unknown) => (error as { code?: string }).code);
    await new Promise((resolve) => { setTimeout(resolve, 500); });
    const begun = performance.now();
    await other[Symbol.asyncDispose]();
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(await running).toBe('sandbox-gone');
    expect((await execa('docker', ['inspect', other.sandbox.id], { reject: false })).exitCode).not.toBe(0);
    expect(await other.sandbox.resources()).toBeUndefined();
  });
});

describe('the walls of a sandbox', () => {
  let open: TestSandbox;
  let other: TestSandbox;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'niceeval-walls-'));
    const closed = { resources: RESOURCES, lifetimeMs: 300_000, closed: true } as const;
    [open, other] = await Promise.all([openTestSandbox(closed), openTestSandbox(closed)]);
  });
  afterAll(async () => {
    await Promise.all([open[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
    await rm(folder, { recursive: true, force: true });
  });

  it('are what the container was asked for', async () => {
    const { stdout } = await execa('docker', ['inspect', open.sandbox.id]);
    const [{ HostConfig: host, Config: config, Mounts: mounts }] = JSON.parse(stdout) as [{ HostConfig: Record<string, unknown>; Config: Record<string, unknown>; Mounts: unknown[] }];
    expect({
      memory: host['Memory'], swap: host['MemorySwap'], pids: host['PidsLimit'], cpu: host['NanoCpus'], init: host['Init'], privileged: host['Privileged'],
      drop: host['CapDrop'], add: host['CapAdd'], security: host['SecurityOpt'], ulimits: host['Ulimits'], binds: host['Binds'], devices: (host['Devices'] as unknown[] | null)?.length ? host['Devices'] : null,
      pidMode: host['PidMode'], ipc: host['IpcMode'], uts: host['UTSMode'], tmpfs: host['Tmpfs'] ?? null, log: (host['LogConfig'] as { Type: string }).Type,
    }).toEqual({
      memory: 256 * MIB, swap: 256 * MIB, pids: 64, cpu: 1e9, init: true, privileged: false,
      drop: ['ALL'], add: ['DAC_READ_SEARCH'], security: ['no-new-privileges'], ulimits: [{ Name: 'nofile', Soft: 256, Hard: 256 }], binds: null, devices: null,
      pidMode: '', ipc: 'private', uts: '', tmpfs: null, log: 'none',
    });
    expect({ mounts, exposed: config['ExposedPorts'] ?? {} }).toEqual({ mounts: [], exposed: {} });
  });

  it('hold inside, for the agent and for what it starts', async () => {
    const script = `grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status; grep -E '^Max (open files|core)' /proc/self/limits | tr -s ' '; ulimit -n 257 && echo raised; exit 0`;
    for (const run of [script, `sh -c '${script.replaceAll("'", `'"'"'`)}'`]) {
      const { stdout } = await open.sandbox.runShell(run);
      expect(stdout.replaceAll('\t', ' ').split('\n').filter((line) => !line.startsWith('Max core'))).toEqual([
        'CapPrm: 0000000000000000', 'CapEff: 0000000000000000', 'CapBnd: 0000000000000004', 'NoNewPrivs: 1', 'Seccomp: 2', 'Max open files 256 256 files ', '',
      ]);
    }
  });

  it('limit open files also where nobody asked for a number, and say so where a number cannot be had', async () => {
    await using plain = await openTestSandbox();
    const most = Number((await plain.sandbox.runShell('ulimit -Hn')).stdout);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(16_384);
    await expect(openTestSandbox({ resources: { nofile: 2 ** 40 } })).rejects.toMatchObject({ code: 'engine-call-failed' });
  });

  it('let nobody look at process 1, the memory of the kernel, or change what /sys and /proc/sys hold', async () => {
    const tried = async (script: string, user?: string): Promise<boolean> => (await open.sandbox.runShell(script, user === undefined ? {} : { user })).exitCode === 0;
    for (const user of [undefined, 'root']) {
      expect(await tried('head -c 16 /proc/kcore | grep -q .', user)).toBe(false);
      expect(await tried('echo 1 > /sys/kernel/mm/ksm/run || echo 1 > /sys/fs/cgroup/memory/memory.limit_in_bytes || echo max > /sys/fs/cgroup/memory.max', user)).toBe(false);
      expect(await tried('mkdir /sys/fs/cgroup/memory/mine || mkdir /sys/fs/cgroup/mine', user)).toBe(false);
      expect(await tried('echo x > /proc/sys/kernel/core_pattern || echo b > /proc/sysrq-trigger', user)).toBe(false);
      expect(await tried('mount -t tmpfs none /mnt || unshare -r true || mknod /tmp/disk b 8 0', user)).toBe(false);
    }
    expect(await tried('cat /proc/1/environ')).toBe(false);
    expect(await tried('ls /proc/1/root/ || ls /proc/1/fd/')).toBe(false);
  });

  it('hold no socket of the engine and no way out', async () => {
    const sockets = await open.sandbox.runShell("find / -xdev \\( -name 'docker.sock' -o -name 'containerd.sock' -o -name 'podman.sock' \\) 2>/dev/null; true", { user: 'root' });
    expect(sockets.stdout).toBe('');
    const routes = await open.sandbox.runShell("cat /proc/net/route | awk 'NR > 1 && $2 == \"00000000\"'; ip -6 route show default");
    expect(routes.stdout).toBe('');
  });

  it('keep the files, the processes and the network of another sandbox apart', async () => {
    await other.sandbox.writeText('/tmp/canary-of-the-other', 'canary');
    const server = other.sandbox.runCommand('node', ['-e', "require('node:http').createServer((q, r) => r.end('canary')).listen(8080, '0.0.0.0', () => console.log('up'))"], { timeoutMs: 60_000 });
    server.catch(() => undefined);
    const address = (await other.sandbox.runShell("ip -4 -o addr show eth0 | awk '{print $4}' | cut -d/ -f1")).stdout.trim();
    expect(address).toMatch(/^10\.213\./);
    const curl = (sandbox: TestSandbox['sandbox'], url: string) => sandbox.runShell(`curl -sS --noproxy '*' --retry 20 --retry-connrefused --retry-max-time 5 --max-time 3 ${url}`);
    expect((await curl(other.sandbox, `http://${address}:8080/`)).stdout).toBe('canary');
    const tried = await curl(open.sandbox, `http://${address}:8080/`);
    expect({ reached: tried.exitCode === 0, stdout: tried.stdout }).toEqual({ reached: false, stdout: '' });
    expect(await open.sandbox.pathExists('/tmp/canary-of-the-other')).toBe(false);
    const seen = await open.sandbox.runShell("cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 8080 || true", { user: 'root' });
    expect(seen.stdout.trim()).toBe('1'); // The looking shell itself.
    await other.sandbox.endAgentProcesses();
  });

  it('keep an upload in its sandbox while a folder is swapped for a link out', async () => {
    const source = join(folder, 'upload');
    await mkdir(join(source, 'deep'), { recursive: true });
    for (let index = 0; index < 20; index += 1) await writeFile(join(source, 'deep', `niceeval-canary-${index}`), 'canary');
    const swapping = open.sandbox.runShell('while :; do rm -rf target; mkdir target; rm -rf target; ln -s /etc target; done', { timeoutMs: 60_000 });
    swapping.catch(() => undefined);
    for (let round = 0; round < 20; round += 1) {
      await open.sandbox.uploadDirectory(source, 'target').catch(() => undefined);
      await open.sandbox.uploadFile(join(source, 'deep/niceeval-canary-0'), 'target/niceeval-canary-file').catch(() => undefined);
    }
    await open.sandbox.endAgentProcesses();
    await swapping.catch(() => undefined);
    const onHost = await execa('find', ['/etc', '-name', 'niceeval-canary-*']);
    expect(onHost.stdout).toBe('');
    // The sandbox itself is the agent's: through a link of its own an upload may land elsewhere in it, as for any program
    // that follows links. What it must not reach is another sandbox.
    const beside = await other.sandbox.runShell("find /etc -name 'niceeval-canary-*' | wc -l");
    expect(beside.stdout.trim()).toBe('0');
    expect((await open.sandbox.runShell('echo alive')).stdout).toBe('alive\n');
  });

  it('are as they were for a fresh sandbox', async () => {
    await using fresh = await openSmall();
    expect((await fresh.sandbox.runShell('ls -A; echo alive')).stdout).toBe('alive\n');
    expect(await fresh.sandbox.resources()).toMatchObject({ oomKills: 0, processesLeft: 0 });
  });
});
