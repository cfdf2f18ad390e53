import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChangeWindow, WorkspaceChanges } from '../../src/evidence/file-changes.js';
import type { OwnedSandbox } from '../../src/sandbox/sandbox.js';
import { docker } from '../../src/sandbox/docker/spec.js';
import { createContentStore } from '../../src/workspace/content-store.js';
import { WorkspaceLedger, type ImageStates } from '../../src/workspace/ledger.js';
import { openTestSandbox, type TestSandbox } from '../support/sandboxes.js';

const available = (changes: WorkspaceChanges): WorkspaceChanges & { state: 'available' } => {
  if (changes.state !== 'available') throw new Error(changes.reason);
  return changes;
};
const brief = (window: ChangeWindow | undefined): string[] => (window?.changes ?? []).map((change) => `${change.status} ${change.path}`);

describe('what the agent changed', () => {
  let shared: TestSandbox;
  let sandbox: OwnedSandbox;
  let ledger: WorkspaceLedger;
  let folder: string;
  const states: ImageStates = new Map();
  beforeAll(async () => { shared = await openTestSandbox(); });
  afterAll(() => shared[Symbol.asyncDispose]());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'niceeval-changes-'));
    sandbox = await shared.provider.openSandbox(docker(), { image: shared.image, network: { kind: 'none' }, attemptId: 'changes', lifetimeMs: 600_000 });
    ledger = await WorkspaceLedger.anchor(sandbox, { store: createContentStore(folder), imageId: shared.image.id, states });
  });
  afterEach(async () => {
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Something that the eval does. */
  const evalDoes = async (script: string): Promise<void> => {
    ledger.touched();
    await sandbox.runShellOrThrow(script);
  };
  /** One send in which the agent does something. */
  const agentDoes = async (script: string): Promise<ChangeWindow> => {
    await ledger.openWindow();
    await sandbox.runShell(script);
    await ledger.closeWindow(`turn${available(ledger.changes()).windows.length + 1}`);
    return available(ledger.changes()).windows.at(-1) as ChangeWindow;
  };

  it('is told by kind: added, modified, deleted, mode, type, link, binary', async () => {
    await evalDoes("mkdir d && printf 'one\\n' > keep && printf 'old\\n' > edit && printf x > gone && printf x > exec && printf x > swap && ln -s edit link && printf x > d/in");
    const window = await agentDoes("printf 'new\\n' > add; printf 'new\\n' > edit; rm gone; chmod +x exec; rm swap; mkdir swap; printf y > swap/in; ln -sfn keep link; printf 'a\\000b' > bin; mkdir empty; mkfifo pipe");
    expect(brief(window)).toEqual([
      'added add', 'added bin', 'modified edit', 'added empty', 'mode-changed exec', 'deleted gone', 'modified link', 'added pipe', 'type-changed swap', 'added swap/in',
    ]);
    const of = (path: string) => window.changes.find((change) => change.path === path);
    expect(of('edit')).toMatchObject({ before: { sizeBytes: 4, mode: 0o644, binary: false }, after: { sizeBytes: 4 } });
    expect(of('exec')).toMatchObject({ before: { mode: 0o644 }, after: { mode: 0o755 } });
    expect(of('link')).toMatchObject({ before: { kind: 'symlink', linkTarget: 'edit' }, after: { kind: 'symlink', linkTarget: 'keep' } });
    expect(of('swap')).toMatchObject({ before: { kind: 'file' }, after: { kind: 'directory' } });
    expect(of('bin')).toMatchObject({ after: { binary: true, sizeBytes: 3 } });
    expect(of('pipe')).toMatchObject({ after: { kind: 'fifo' } });
    expect(Buffer.from(await ledger.content(of('edit')?.before?.sha256 ?? '') ?? []).toString()).toBe('old\n');
    expect(Buffer.from(await ledger.content(of('edit')?.after?.sha256 ?? '') ?? []).toString()).toBe('new\n');
  });

  it('does not hold what is only touched, written again or undone', async () => {
    await evalDoes('printf same > a; printf back > b; printf c > c');
    const window = await agentDoes('touch a; printf back > b2; cat b2 > b; rm b2; printf x > c; printf c > c; touch -d 2001-01-01 .');
    expect(window.changes).toEqual([]);
  });

  it('is never what the eval wrote before, between or after the sends', async () => {
    await evalDoes('printf 1 > fixture');
    await agentDoes('printf a > mine');
    await evalDoes('printf 2 > fixture; printf h > hidden.test');
    const second = await agentDoes('printf b > mine');
    await evalDoes('printf 3 > fixture; rm -f mine; mkdir coverage; printf x > coverage/report');
    expect(brief(second)).toEqual(['modified mine']);
    expect(available(ledger.changes()).net).toMatchObject([{ path: 'mine', status: 'added' }]);
  });

  it('is marked as mixed where the eval changed a file of the agent in between', async () => {
    await agentDoes('printf a > shared');
    await evalDoes('printf eval > shared');
    await agentDoes('printf b > shared');
    expect(available(ledger.changes()).net).toEqual([{ path: 'shared', mixed: true }]);
  });

  it('holds names of any bytes, one to one', async () => {
    const window = await agentDoes("touch -- '-dash' 'a b' $'new\\nline' 'per%20cent' 'quo\"te' 'back\\slash' $'\\377raw' 'café' '__proto__'");
    expect(brief(window)).toEqual([
      'added %FFraw', 'added -dash', 'added __proto__', 'added a%20b', 'added back%5Cslash', 'added caf%C3%A9', 'added new%0Aline', 'added per%2520cent', 'added quo%22te',
    ]);
  });

  it('does not depend on git: ignore files, attributes, nested repositories and a removed .git have no say', async () => {
    await evalDoes("git init -q . && git config user.email a@b && git config user.name a && printf 'dist\\n*.log\\n' > .gitignore && printf '* -diff\\n' > .gitattributes && printf x > tracked && git add -A && git commit -qm one");
    const first = await agentDoes('mkdir dist && printf x > dist/out && printf x > a.log && mkdir nested && cd nested && git init -q . && printf x > file');
    expect(brief(first)).toEqual(['added a.log', 'added dist/out', 'added nested/file']);
    const second = await agentDoes("printf y > tracked && git -c user.email=a@b -c user.name=a commit -qam two && mkdir -p fake/.git && printf payload > fake/.git/secret");
    expect(brief(second)).toEqual(['added fake/.git/secret', 'modified tracked']);
    expect(second.summaries.map((summary) => [summary.path, summary.reason])).toContainEqual(['.git', 'git-internals']);
  });

  it('counts installed dependencies instead of listing them', async () => {
    const window = await agentDoes('mkdir -p node_modules/x && printf 12345 > node_modules/x/index.js && printf {} > node_modules/x/package.json && printf 1 > main.js');
    expect(brief(window)).toEqual(['added main.js']);
    expect(window.summaries).toEqual([{ path: 'node_modules', reason: 'dependencies', added: 3, modified: 0, deleted: 0, sizeBytes: 7 }]);
  });

  it('sees files that the agent closed to everybody', async () => {
    const window = await agentDoes('mkdir shut && printf secret > shut/f && chmod 000 shut/f shut');
    expect(brief(window)).toEqual(['added shut/f']);
    expect(window.changes[0]?.after).toMatchObject({ mode: 0, sizeBytes: 6, binary: false });
  });

  it('keeps the size and hash of a file that is too large to keep', async () => {
    const window = await agentDoes('head -c 3000000 /dev/zero > big; yes text | head -c 3000000 > long.txt');
    expect(window.changes.map((change) => [change.path, change.after?.sizeBytes, change.after?.binary, change.after?.contentGap])).toEqual([
      ['big', 3_000_000, true, 'too-large'], ['long.txt', 3_000_000, false, 'too-large'],
    ]);
    const { stdout } = await sandbox.runShell('sha256sum big long.txt | cut -c1-64');
    expect(window.changes.map((change) => change.after?.sha256)).toEqual(stdout.trim().split('\n'));
  });

  it('holds what a process wrote after the send, in its window and with a flag, and ends that process', async () => {
    const window = await agentDoes('(setsid sh -c "sleep 1; printf late > late; sleep 600" >/dev/null 2>&1 &)');
    expect(brief(window)).toEqual(['added late']);
    expect(window.flags).toEqual(['late-writer']);
    expect(await sandbox.agentProcesses()).toEqual([]);
  });

  it('leaves a server of the eval alone, and still ends what the agent left', async () => {
    await evalDoes('(setsid sleep 700 >/dev/null 2>&1 &)');
    const window = await agentDoes('(setsid sleep 800 >/dev/null 2>&1 &)');
    expect(window.flags).toEqual(['late-writer']);
    expect((await sandbox.agentProcesses()).map((found) => found.command)).toEqual(['sleep 700']);
    expect((await agentDoes('true')).flags).toEqual([]);
  });

  it('is read from the stopped container when the container ended in a send', async () => {
    await evalDoes('printf 1 > a; printf 1 > b');
    await ledger.openWindow();
    await sandbox.runShellOrThrow('printf 2 > a; rm b; printf n > n');
    await execa('docker', ['kill', sandbox.id]);
    await ledger.closeWindow('turn1');
    const [window] = available(ledger.changes()).windows;
    expect(brief(window)).toEqual(['modified a', 'deleted b', 'added n']);
    expect(window?.flags).toEqual(['sandbox-gone']);
  });
});
