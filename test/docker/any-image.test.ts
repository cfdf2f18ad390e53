import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDockerProvider } from '../../src/sandbox/docker/provider.js';
import { docker } from '../../src/sandbox/docker/spec.js';
import { NoShellError, SandboxPathError } from '../../src/sandbox/errors.js';
import type { OwnedSandbox, SandboxProvider } from '../../src/sandbox/sandbox.js';
import { createContentStore } from '../../src/workspace/content-store.js';
import { WorkspaceLedger } from '../../src/workspace/ledger.js';
import { busyboxFiles, containersOf, importImage, type ImageFile, type TestImage } from '../support/images.js';
import { testRunId } from '../support/sandboxes.js';

const SHELL = ['sh', 'cat', 'id', 'env', 'ls', 'cp', 'rm', 'mkdir', 'ln', 'chmod', 'find', 'tar', 'stat', 'printenv'];
const PASSWD = 'root:x:0:0:root:/root:/bin/sh\nworker:x:1234:2345::/home/worker:/bin/sh\n';
const GROUP = 'root:x:0:\nteam:x:3456:\n';
const tree: Readonly<Record<string, ImageFile>> = {
  'etc/passwd': { bytes: PASSWD }, 'etc/group': { bytes: GROUP }, 'home/worker': { folder: true, uid: 1234, gid: 2345 }, 'work': { folder: true, uid: 1234, gid: 2345 },
  'work/kept.txt': { bytes: 'kept', uid: 1234, gid: 2345 }, 'work/old.txt': { bytes: 'old', uid: 1234, gid: 2345 }, 'work/gone.txt': { bytes: 'gone', uid: 1234, gid: 2345 },
};

/** One provider and one sandbox of an image, with the ledger of its working directory. */
interface Place { readonly provider: SandboxProvider; readonly sandbox: OwnedSandbox; readonly ledger: WorkspaceLedger; }

