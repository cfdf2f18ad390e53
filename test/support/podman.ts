import { chmod, chown, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

const AGENT = 1000;

/** A service of Podman of one's own, with nothing in common with any other. Closing it removes everything that it made. */
export interface PodmanService extends AsyncDisposable {
  /** As in DOCKER_HOST. */
  readonly host: string;
  /** A small image: busybox, this Node, the user `agent`. */
  readonly image: string;
}

/** Starts `podman system service` on a socket, storage and settings in a temporary folder. Needs root, podman and busybox. */
export async function openPodmanService(): Promise<PodmanService> {
  const folder = await mkdtemp(join(tmpdir(), 'niceeval-podman-'));
  const socket = join(folder, 'podman.sock');
  const config = join(folder, 'containers.conf');
  const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'overlay'];
  const init = ['/usr/bin/docker-init', '/usr/libexec/podman/catatonit', '/usr/bin/tini'].find((path) => existsSync(path)) ?? '';
  await writeFile(config, [
    '[engine]', 'cgroup_manager = "cgroupfs"', 'events_logger = "none"', `init_path = "${init}"`,
    '[containers]', `init_path = "${init}"`,
    '[network]', `network_config_dir = "${join(folder, 'networks')}"`, '',
  ].join('\n'));
  const podman = (...words: readonly string[]) => execa('podman', [...storage, ...words], { env: { CONTAINERS_CONF: config } });
  const image = 'localhost/niceeval-podman:test';
  await writeImage(join(folder, 'image'));
  await execa('tar', ['--create', '--directory', join(folder, 'image'), '--file', join(folder, 'image.tar'), '.']);
  await podman('import', '--change', 'USER agent', '--change', 'WORKDIR /home/agent/workspace', '--change', 'ENV PATH=/bin', join(folder, 'image.tar'), image);
  const service = execa('podman', [...storage, 'system', 'service', '--time=0', `unix://${socket}`], { env: { CONTAINERS_CONF: config }, reject: false });
  await untilAnswers(socket);
  return {
    host: `unix://${socket}`,
    image,
    async [Symbol.asyncDispose]() {
      await podman('rm', '--all', '--force', '--time', '0');
      service.kill('SIGTERM');
      await service;
      await execa('umount', [join(folder, 'root/overlay')], { reject: false });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function writeImage(root: string): Promise<void> {
  for (const name of ['bin', 'etc', 'tmp', 'proc', 'sys', 'dev', 'root', 'home/agent/workspace']) await mkdir(join(root, name), { recursive: true });
  await chmod(join(root, 'tmp'), 0o1777);
  for (const name of ['home/agent', 'home/agent/workspace']) await chown(join(root, name), AGENT, AGENT);
  await writeFile(join(root, 'etc/passwd'), `root:x:0:0::/root:/bin/sh\nagent:x:${AGENT}:${AGENT}::/home/agent:/bin/sh\n`);
  await writeFile(join(root, 'etc/group'), `root:x:0:\nagent:x:${AGENT}:\n`);
  await copyFile('/bin/busybox', join(root, 'bin/busybox'));
  const { stdout: applets } = await execa('/bin/busybox', ['--list']);
  for (const applet of applets.split('\n').filter((name) => name !== 'busybox')) await symlink('busybox', join(root, 'bin', applet));
  const { stdout: libraries } = await execa('ldd', [process.execPath]);
  for (const path of [process.execPath, ...libraries.match(/\/\S+(?= \()/g) ?? []]) {
    const target = path === process.execPath ? 'bin/node' : path;
    await mkdir(dirname(join(root, target)), { recursive: true });
    await copyFile(path, join(root, target));
    await chmod(join(root, target), 0o755);
  }
}

async function untilAnswers(socket: string): Promise<void> {
  await execa('curl', ['--silent', '--retry', '50', '--retry-all-errors', '--retry-delay', '1', '--unix-socket', socket, 'http://podman/_ping']);
}
