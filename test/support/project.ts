import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Readable } from 'node:stream';
import { execa, type ResultPromise } from 'execa';

/** The built command. */
export const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** A project in a folder of its own. */
export interface TestProject extends AsyncDisposable {
  readonly root: string;
  /** Starts `niceeval` here. Exit codes are results. */
  niceeval(args: readonly string[], options?: { readonly env?: Readonly<Record<string, string>>; readonly timeoutMs?: number }): ResultPromise<{ reject: false }>;
  /** The newest run's folder. */
  runFolder(): Promise<string>;
  /** A JSON file of the only Attempt of the newest run, or of the one whose folder begins with a name. */
  attemptFile(name: string, attempt?: string): Promise<unknown>;
}

/** Writes the files, by relative path, into a new folder. */
export async function openProject(files: Readonly<Record<string, string | Uint8Array>>): Promise<TestProject> {
  const root = await mkdtemp(join(tmpdir(), 'niceeval-test-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  const runFolder = async (): Promise<string> => {
    const runs = (await readdir(join(root, '.niceeval/runs'))).sort();
    return join(root, '.niceeval/runs', runs.at(-1) ?? '');
  };
  return {
    root,
    niceeval: (args, options = {}) => execa('node', [CLI, ...args], { cwd: root, reject: false, stdin: 'ignore', timeout: options.timeoutMs ?? 200_000, env: { NO_COLOR: '1', ...options.env } }),
    runFolder,
    attemptFile: async (name, attempt = '') => {
      const folder = join(await runFolder(), 'attempts');
      const found = (await readdir(folder)).find((entry) => entry.startsWith(attempt));
      return JSON.parse(await readFile(join(folder, found ?? '', name), 'utf8')) as unknown;
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** Ids of everything in the engine that belongs to a run of the command. Tests that open sandboxes themselves give their runs names with `test-`. */
export async function leftovers(): Promise<readonly string[]> {
  const all = await Promise.all([['ps', '-a'], ['network', 'ls']].map((list) => (
    execa('docker', [...list, '--filter', 'label=niceeval.run', '--format', '{{.ID}} {{.Label "niceeval.run"}}'])
  )));
  return all.flatMap(({ stdout }) => stdout.split('\n')).map((line) => line.split(' ')).filter(([id = '', run = '']) => id !== '' && !run.startsWith('test-')).map(([id = '']) => id);
}

/** Settles when a part of a line has come. Rejects when the output ends without it. */
export function lineOf(stream: Readable, part: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(part)) resolve();
    });
    stream.once('end', () => reject(new Error(`the output ended without ${part}: ${text}`)));
  });
}
