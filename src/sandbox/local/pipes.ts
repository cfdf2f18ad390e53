import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { execa } from 'execa';
import type { ExecOptions } from '../sandbox.js';

/** The standard streams of one command. */
export interface CommandPipes {
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** The child's own ends, as `spawn` takes them. Input that comes as a stream goes through a pipe that `spawn` makes. */
  readonly childEnds: readonly [number | 'ignore' | 'pipe', number, number];
  /** Call when the child has its ends: while they are open here, no stream ends. */
  closeChildEnds(): void;
}

/**
 * Opens the streams of one command. What Node makes for a child are sockets, and a socket cannot be opened by name: a script that
 * writes to /dev/stderr would fail here and nowhere else. So output goes through pipes of the kernel, and input that is known
 * comes from a file.
 *
 * @param folder Where their names live for a moment.
 */
export async function openPipes(folder: string, stdin: ExecOptions['stdin']): Promise<CommandPipes> {
  const own = await mkdtemp(join(folder, 'pipes-'));
  const [input, output, errors] = [join(own, 'in'), join(own, 'out'), join(own, 'err')];
  const open: number[] = [];
  const opened = (path: string, flags: number): number => {
    const end = openSync(path, flags);
    open.push(end);
    return end;
  };
  try {
    await execa('mkfifo', ['-m', '600', output, errors]);
    const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
    // The reader comes first: a writer that is opened alone waits for one.
    const [hostOut, childOut] = [opened(output, O_RDONLY | O_NONBLOCK), opened(output, O_WRONLY)];
    const [hostErr, childErr] = [opened(errors, O_RDONLY | O_NONBLOCK), opened(errors, O_WRONLY)];
    const isText = stdin !== undefined && !(stdin instanceof Readable);
    if (isText) await writeFile(input, stdin, { mode: 0o600 });
    const childIn = isText ? opened(input, O_RDONLY) : stdin === undefined ? 'ignore' : 'pipe';
    return {
      stdout: new Socket({ fd: hostOut, readable: true, writable: false }),
      stderr: new Socket({ fd: hostErr, readable: true, writable: false }),
      childEnds: [childIn, childOut, childErr],
      closeChildEnds: () => { for (const end of [childIn, childOut, childErr]) if (typeof end === 'number') closeSync(end); },
    };
  } catch (error) {
    for (const end of open) closeSync(end);
    throw error;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
