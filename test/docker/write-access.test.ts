import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDockerProvider } from '../../src/sandbox/docker/provider.js';
import { docker } from '../../src/sandbox/docker/spec.js';
import { command } from '../../src/sandbox/prepare/steps.js';
import type { OwnedSandbox, SandboxProvider, SandboxSpec, WriteAccess } from '../../src/sandbox/sandbox.js';
import { createContentStore } from '../../src/workspace/content-store.js';
import { WorkspaceLedger } from '../../src/workspace/ledger.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { busyboxFiles, importImage } from '../support/images.js';
import { openPodmanService } from '../support/podman.js';
import { testRunId } from '../support/sandboxes.js';

const CLI = { homeFolders: ['.claude', '.codex/deep'] };

/** Places, each tried by a shell of the agent's; `refused` stands for a write that the kernel refused. */
const TRIES = {
  workspace: 'echo x > try.txt',
  overwrite: 'echo x > kept.txt',
  remove: 'rm -f kept.txt && touch again && mv again kept.txt',
  home: 'echo x > "$HOME/try.txt"',
  state: 'echo x > "$HOME/.claude/try.txt"',
  deepState: 'mkdir -p "$HOME/.codex/deep/a" && echo x > "$HOME/.codex/deep/a/try.txt"',
  besideState: 'echo x > "$HOME/.codex/try.txt"',
  link: 'ln -s "$HOME" /tmp/way-$$ && echo x > /tmp/way-$$/through.txt',
  system: 'echo x > /usr/try.txt || echo x > /etc/try.txt || echo x > /opt/try.txt || echo x > /try.txt || echo x > /run/try.txt || echo x > /var/lib/try.txt',
  remount: 'mount -o remount,rw / 2>/dev/null && echo x > /try.txt',
  temporary: 'echo x > /tmp/try.txt && echo x > /var/tmp/try.txt && echo x > /dev/shm/try.txt',
} as const;

async function tried(sandbox: OwnedSandbox): Promise<Readonly<Record<string, string>>> {
  const outcomes = Object.entries(TRIES).map(async ([name, script]) => [name, (await sandbox.runShell(`(${script}) 2>/dev/null`)).exitCode === 0 ? 'written' : 'refused'] as const);
  return Object.fromEntries(await Promise.all(outcomes));
}

const WRITABLE = { workspace: 'written', overwrite: 'written', remove: 'written', home: 'refused', state: 'written', deepState: 'written', besideState: 'refused', link: 'refused', system: 'refused', remount: 'refused', temporary: 'written' };
const READ_ONLY = { ...WRITABLE, workspace: 'refused', overwrite: 'refused', remove: 'refused' };

let runId: string;
let provider: SandboxProvider;
beforeEach(async () => {
  runId = testRunId();
  provider = await openDockerProvider({ runId });
});
afterEach(() => provider[Symbol.asyncDispose]());

async function opened(spec: SandboxSpec, writes: WriteAccess, from = provider): Promise<OwnedSandbox> {
  const limited = { ...spec, writes };
  return from.openSandbox(limited, { image: await from.prepareImage(limited), network: { kind: 'none' }, attemptId: 'attempt', lifetimeMs: 300_000 });
}

async function volumes(): Promise<number> {
  const { stdout } = await execa('docker', ['volume', 'ls', '--quiet']);
  return stdout === '' ? 0 : stdout.split('\n').length;
}

const prepared = docker().prepare(command('sh', ['-c', 'echo kept > kept.txt; mkdir -p dir/empty; ln -s kept.txt link; chmod 0640 kept.txt; git init -q . && git -c user.name=n -c user.email=e@x add -A && git -c user.name=n -c user.email=e@x commit -q -m first']));

