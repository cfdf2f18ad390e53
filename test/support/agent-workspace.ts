import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChangeWindow, FileChange, WindowFlag } from '../../src/evidence/file-changes.js';
import { docker } from '../../src/sandbox/docker/spec.js';
import type { OwnedSandbox } from '../../src/sandbox/sandbox.js';
import { createContentStore } from '../../src/workspace/content-store.js';
import { WorkspaceLedger } from '../../src/workspace/ledger.js';
import { openTestSandbox } from './sandboxes.js';

/** A real sandbox in which an eval and an agent take turns. */
export interface AgentWorkspace extends AsyncDisposable {
  readonly sandbox: OwnedSandbox;
  readonly ledger: WorkspaceLedger;
  /** Something that the eval does. */
  evalDoes(script: string): Promise<void>;
  /** One send in which the agent does something, with bash. */
  agentDoes(script: string, options?: { readonly flags?: readonly WindowFlag[] }): Promise<ChangeWindow>;
}

/**
 * @param options.user Who the agent is. Default: the image's own.
 * @param options.workdir Only with `user`. Default: the image's own.
 */
export async function openAgentWorkspace(options: { readonly user?: string; readonly workdir?: string } = {}): Promise<AgentWorkspace> {
  const shared = await openTestSandbox();
  const folder = await mkdtemp(join(tmpdir(), 'niceeval-attribution-'));
  let sandbox = shared.sandbox;
  let imageId = shared.image.id;
  if (options.user !== undefined) {
    const spec = docker({ user: options.user, ...(options.workdir === undefined ? {} : { workdir: options.workdir }) });
    const image = await shared.provider.prepareImage(spec);
    imageId = `${image.id} ${options.user}`;
    sandbox = await shared.provider.openSandbox(spec, { image, network: { kind: 'none' }, attemptId: 'other-user', lifetimeMs: 600_000 });
  }
  const ledger = await WorkspaceLedger.anchor(sandbox, { store: createContentStore(folder), imageId, states: new Map() });
  return {
    sandbox,
    ledger,
    evalDoes: async (script) => {
      ledger.touched();
      await sandbox.runShellOrThrow(script);
    },
    agentDoes: async (script, given = {}) => {
      await ledger.openWindow('c');
      const { exitCode, stderr } = await sandbox.runShell(script);
      if (exitCode !== 0) throw new Error(`the agent's script ended with ${exitCode}: ${stderr}`);
      await ledger.closeWindow('turn', given);
      const changes = ledger.changes();
      if (changes.state === 'unavailable') throw new Error(changes.reason);
      return changes.windows.at(-1) as ChangeWindow;
    },
    [Symbol.asyncDispose]: async () => {
      await shared[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Each change as `status path`. */
export function brief(window: ChangeWindow): readonly string[] {
  return window.changes.map((change) => `${change.status} ${change.path}`);
}

export function changeOf(window: ChangeWindow, path: string): FileChange | undefined {
  return window.changes.find((change) => change.path === path);
}

/** The kept text of one side. */
export async function textOf(place: Pick<AgentWorkspace, 'ledger'>, change: FileChange | undefined, side: 'before' | 'after'): Promise<string | undefined> {
  const bytes = await place.ledger.content(change?.[side]?.sha256 ?? '');
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
}
