import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import Docker from 'dockerode';
import { execa } from 'execa';
import { pack } from 'tar-stream';

/** An image that was made for a test, with what was prepared on it. Closing it removes them. */
export interface TestImage extends AsyncDisposable { readonly reference: string; }

/** A file of an image, or a link. */
export type ImageFile = { readonly bytes: Uint8Array | string; readonly mode?: number; readonly uid?: number; readonly gid?: number } | { readonly linkTo: string } | { readonly folder: true; readonly mode?: number; readonly uid?: number; readonly gid?: number };

/** Imports an image of these files. @param changes Lines like those of a Dockerfile, for instance `USER 1000`. */
export async function importImage(files: Readonly<Record<string, ImageFile>>, changes: readonly string[] = [], reference = `niceeval-test/${randomBytes(4).toString('hex')}:1`): Promise<TestImage> {
  const archive = pack();
  for (const [name, file] of Object.entries(files)) {
    if ('linkTo' in file) archive.entry({ name, type: 'symlink', linkname: file.linkTo });
    else if ('folder' in file) archive.entry({ name, type: 'directory', mode: file.mode ?? 0o755, uid: file.uid ?? 0, gid: file.gid ?? 0 });
    else archive.entry({ name, mode: file.mode ?? 0o644, uid: file.uid ?? 0, gid: file.gid ?? 0 }, Buffer.from(file.bytes));
  }
  archive.finalize();
  const engine = new Docker();
  const [repo = '', tag = ''] = reference.split(':');
  const body = Readable.from(archive as AsyncIterable<Uint8Array>, { objectMode: false });
  const stream = await engine.importImage(body as unknown as string, { repo, tag, changes: [...changes] }) as NodeJS.ReadableStream;
  await new Promise<void>((resolve, reject) => { engine.modem.followProgress(stream, (error) => (error === null ? resolve() : reject(error))); });
  return { reference, [Symbol.asyncDispose]: () => removeImage(reference) };
}

/** The static busybox of this machine, under the names of some of its programs. */
export async function busyboxFiles(applets: readonly string[]): Promise<Readonly<Record<string, ImageFile>>> {
  const busybox = { bytes: await readFile('/bin/busybox'), mode: 0o755 };
  return { 'bin/busybox': busybox, ...Object.fromEntries(applets.map((name) => [`bin/${name}`, { linkTo: 'busybox' }])) };
}

/** Removes an image by its reference; one that is gone already is fine. */
export async function removeImage(reference: string): Promise<void> {
  await execa('docker', ['rmi', '-f', reference], { reject: false });
}

/** A part of what the engine says of an image. */
export async function imageConfig(reference: string): Promise<Readonly<Record<string, unknown>>> {
  const { stdout } = await execa('docker', ['image', 'inspect', '--format', '{{json .Config}}', reference]);
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}

/** Names of containers of a run. */
export async function containersOf(runId: string): Promise<readonly string[]> {
  const { stdout } = await execa('docker', ['ps', '-aq', '--filter', `label=niceeval.run=${runId}`]);
  return stdout.split('\n').filter((id) => id !== '');
}
