import { chmod, lstat, mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxInputError, SandboxPathError, UnsafeArchiveError } from '../../src/sandbox/errors.js';
import { openTestSandbox, type TestSandbox } from '../support/sandboxes.js';

describe('files of a sandbox', () => {
  let open: TestSandbox;
  let host: string;
  beforeAll(async () => {
    open = await openTestSandbox();
    host = await mkdtemp(join(tmpdir(), 'niceeval-files-'));
  });
  afterAll(async () => {
    await open[Symbol.asyncDispose]();
    await rm(host, { recursive: true, force: true });
  });

  it('writes and reads text and bytes below folders that are missing, as the agent', async () => {
    await open.sandbox.writeText('deep/er/a.txt', 'naïve “quotes”\n');
    const bytes = Uint8Array.from({ length: 256 }, (_item, index) => index);
    await open.sandbox.writeBytes('deep/all.bin', bytes);
    expect(await open.sandbox.readText('deep/er/a.txt')).toBe('naïve “quotes”\n');
    expect(Uint8Array.from(await open.sandbox.readBytes('deep/all.bin'))).toEqual(bytes);
    const { stdout } = await open.sandbox.runCommand('stat', ['-c', '%U:%G %a %n', 'deep', 'deep/er', 'deep/er/a.txt']);
    expect(stdout).toBe('agent:agent 755 deep\nagent:agent 755 deep/er\nagent:agent 644 deep/er/a.txt\n');
    expect((await open.sandbox.runShell('echo more >> deep/er/a.txt')).exitCode).toBe(0);
  });

  it('leaves the owner and mode of folders alone that exist already', async () => {
    await open.sandbox.runShellOrThrow('mkdir kept && chmod 750 kept');
    await open.sandbox.writeText('kept/x', 'x');
    expect((await open.sandbox.runCommand('stat', ['-c', '%a', 'kept'])).stdout).toBe('750\n');
  });

  it('tells whether a path exists', async () => {
    await open.sandbox.writeText('here', '');
    expect([await open.sandbox.pathExists('here'), await open.sandbox.pathExists('nowhere/else'), await open.sandbox.pathExists('/etc')]).toEqual([true, false, true]);
  });

  it('follows links inside the sandbox when it reads', async () => {
    await open.sandbox.runShellOrThrow('echo target > t.txt && ln -s t.txt l1 && ln -s "$PWD/l1" l2 && ln -s loop loop');
    expect(await open.sandbox.readText('l2')).toBe('target\n');
    await expect(open.sandbox.readText('loop')).rejects.toThrow(SandboxPathError);
  });

  it.each([
    ['a missing file', 'no/such', 'there is no such file'],
    ['a folder', '.', 'is a folder'],
  ])('refuses to read %s', async (_what, path, message) => {
    await expect(open.sandbox.readText(path)).rejects.toThrow(message);
  });

  it('uploads a folder with modes, links, empty folders and odd names, and leaves out what it is told to', async () => {
    const folder = join(host, 'up');
    await mkdir(join(folder, 'empty'), { recursive: true });
    await mkdir(join(folder, 'node_modules/x'), { recursive: true });
    await writeFile(join(folder, 'node_modules/x/i.js'), '');
    await writeFile(join(folder, 'run.sh'), '#!/bin/sh\n');
    await chmod(join(folder, 'run.sh'), 0o755);
    await writeFile(join(folder, '-dash  and "quotes"\nnewline'), 'odd');
    await writeFile(join(folder, `${'long'.repeat(60)}.txt`), 'long');
    await writeFile(join(folder, '.hidden'), '');
    await symlink('run.sh', join(folder, 'link'));
    expect(await open.sandbox.uploadDirectory(folder, 'up', { ignore: ['node_modules/**', 'node_modules', 'dist/**'] })).toEqual({ unmatchedIgnore: ['dist/**'] });
    const { stdout } = await open.sandbox.runCommand('find', ['up', '-mindepth', '1', '-printf', '%P|%y|%m|%u|%l\\0']);
    expect(stdout.split('\0').filter((line) => line !== '').sort()).toEqual([
      '-dash  and "quotes"\nnewline|f|644|agent|',
      '.hidden|f|644|agent|',
      'empty|d|755|agent|',
      'link|l|777|agent|run.sh',
      `${'long'.repeat(60)}.txt|f|644|agent|`,
      'run.sh|f|755|agent|',
    ].sort());
  });

  it('says which host folder cannot be uploaded', async () => {
    await expect(open.sandbox.uploadDirectory(join(host, 'nope'))).rejects.toThrow(SandboxInputError);
    await expect(open.sandbox.uploadFile(join(host, 'nope'), 'x')).rejects.toThrow(`The file "${join(host, 'nope')}" cannot be uploaded`);
  });

  it.each([
    ['a folder that is a link', 'rm -rf way && ln -s /etc way', 'way/hosts-of-mine', '/etc/hosts-of-mine'],
    ['a link further up', 'rm -rf way && mkdir way && ln -s /usr way/up', 'way/up/local/mine', '/usr/local/mine'],
    ['a link in a shared folder', 'rm -rf /tmp/way && ln -s /var/lib /tmp/way', '/tmp/way/mine', '/var/lib/mine'],
  ])('does not write through %s, which would hand a folder of the system to the agent', async (_what, script, path, landing) => {
    await open.sandbox.runShellOrThrow(script);
    const folder = join(host, 'small');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'x'), 'x');
    for (const upload of [() => open.sandbox.writeText(path, 'x'), () => open.sandbox.uploadFile(join(folder, 'x'), path), () => open.sandbox.uploadDirectory(folder, path)]) {
      await expect(upload()).rejects.toThrow(SandboxPathError);
      await expect(upload()).rejects.toThrow('which is a link. Name the folder itself, or remove the link first.');
    }
    expect(await open.sandbox.pathExists(landing)).toBe(false);
  });

  it('replaces a link by the file that is written in its place', async () => {
    await open.sandbox.runShellOrThrow('ln -sfn /etc/passwd swapped');
    await open.sandbox.writeText('swapped', 'mine');
    expect((await open.sandbox.runCommand('stat', ['-c', '%F', 'swapped'])).stdout).toBe('regular file\n');
    expect(await open.sandbox.readText('/etc/passwd')).toContain('root:');
  });

  it('downloads a folder with its links and modes', async () => {
    await open.sandbox.runShellOrThrow('mkdir -p down/sub && echo a > down/sub/a && chmod 700 down/sub/a && ln -s sub/a down/l && ln down/sub/a down/hard && mkfifo down/pipe');
    await open.sandbox.downloadDirectory('down', join(host, 'down'));
    expect(await readFile(join(host, 'down/sub/a'), 'utf8')).toBe('a\n');
    expect((await lstat(join(host, 'down/sub/a'))).mode & 0o777).toBe(0o700);
    expect(await readlink(join(host, 'down/l'))).toBe('sub/a');
    expect(await readFile(join(host, 'down/hard'), 'utf8')).toBe('a\n');
    await expect(lstat(join(host, 'down/pipe'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['an absolute link', 'ln -s /etc/passwd evil/l'],
    ['a link that climbs out', 'mkdir evil/d && ln -s ../../x evil/d/l'],
  ])('refuses to download %s, and writes nothing outside', async (_what, script) => {
    await open.sandbox.runShellOrThrow(`rm -rf evil && mkdir evil && ${script}`);
    await expect(open.sandbox.downloadDirectory('evil', join(host, 'evil'))).rejects.toThrow(UnsafeArchiveError);
  });
});