describe('what may be written', () => {
  it('is the working directory, temporary folders and what the CLI cannot do without', async () => {
    const before = await volumes();
    const sandbox = await opened(prepared, { ...CLI, workspace: true });
    expect(await sandbox.runShellOrThrow('stat -c "%U %a" kept.txt && readlink link && ls dir && git status --short && git log --format=%s')).toMatchObject({ stdout: 'agent 640\nkept.txt\nempty\nfirst\n' });
    expect(await tried(sandbox)).toEqual(WRITABLE);
    await sandbox.writeText(`${sandbox.home}/.claude/settings.json`, '{}');
    expect(await sandbox.readText(`${sandbox.home}/.claude/settings.json`)).toBe('{}');
    await sandbox.writeText('from-outside.txt', 'yes');
    expect((await sandbox.runShellOrThrow('cat from-outside.txt')).stdout).toBe('yes');
    await sandbox.stop();
    expect(await volumes()).toBe(before);
  });

  it('is not the working directory where that is only to be read, for the harness neither', async () => {
    const sandbox = await opened(prepared, { ...CLI, workspace: false });
    expect(await sandbox.runShellOrThrow('cat kept.txt && git status --short && git log --format=%s')).toMatchObject({ stdout: 'kept\nfirst\n' });
    expect(await tried(sandbox)).toEqual(READ_ONLY);
    await expect(sandbox.writeText('from-outside.txt', 'no')).rejects.toThrow(/read-only/);
    await sandbox.writeText(`${sandbox.home}/.claude/settings.json`, '{}');
  });

  it('is no more for an agent that is root', async () => {
    const sandbox = await opened({ ...docker({ user: 'root' }).prepare(command('sh', ['-c', 'echo kept > kept.txt'])) }, { ...CLI, workspace: false });
    expect(await tried(sandbox)).toEqual(READ_ONLY);
    await expect(sandbox.runShell('touch /try /etc/try try', { user: 'root' })).resolves.toMatchObject({ exitCode: 1 });
  });

  it('is what the agent is held to have changed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'niceeval-write-access-'));
    try {
      const sandbox = await opened(prepared, { ...CLI, workspace: true });
      const ledger = await WorkspaceLedger.anchor(sandbox, { store: createContentStore(folder, []), imageId: 'none', watch: [], states: new Map() });
      await ledger.openWindow('session 1');
      await sandbox.runShellOrThrow('echo new > new.txt; rm kept.txt; echo x > /tmp/aside');
      await ledger.closeWindow('turn1', { flags: [] });
      const changes = ledger.changes();
      if (changes.state !== 'available') throw new Error(changes.reason);
      expect(changes.windows.flatMap((window) => window.changes.map(({ path, status }) => `${path} ${status}`)).sort()).toEqual(['kept.txt deleted', 'new.txt added']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is limited in size, though it is on volumes', async () => {
    const limited = { ...prepared, resources: { diskBytes: 20 * 1024 ** 2 } };
    const sandbox = await opened(limited, { ...CLI, workspace: true });
    await expect(sandbox.runShell('dd if=/dev/zero of=big bs=1M count=60 2>/dev/null; until false; do sleep 1; done')).rejects.toMatchObject({ code: 'sandbox-disk' });
  });
});

describe('an image that knows nothing of it', () => {
  it('needs no program that keeps it alive, and may lack its working directory', async () => {
    await using image = await importImage({
      ...await busyboxFiles(['sh', 'mkdir', 'chmod', 'test', 'cat']), 'etc/passwd': { bytes: 'worker:x:1234:2345::/home/worker:/bin/sh\n' },
    }, ['USER worker', 'ENV PATH=/bin']);
    for (const workspace of [true, false]) {
      const sandbox = await opened(docker({ image: image.reference, workdir: '/not/there' }), { ...CLI, workspace });
      const outcome = async (script: string): Promise<boolean> => (await sandbox.runShell(`(${script}) 2>/dev/null`)).exitCode === 0;
      expect([await outcome('echo x > a.txt'), await outcome('echo x > "$HOME/.claude/a"'), await outcome('echo x > "$HOME/a"'), await outcome('echo x > /.niceeval/a')]).toEqual([workspace, true, false, false]);
      await sandbox.stop();
    }
  });

  it('gets the folders of the home that it lacks, and its own volumes are closed', async () => {
    await using image = await importImage({
      ...await busyboxFiles(['sh', 'ls', 'rm', 'mkdir', 'ln', 'mv', 'touch', 'chmod', 'test', 'cat', 'mount', 'sleep', 'stat']),
      'etc/passwd': { bytes: 'root:x:0:0:root:/root:/bin/sh\nworker:x:1234:2345::/home/worker:/bin/sh\n' },
      'work': { folder: true, uid: 1234, gid: 2345 }, 'work/kept.txt': { bytes: 'kept', uid: 1234, gid: 2345 }, 'data': { folder: true, uid: 1234, gid: 2345 },
    }, ['USER worker', 'WORKDIR /work', 'VOLUME /data', 'ENV PATH=/bin']);
    const sandbox = await opened(docker({ image: image.reference }), { ...CLI, workspace: true });
    expect((await sandbox.runShellOrThrow('ls -l /work; echo x > "$HOME/.claude/a" && echo x > "$HOME/.codex/deep/b"; (echo x > /data/c) 2>/dev/null || echo refused')).stdout.split('\n').slice(-2)).toEqual(['refused', '']);
    expect((await sandbox.runShell('echo x > "$HOME/c"')).exitCode).not.toBe(0);
    expect((await sandbox.runShell('echo x > d.txt && cat kept.txt')).stdout).toBe('kept');
  });
});

describe('another engine', () => {
  it('keeps to it as well', async () => {
    await using service = await openPodmanService();
    await using podman = await openDockerProvider({ runId: testRunId(), host: service.host, helperImage: service.image });
    for (const workspace of [true, false]) {
      const sandbox = await opened(docker({ image: service.image }), { homeFolders: ['.claude'], workspace }, podman);
      const outcome = async (script: string): Promise<boolean> => (await sandbox.runShell(`(${script}) 2>/dev/null`)).exitCode === 0;
      expect([await outcome('echo x > a'), await outcome('echo x > "$HOME/a"'), await outcome('echo x > "$HOME/.claude/a"'), await outcome('echo x > /tmp/a'), await outcome('echo x > /etc/a')]).toEqual([workspace, false, true, true, false]);
      await sandbox.stop();
    }
  });
});
