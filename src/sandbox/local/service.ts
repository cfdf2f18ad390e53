import { spawn } from 'node:child_process';
import type { Service } from '../sandbox.js';
import { environmentOf } from './environment.js';
import type { LocalPlace } from './place.js';

const STDERR_TAIL_BYTES = 16 * 1024;
const LOOPBACK = '127.0.0.1';

/**
 * Starts a program of ours with this Node, on a free port of the loopback address. Its input closes when this process goes away,
 * so a program that ends with its input never outlives its owner.
 */
export function startService(place: LocalPlace, program: string): Service {
  const child = spawn(process.execPath, [program, '--host', LOOPBACK, '--port', '0'], {
    cwd: place.folder, env: environmentOf(place.marker, { home: place.folder, temporary: place.folder }), detached: true, stdio: 'pipe',
  });
  let stderr = Buffer.alloc(0);
  child.stderr.on('data', (chunk: Buffer) => { stderr = Buffer.concat([stderr, chunk]).subarray(-STDERR_TAIL_BYTES); });
  child.stdin.on('error', () => undefined); // Its end says the same, and `ended` tells it.
  const ended = new Promise<{ readonly stderr: string }>((resolve) => {
    child.once('close', () => resolve({ stderr: stderr.toString('utf8') }));
    child.once('error', (error) => resolve({ stderr: error.message }));
  });
  if (child.pid !== undefined) place.groups.add(child.pid);
  return { id: place.marker, hostname: LOOPBACK, stdin: child.stdin, stdout: child.stdout, ended, [Symbol.asyncDispose]: () => place.close() };
}