let runId: string;
let provider: SandboxProvider;
let folder: string;
beforeEach(async () => {
  runId = testRunId();
  provider = await openDockerProvider({ runId });
  folder = await mkdtemp(join(tmpdir(), 'niceeval-any-image-'));
});
afterEach(async () => {
  await provider[Symbol.asyncDispose]();
  expect(await containersOf(runId)).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

async function openPlace(image: TestImage, options: { readonly user?: string } = {}): Promise<Place> {
  const spec = docker({ image: image.reference, ...options });
  const prepared = await provider.prepareImage(spec);
  const sandbox = await provider.openSandbox(spec, { image: prepared, network: { kind: 'none' }, attemptId: 'attempt', lifetimeMs: 600_000 });
  return { provider, sandbox, ledger: await WorkspaceLedger.anchor(sandbox, { store: createContentStore(folder), imageId: prepared.id, states: new Map() }) };
}

/** What one send, in which the agent does something, changed. */
async function changesOf({ ledger }: Place, agent: () => Promise<unknown>): Promise<readonly string[]> {
  await ledger.openWindow('c');
  await agent();
  await ledger.closeWindow('turn');
  const changes = ledger.changes();
  if (changes.state === 'unavailable') throw new Error(changes.reason);
  return changes.windows.at(-1)?.changes.map(({ status, path }) => `${status} ${path}`) ?? [];
}

describe('an image with nothing but busybox, which has no bash, no GNU find and no git', () => {
  let image: TestImage;
  beforeAll(async () => { image = await importImage({ ...await busyboxFiles(SHELL), ...tree }, ['USER worker', 'WORKDIR /work']); });
  afterAll(() => image[Symbol.asyncDispose]());

  it('runs commands and scripts, with exit codes, and moves files', async () => {
    const { sandbox } = await openPlace(image);
    expect(await sandbox.runShell('echo out; echo err >&2; exit 7')).toMatchObject({ exitCode: 7, stdout: 'out\n', stderr: 'err\n' });
    expect(await sandbox.runCommand('cat', ['kept.txt'])).toMatchObject({ exitCode: 0, stdout: 'kept' });
    expect(await sandbox.runCommand('bash')).toMatchObject({ exitCode: 127, ending: 'not-found' });
    await sandbox.writeText('in/new.txt', 'new');
    expect((await sandbox.runCommand('stat', ['-c', '%u:%g %a', 'in', 'in/new.txt'])).stdout).toBe('1234:2345 755\n1234:2345 644\n');
    expect([await sandbox.readText('in/new.txt'), await sandbox.pathExists('nowhere')]).toEqual(['new', false]);
    await sandbox.downloadDirectory('in', join(folder, 'down'));
    await sandbox.uploadDirectory(join(folder, 'down'), 'up');
    expect(await sandbox.readText('up/new.txt')).toBe('new');
  });

  it('tells the agent\'s changes from the eval\'s', async () => {
    const place = await openPlace(image);
    place.ledger.touched();
    await place.sandbox.writeText('seed.txt', 'by the eval');
    expect(await changesOf(place, () => place.sandbox.runShellOrThrow('echo new > added.txt; echo more >> old.txt; rm gone.txt; chmod 700 seed.txt; ln -s kept.txt link; mkdir d'))).toEqual([
      'added added.txt', 'added d', 'deleted gone.txt', 'added link', 'modified old.txt', 'mode-changed seed.txt',
    ]);
  });

  it('ends what a command that took too long left running', async () => {
    const { sandbox } = await openPlace(image);
    await expect(sandbox.runShell('cat /dev/zero > /dev/null & cat /dev/zero > /dev/null', { timeoutMs: 500 })).rejects.toThrow('was still running after 500 ms');
    expect(await sandbox.agentProcesses()).toEqual([]);
    expect(await sandbox.isRunning()).toBe(true);
  });
});

describe('an image with one static program, and neither shell nor passwd', () => {
  let image: TestImage;
  beforeAll(async () => {
    const { 'bin/busybox': busybox } = await busyboxFiles([]);
    if (busybox === undefined) throw new Error('no busybox');
    // The program does what its name says, and it has one name only.
    image = await importImage({ 'bin/cp': busybox, 'work': { folder: true, uid: 77, gid: 77 }, 'work/a.txt': { bytes: 'a', uid: 77, gid: 77 } }, ['USER 77:77', 'WORKDIR /work', 'ENV HOME=/work']);
  });
  afterAll(() => image[Symbol.asyncDispose]());

  it('runs its program, moves files and says that it has no shell', async () => {
    const { sandbox } = await openPlace(image);
    expect(await sandbox.runCommand('cp', ['a.txt', 'b.txt'])).toMatchObject({ exitCode: 0 });
    expect((await sandbox.runCommand('cp', ['nothing', 'c.txt'])).exitCode).toBe(1);
    expect(await sandbox.readText('b.txt')).toBe('a');
    await sandbox.writeText('deep/er.txt', 'x');
    expect(await sandbox.readText('deep/er.txt')).toBe('x');
    await expect(sandbox.readText('none')).rejects.toThrow(SandboxPathError);
    await expect(sandbox.runShell('echo hello')).rejects.toThrow(new NoShellError(image.reference));
    await expect(sandbox.runShellOrThrow('echo hello')).rejects.toThrow(`A script cannot be run: the image "${image.reference}" has no shell`);
    expect(await sandbox.runCommand('sh', ['-c', 'true'])).toMatchObject({ exitCode: 127, ending: 'not-found', stderr: 'the sandbox has no program "sh"' });
    expect(await sandbox.resources()).toBeUndefined();
  });

  it('tells the agent\'s changes', async () => {
    const place = await openPlace(image);
    expect(await changesOf(place, () => place.sandbox.runCommandOrThrow('cp', ['a.txt', 'copied.txt']))).toEqual(['added copied.txt']);
  });

  it('ends a command that takes too long, and keeps the files', async () => {
    const { sandbox } = await openPlace(image);
    await sandbox.writeText('before.txt', 'there');
    await expect(sandbox.runCommand('cp', ['/dev/zero', '/dev/null'], { timeoutMs: 500 })).rejects.toThrow('was still running after 500 ms');
    expect([await sandbox.agentProcesses(), await sandbox.isRunning(), await sandbox.readText('before.txt')]).toEqual([[], true, 'there']);
  });

  it('ends by itself when nobody comes back for it', async () => {
    const spec = docker({ image: image.reference });
    const sandbox = await provider.openSandbox(spec, { image: await provider.prepareImage(spec), network: { kind: 'none' }, attemptId: 'attempt', lifetimeMs: 1000 });
    expect((await execa('docker', ['wait', sandbox.id])).stdout).toBe('0');
  });
});

it('runs commands and owns files as the user, the group and the home that the image names', async () => {
  const rows: readonly (readonly [changes: readonly string[], ids: string, home: string])[] = [
    [['USER worker'], '1234:2345', '/home/worker'],
    [['USER worker:team'], '1234:3456', '/home/worker'],
    [['USER 1234'], '1234:2345', '/home/worker'],
    [['USER 4321'], '4321:0', '/'],
    [['USER 4321:5432'], '4321:5432', '/'],
    [[], '0:0', '/root'],
    [['USER worker', 'ENV HOME=/work'], '1234:2345', '/work'],
  ];
  const files = { ...await busyboxFiles(SHELL), ...tree };
  const seen = await Promise.all(rows.map(async ([changes]) => {
    await using image = await importImage(files, [...changes, 'WORKDIR /work']);
    const spec = docker({ image: image.reference });
    await using sandbox = await provider.openSandbox(spec, { image: await provider.prepareImage(spec), network: { kind: 'none' }, attemptId: 'attempt', lifetimeMs: 600_000 });
    await sandbox.writeText('mine', '');
    const { stdout } = await sandbox.runShellOrThrow('echo "$(id -u):$(id -g) $HOME"; stat -c %u:%g mine');
    return [changes, stdout, sandbox.home, sandbox.agentIsRoot];
  }));
  expect(seen).toEqual(rows.map(([changes, ids, home]) => [changes, `${ids} ${home}\n${ids}\n`, home, ids === '0:0']));
});
