import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { brief, openAgentWorkspace, type AgentWorkspace } from '../support/agent-workspace.js';

const WHO = 'git config user.email a@b && git config user.name a';
const REPOSITORY = `git init -q -b main . && ${WHO} && printf 1 > a && git add a && git commit -qm one`;

describe.each([['the image\'s own user', undefined], ['root', 'root']])('what the agent did to git repositories, as %s', (_who, user) => {
  let place: AgentWorkspace;
  beforeAll(async () => { place = await openAgentWorkspace(user === undefined ? {} : { user, workdir: '/root/work' }); });
  afterAll(() => place[Symbol.asyncDispose]());
  beforeEach(() => place.evalDoes('find . -mindepth 1 -delete'));

  it('has the commit of the agent beside its files', async () => {
    await place.evalDoes(REPOSITORY);
    const window = await place.agentDoes('printf 2 > a && git commit -qam two');
    const [two, one] = (await place.sandbox.runShell('git rev-parse HEAD HEAD~1')).stdout.trim().split('\n');
    expect([brief(window), window.flags]).toEqual([['modified a'], ['refs-moved']]);
    expect(window.git).toEqual({
      leftOut: 0,
      repositories: [{
        path: '',
        before: { form: 'repository', head: { ref: 'refs/heads/main', id: one } },
        after: { form: 'repository', head: { ref: 'refs/heads/main', id: two } },
        refs: [{ name: 'refs/heads/main', before: one, after: two }],
        commits: [two],
        refsLeftOut: 0,
      }],
    });
  });

  it.each<readonly [string, string, readonly string[], readonly string[]]>([
    ['a reset of history alone', 'git reset -q --soft HEAD~1', [], ['refs-moved']],
    ['a new branch', 'git switch -q -c side', [], ['refs-moved']],
    ['packing, which moves nothing', 'git gc -q', [], []],
    ['a removed repository', 'rm -rf .git', [], ['repo-removed']],
    ['another history', `rm -rf .git && ${REPOSITORY.replace('-qm one', '-qm other')}`, [], ['repo-replaced', 'refs-moved']],
    ['a repository with commits below', `mkdir n && cd n && ${REPOSITORY}`, ['added n/a'], ['nested-repo']],
    ['a repository without commits below', 'mkdir nest && cd nest && git init -q && echo hi > f', ['added nest/f'], ['nested-repo']],
    ['a clone below', 'git clone -q . copy', ['added copy/a'], ['nested-repo']],
  ])('%s', async (_what, script, told, flags) => {
    await place.evalDoes(`${REPOSITORY} && git commit -qm two --allow-empty`);
    const window = await place.agentDoes(script);
    expect([brief(window), window.flags]).toEqual([told, flags]);
    expect(window.git === undefined).toBe(flags.length === 0);
  });
});

describe('a container that ended in a send', () => {
  it('has the facts of git all the same', async () => {
    await using place = await openAgentWorkspace();
    await place.evalDoes(REPOSITORY);
    await place.ledger.openWindow('c');
    await place.sandbox.runShellOrThrow('git commit -qm two --allow-empty');
    await execa('docker', ['kill', place.sandbox.id]);
    await place.ledger.closeWindow('turn1');
    const changes = place.ledger.changes();
    const [window] = changes.state === 'available' ? changes.windows : [];
    expect([window?.changes, window?.flags]).toEqual([[], ['sandbox-gone', 'refs-moved']]);
    expect(window?.git?.repositories[0]?.commits).toHaveLength(1);
  });
});
