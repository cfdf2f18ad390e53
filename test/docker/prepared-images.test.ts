import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectEngine } from '../../src/sandbox/docker/engine.js';
import { requireRoom } from '../../src/sandbox/docker/disk.js';
import { openDockerProvider } from '../../src/sandbox/docker/provider.js';
import { docker } from '../../src/sandbox/docker/spec.js';
import { ImageError } from '../../src/sandbox/errors.js';
import { command, shell, upload } from '../../src/sandbox/prepare/steps.js';
import { fromFolder } from '../../src/sandbox/prepare/workspace-sources.js';
import type { OwnedSandbox, SandboxProvider, SandboxSpec } from '../../src/sandbox/sandbox.js';
import { busyboxFiles, containersOf, imageConfig, importImage, removeImage, type TestImage } from '../support/images.js';
import { testRunId } from '../support/sandboxes.js';

// A small image with a user, so that what is measured here is the preparing.
const APPLETS = ['sh', 'sleep', 'cat', 'ls', 'id', 'env', 'stat', 'find', 'wget', 'mkdir', 'grep', 'true'];
const PASSWD = 'root:x:0:0:root:/root:/bin/sh\nworker:x:1234:2345::/home/worker:/bin/sh\n';
const CHANGES = ['USER worker', 'WORKDIR /work', 'ENV COLOUR=blue', 'ENTRYPOINT ["/bin/cat"]', 'CMD ["/etc/passwd"]', 'LABEL own=kept'];

