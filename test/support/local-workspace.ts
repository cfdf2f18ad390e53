import { spawn } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { ChangeWindow } from '../../src/evidence/file-changes.js';
import type { ExecOptions, OwnedSandbox } from '../../src/sandbox/sandbox.js';
import { createContentStore } from '../../src/workspace/content-store.js';
import { WorkspaceLedger } from '../../src/workspace/ledger.js';

const AUTHOR = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

/** A folder of this machine that a ledger takes for the working directory of a sandbox. */
export interface LocalWorkspace extends AsyncDisposable {
  readonly root: string;
  /** Programs that the ledger started in the "sandbox", by name. */
  readonly started: string[];
  readonly ledger: WorkspaceLedger;
  evalDoes(script: string): Promise<void>;
  agentDoes(script: string): Promise<ChangeWindow>;
}

/** @param options.image What the image holds already. */
export async function openLocalWorkspace(options: { readonly image?: string } = {}): Promise<LocalWorkspace> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'niceeval-local-')));
  const root = join(base, 'root');
  const original = join(base, 'original');
  const started: string[] = [];
  const run = (script: string) => execa('bash', ['-c', script], { cwd: root, env: AUTHOR });
  await execa('mkdir', [root]);
  if (options.image !== undefined) await run(options.image);
  await execa('cp', ['-a', root, original]);
  const parts: Partial<OwnedSandbox> = {
    workdir: root,
    rootIsTrusted: true,
    exec: (argv, given = {}) => execHere(argv, given, started),
    archive: (path) => {
      started.push('image');
      const tar = spawn('tar', ['-c', '-C', join(path.replace(root, original), '..'), path.slice(path.lastIndexOf('/') + 1)], { stdio: ['ignore', 'pipe', 'ignore'] });
      return Promise.resolve(tar.stdout);
    },
    agentProcesses: () => Promise.resolve([]),
    spareAgentProcesses: () => Promise.resolve({ pids: new Set<string>(), innerPids: [] }),
    isRunning: () => Promise.resolve(true),
  };
  const ledger = await WorkspaceLedger.anchor(parts as OwnedSandbox, { store: createContentStore(join(base, 'blobs')), imageId: 'image', states: new Map() });
  return {
    root,
    started,
    ledger,
    evalDoes: async (script) => { ledger.touched(); await run(script); },
    agentDoes: async (script) => {
      await ledger.openWindow('c');
      await run(script);
      started.length = 0;
      await ledger.closeWindow('turn');
      const changes = ledger.changes();
      if (changes.state === 'unavailable') throw new Error(changes.reason);
      return changes.windows.at(-1) as ChangeWindow;
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}

function execHere(argv: readonly string[], options: ExecOptions, started: string[]): Promise<{ readonly exitCode: number }> {
  const [program = '', ...args] = argv;
  started.push(program);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: options.cwd });
    child.stdout.on('data', (chunk: Buffer) => { void options.onStdout?.(chunk); });
    child.stderr.on('data', (chunk: Buffer) => { void options.onStderr?.(chunk); });
    child.on('error', reject);
    child.on('close', (code) => { resolve({ exitCode: code ?? 1 }); });
    child.stdin.end(options.stdin);
  });
}
