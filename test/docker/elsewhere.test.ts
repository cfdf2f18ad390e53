import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { docker } from '../../src/sandbox/docker/spec.js';
import type { OwnedSandbox } from '../../src/sandbox/sandbox.js';
import { createContentStore } from '../../src/workspace/content-store.js';
import { WorkspaceLedger, type ImageStates } from '../../src/workspace/ledger.js';
import { openTestSandbox, type TestSandbox } from '../support/sandboxes.js';

describe('changes outside of the working directory', () => {
  let open: TestSandbox;
  let folder: string;
  let sandbox: OwnedSandbox;
  let ledger: WorkspaceLedger;
  const states: ImageStates = new Map();
  beforeAll(async () => {
    open = await openTestSandbox();
    folder = await mkdtemp(join(tmpdir(), 'niceeval-elsewhere-'));
  });
  afterAll(async () => {
    await open[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await sandbox?.stop();
    sandbox = await open.provider.openSandbox(docker(), { image: open.image, network: { kind: 'none' }, attemptId: 'elsewhere', lifetimeMs: 600_000 });
    ledger = await WorkspaceLedger.anchor(sandbox, { store: createContentStore(folder), imageId: open.image.id, states, watch: ['/var/tmp', '/not/there'] });
  });

  async function agentDoes(script: string): Promise<void> {
    await ledger.openWindow('c');
    await sandbox.runShellOrThrow(script);
    await ledger.closeWindow('turn');
  }
  async function evalDoes(script: string): Promise<void> {
    ledger.touched();
    await sandbox.runShellOrThrow(script);
  }
  const told = () => {
    const changes = ledger.changes();
    if (changes.state === 'unavailable') throw new Error(changes.reason);
    return changes.windows.map((window) => ({
      inside: window.changes.map(({ path, status }) => `${status} ${path}`),
      elsewhere: (window.elsewhere ?? []).flatMap(({ root, changes: own }) => own.map(({ path, status, after }) => `${status} ${root}/${path} ${after?.contentGap ?? ''}`.trim())),
    }));
  };

  it('are told of the home and of roots that an eval names, apart from those inside, and not of what the eval did', async () => {
    await evalDoes('echo eval > ~/of-the-eval.txt; echo eval > /var/tmp/of-the-eval.txt');
    await agentDoes('echo in > inside.txt; mkdir -p ~/.config/x && echo a > ~/.config/x/y; echo b >> ~/of-the-eval.txt; echo c > "/var/tmp/odd name"; echo d > /tmp/unwatched');
    await agentDoes('rm ~/.config/x/y; ln -s /etc/passwd ~/link');
    expect(told()).toEqual([
      { inside: ['added inside.txt'], elsewhere: ['added /home/agent/.config/x/y not-read', 'modified /home/agent/of-the-eval.txt not-read', 'added /var/tmp/odd%20name not-read'] },
      { inside: [], elsewhere: ['deleted /home/agent/.config/x/y', 'added /home/agent/link'] },
    ]);
  });

  it('cost the working directory nothing when a root is gone', async () => {
    await agentDoes('echo in > inside.txt; rm -rf ~/.config ~/.cache; echo k > ~/kept.txt');
    expect(told()[0]?.inside).toEqual(['added inside.txt']);
    expect(told()[0]?.elsewhere).toContain('added /home/agent/kept.txt not-read');
  });
});