describe('a prepared image', () => {
  let base: TestImage;
  let provider: SandboxProvider;
  let runId: string;
  let host: string;
  const made = new Set<string>();
  beforeAll(async () => {
    base = await importImage({
      ...await busyboxFiles(APPLETS), 'etc/passwd': { bytes: PASSWD }, 'tmp': { folder: true, mode: 0o1777 }, 'work': { folder: true, uid: 1234, gid: 2345 }, 'srv/task': { folder: true, mode: 0o750 }, 'home/worker': { folder: true, uid: 1234, gid: 2345 },
    }, CHANGES);
  });
  afterAll(() => base[Symbol.asyncDispose]());
  beforeEach(async () => {
    runId = testRunId();
    provider = await openDockerProvider({ runId });
    host = await mkdtemp(join(tmpdir(), 'niceeval-prepared-'));
  });
  afterEach(async () => {
    await provider[Symbol.asyncDispose]();
    await rm(host, { recursive: true, force: true });
    for (const reference of made) await removeImage(reference);
    made.clear();
  });

  const image = async (spec: SandboxSpec, by: SandboxProvider = provider, signal?: AbortSignal): Promise<{ readonly reference: string; readonly lines: readonly string[] }> => {
    const lines: string[] = [];
    const { reference } = await by.prepareImage(spec, (line) => lines.push(line), signal);
    made.add(reference);
    return { reference, lines };
  };
  const sandbox = async (spec: SandboxSpec): Promise<OwnedSandbox> => {
    const prepared = await provider.prepareImage(spec);
    made.add(prepared.reference);
    return provider.openSandbox(spec, { image: prepared, network: { kind: 'none' }, attemptId: 'attempt', lifetimeMs: 600_000 });
  };
  const on = () => docker({ image: base.reference });

  it('has what its steps made, in their order: files of the agent, commands of the agent and of root', async () => {
    await mkdir(join(host, 'seed/sub'), { recursive: true });
    await writeFile(join(host, 'seed/sub/run.sh'), 'echo run');
    await chmod(join(host, 'seed/sub/run.sh'), 0o750);
    await symlink('sub/run.sh', join(host, 'seed/link'));
    await writeFile(join(host, 'seed/left.log'), '');
    await writeFile(join(host, 'one.txt'), 'one');
    await using place = await sandbox(on().prepare(
      fromFolder(join(host, 'seed'), { ignore: ['*.log'] }),
      upload(join(host, 'one.txt')), upload(join(host, 'one.txt'), 'as/two.txt'), upload(join(host, 'one.txt'), 'in/'),
      shell('id -un > who; echo "$WORD $COLOUR" > words; cat one.txt | cat > piped', { env: { WORD: 'hello' } }),
      shell('id -un > /etc/root-was-here', { user: 'root' }),
    ).prepare(command('mkdir', ['-p', 'made/by command'])));
    const listed = await place.runCommand('find', ['.', '!', '-name', '.', '-exec', 'stat', '-c', '%n %F %a %U:%g', '{}', '+']);
    expect(listed.stdout.split('\n').filter((line) => line !== '').sort()).toEqual([
      './as directory 755 worker:2345', './as/two.txt regular file 644 worker:2345', './in directory 755 worker:2345', './in/one.txt regular file 644 worker:2345',
      './link symbolic link 777 worker:2345', './made directory 755 worker:2345', './made/by command directory 755 worker:2345', './one.txt regular file 644 worker:2345',
      './piped regular file 644 worker:2345', './sub directory 755 worker:2345', './sub/run.sh regular file 750 worker:2345', './who regular file 644 worker:2345', './words regular file 644 worker:2345',
    ].sort());
    expect([await place.readText('who'), await place.readText('words'), await place.readText('piped'), await place.readText('/etc/root-was-here')]).toEqual(['worker\n', 'hello blue\n', 'one', 'root\n']);
  });

  it('gives the agent the working directory when files are laid into it, and leaves its mode alone', async () => {
    await writeFile(join(host, 'a'), 'a');
    await using place = await sandbox(docker({ image: base.reference, workdir: '/srv/task' }).prepare(fromFolder(host)));
    expect((await place.runCommand('stat', ['-c', '%n %U %a', '/srv', '/srv/task', '/srv/task/a'])).stdout).toBe('/srv root 755\n/srv/task worker 750\n/srv/task/a worker 644\n');
  });

  it('keeps the configuration of the image below, and no variable of a step', async () => {
    const secret = 'sk-not-in-the-image-1234';
    const { reference } = await image(on().prepare(shell('env | grep -q TOKEN', { env: { TOKEN: secret } })));
    const [before, after] = [await imageConfig(base.reference), await imageConfig(reference)];
    for (const field of ['User', 'WorkingDir', 'Env', 'Entrypoint', 'Cmd', 'ExposedPorts', 'Volumes', 'Healthcheck']) expect(after[field], field).toEqual(before[field]);
    const { 'niceeval.created': created, 'niceeval.base': below, ...labels } = after['Labels'] as Record<string, string>;
    expect(labels).toEqual({ 'own': 'kept', 'niceeval': '1', 'niceeval.role': 'prepared', 'niceeval.recipe': reference.split(':')[1], 'niceeval.owner': '', 'niceeval.run': '', 'niceeval.notices': '[]' });
    expect(Date.parse(created ?? '')).toBeGreaterThan(Date.now() - 600_000);
    expect(below).toBe((await execa('docker', ['image', 'inspect', '--format', '{{.Id}}', base.reference])).stdout);
    const told = `${(await execa('docker', ['image', 'inspect', reference])).stdout}${(await execa('docker', ['history', '--no-trunc', reference])).stdout}`;
    expect(told.includes(secret)).toBe(false);
  });

  it('has neither entry point nor command where the image below has none', async () => {
    await using bare = await importImage({ ...await busyboxFiles(APPLETS), 'etc/passwd': { bytes: PASSWD } });
    const { reference } = await image(docker({ image: bare.reference }).prepare(command('true')));
    const { Entrypoint: entry, Cmd: cmd, User: user, WorkingDir: workdir } = await imageConfig(reference);
    expect([entry ?? [], cmd ?? [], user ?? '', workdir ?? '']).toEqual([[], [], '', '']);
  });

  it('is made once for all who wait for it, and found again by the next run', async () => {
    const spec = on().prepare(shell('echo x > once'));
    const lines: string[] = [];
    const images = await Promise.all(Array.from({ length: 20 }, () => provider.prepareImage(spec, (line) => lines.push(line))));
    const reference = images[0]?.reference ?? '';
    made.add(reference);
    expect(new Set(images.map(({ id }) => id)).size).toBe(1);
    expect(lines).toEqual([`${reference}: preparing on ${base.reference}`, `${reference}: step 1/1: shell "echo x > once"`, `${reference}: ready`]);
    await using next = await openDockerProvider({ runId: testRunId() });
    expect(await image(spec, next)).toEqual({ reference, lines: [] });
  });

  it('is another one when a file or the user changes, and the old one when it is as it was', async () => {
    const after = async (text: string, spec: SandboxSpec): Promise<string> => {
      await writeFile(join(host, 'f'), text);
      await using fresh = await openDockerProvider({ runId: testRunId() });
      return (await image(spec, fresh)).reference;
    };
    const spec = on().prepare(upload(host));
    const [one, two, root, again] = [
      await after('one', spec), await after('two', spec), await after('one', docker({ image: base.reference, user: 'root' }).prepare(upload(host))), await after('one', spec),
    ];
    expect(new Set([one, two, root]).size).toBe(3);
    expect(again).toBe(one);
  });

  it('ends well for two runs that make it at the same time', async () => {
    await using other = await openDockerProvider({ runId: testRunId() });
    const spec = on().prepare(shell('echo both > x'));
    const [one, two] = await Promise.all([image(spec), image(spec, other)]);
    expect(one.reference).toBe(two.reference);
    await using place = await sandbox(spec);
    expect(await place.readText('x')).toBe('both\n');
  });

  it('says which step failed, how, and what it printed without secrets; nothing is left', async () => {
    const spec = on().prepare(command('true'), shell('echo "token $TOKEN"; echo no such package; exit 3', { env: { TOKEN: 'sk-secret' } }));
    const failed = image(spec);
    await expect(failed).rejects.toThrow(ImageError);
    await expect(failed).rejects.toThrow(/^The step shell "echo "token \$TOKEN"; echo no such package; exit 3" failed: it ended with exit code 3\. The end of what it printed: token \[redacted\]\nno such package$/);
    await expect(image(on().prepare(command('no-such-program')))).rejects.toThrow('The step command "no-such-program" failed: it ended with exit code 127. The end of what it printed: the sandbox has no program "no-such-program"');
    await expect(image(on().prepare(shell('sleep 60', { timeoutMs: 300 })))).rejects.toThrow('The step shell "sleep 60" failed: "sleep 60" was still running after 300 ms.');
    expect(await containersOf(runId)).toEqual([]);
  });

  it('leaves nothing when it is interrupted', async () => {
    const interruption = new AbortController();
    let begun: () => void = () => undefined;
    const atWork = new Promise<void>((resolve) => { begun = resolve; });
    const building = provider.prepareImage(on().prepare(shell('echo begun; sleep 600')), (line) => { if (line.includes('step 1/1')) begun(); }, interruption.signal);
    const outcome = building.then(() => 'made', (error: unknown) => error);
    await atWork;
    interruption.abort(new Error('enough'));
    expect(await outcome).toEqual(new Error('enough'));
    expect(await containersOf(runId)).toEqual([]);
  });

  it('is prepared with an open network', async () => {
    const server = createServer((_request, response) => { response.end('from outside'); });
    await new Promise<void>((resolve) => { server.listen(0, '0.0.0.0', resolve); });
    const { stdout: gateway } = await execa('docker', ['network', 'inspect', 'bridge', '--format', '{{(index .IPAM.Config 0).Gateway}}']);
    try {
      await using place = await sandbox(on().prepare(command('wget', ['-q', '-O', 'fetched', `http://${gateway}:${(server.address() as AddressInfo).port}/`])));
      expect(await place.readText('fetched')).toBe('from outside');
    } finally {
      server.close();
    }
  });

  it('refuses a place that would not be kept: a volume of the image', async () => {
    await using volume = await importImage({ ...await busyboxFiles(APPLETS), 'etc/passwd': { bytes: PASSWD } }, ['VOLUME /data', 'WORKDIR /data/work']);
    await expect(image(docker({ image: volume.reference }).prepare(command('true')))).rejects.toThrow(`The image "${volume.reference}" declares the volume /data, and /data/work lies in it.`);
  });

  it('is not begun where the engine has too little room', async () => {
    const engine = await connectEngine();
    await requireRoom(engine, 'The image', 1);
    await expect(requireRoom(engine, 'The image', 2 ** 60)).rejects.toThrow(/^The image cannot be made: [\d.]+ [GT]iB are free in \/.*, where the engine keeps its data, and 1048576 TiB are needed\. `niceeval images gc` removes/);
  });
});
