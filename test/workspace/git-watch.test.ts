import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import type { ChangeWindow } from '../../src/evidence/file-changes.js';
import type { GitFact } from '../../src/evidence/git-facts.js';
import { openLocalWorkspace, type LocalWorkspace } from '../support/local-workspace.js';

const REPOSITORY = 'git init -q -b main . && printf 1 > a && git add a && git commit -qm one';

const idOf = async (place: LocalWorkspace, name: string): Promise<string> => (await execa('git', ['rev-parse', name], { cwd: place.root })).stdout;
const only = (window: ChangeWindow): GitFact => {
  expect(window.git).toMatchObject({ leftOut: 0 });
  expect(window.git?.repositories).toHaveLength(1);
  return window.git?.repositories[0] as GitFact;
};

describe.each([['made by the eval', false], ['of the image', true]])('a repository %s', (_what, inImage) => {
  const open = async (script = REPOSITORY): Promise<LocalWorkspace> => {
    const place = await openLocalWorkspace(inImage ? { image: script } : {});
    if (!inImage) await place.evalDoes(script);
    return place;
  };

  test('costs no read where its HEAD and refs were not touched', async () => {
    await using place = await open();
    const window = await place.agentDoes('git status >/dev/null');
    expect([window.git, window.flags, place.started]).toEqual([undefined, [], ['/usr/bin/find']]);
  });

  test('is told with HEAD, the ref and the new commits when the agent commits', async () => {
    await using place = await open();
    const old = await idOf(place, 'HEAD');
    const window = await place.agentDoes('printf 2 > a && git commit -qam two && git commit -qm three --allow-empty');
    const [two, three] = [await idOf(place, 'HEAD~1'), await idOf(place, 'HEAD')];
    expect(only(window)).toEqual({
      path: '',
      before: { form: 'repository', head: { ref: 'refs/heads/main', id: old } },
      after: { form: 'repository', head: { ref: 'refs/heads/main', id: three } },
      refs: [{ name: 'refs/heads/main', before: old, after: three }],
      commits: [three, two],
      refsLeftOut: 0,
    });
    expect(window.flags).toEqual(['refs-moved']);
  });

  test('is told when only its history was changed: a reset, a switch, a tag', async () => {
    await using place = await open(`${REPOSITORY} && git commit -qm two --allow-empty`);
    const [one, two] = [await idOf(place, 'HEAD~1'), await idOf(place, 'HEAD')];
    const reset = await place.agentDoes('git reset -q --soft HEAD~1');
    expect([reset.changes, reset.flags]).toEqual([[], ['refs-moved']]);
    expect(only(reset)).toMatchObject({ refs: [{ name: 'refs/heads/main', before: two, after: one }], commits: [] });
    const switched = await place.agentDoes('git switch -q -c side');
    expect(switched.flags).toEqual(['refs-moved']);
    expect(only(switched)).toMatchObject({ before: { head: { ref: 'refs/heads/main' } }, after: { head: { ref: 'refs/heads/side', id: one } }, refs: [{ name: 'refs/heads/side', after: one }] });
    const detached = await place.agentDoes('git checkout -q --detach');
    expect(only(detached)).toMatchObject({ after: { head: { id: one } }, refs: [] });
    const deleted = await place.agentDoes('git branch -D -q side; git tag v1');
    expect(only(deleted).refs).toEqual([{ name: 'refs/heads/side', before: one }, { name: 'refs/tags/v1', after: one }]);
  });

  test('is not changed by packing', async () => {
    await using place = await open();
    const packed = await place.agentDoes('git pack-refs --all && git gc -q');
    expect([packed.git, packed.flags]).toEqual([undefined, []]);
    const moved = await place.agentDoes('git commit -qm two --allow-empty');
    expect(moved.flags).toEqual(['refs-moved']);
    expect(only(moved).commits).toHaveLength(1);
  });

  test('is removed', async () => {
    await using place = await open();
    const window = await place.agentDoes('rm -rf .git');
    expect(only(window)).toMatchObject({ path: '', before: { form: 'repository' }, after: { form: 'none' }, refs: [] });
    expect(window.flags).toEqual(['repo-removed']);
  });

  test('is replaced', async () => {
    await using place = await open();
    const window = await place.agentDoes('rm -rf .git && git init -q -b main . && git add a && git commit -qm other && git commit -qm more --allow-empty');
    expect(window.flags).toEqual(['repo-replaced', 'refs-moved']);
    expect(only(window).commits).toHaveLength(2);
  });

  test('is not called replaced where a commit of before is still behind a ref', async () => {
    await using place = await open(`${REPOSITORY} && git commit -qm two --allow-empty`);
    const window = await place.agentDoes('git reset -q --hard HEAD~1 && git commit -qm other --allow-empty && git reflog expire --expire=now --all && git prune --expire=now');
    expect(window.flags).toEqual(['refs-moved']);
  });

  test('is not called replaced where its commits were packed, since nobody can tell', async () => {
    await using place = await open(`${REPOSITORY} && git gc -q`);
    const window = await place.agentDoes('rm -rf .git && git init -q -b main . && git add a && git commit -qm other');
    expect(window.flags).toEqual(['refs-moved']);
  });
});

describe('a repository below the working directory', () => {
  test.each([
    ['without commits', 'git init -q -b main nest && printf x > nest/f', { ref: 'refs/heads/main' }],
    ['with commits', 'mkdir nest && cd nest && git init -q -b main . && printf x > f && git add f && git commit -qm one', { ref: 'refs/heads/main', id: expect.stringMatching(/^[0-9a-f]{40}$/) as string }],
  ])('is told when it came, %s', async (_what, script, head) => {
    await using place = await openLocalWorkspace();
    const window = await place.agentDoes(script);
    expect(window.changes.map((change) => change.path)).toEqual(['nest/f']);
    expect(only(window)).toMatchObject({ path: 'nest', before: { form: 'none' }, after: { form: 'repository', head } });
    expect(window.flags).toEqual(['nested-repo']);
    expect((await place.agentDoes('printf y > nest/f')).flags).toEqual([]);
    expect((await place.agentDoes('rm -rf nest/.git')).flags).toEqual(['nested-repo', 'repo-removed']);
  });

  test('is told when a gitfile leads to it, as in a worktree, and not when a gitfile leads nowhere', async () => {
    await using place = await openLocalWorkspace();
    await place.evalDoes(REPOSITORY);
    const worktree = await place.agentDoes('git worktree add -q tree -b side');
    expect(worktree.flags).toEqual(['refs-moved', 'nested-repo']);
    expect(worktree.git?.repositories[1]).toMatchObject({ path: 'tree', after: { form: 'gitfile', target: `${place.root}/.git/worktrees/tree` } });
    const bogus = await place.agentDoes("mkdir b && printf 'gitdir: /nowhere at all\\n' > b/.git && printf x > b/f");
    expect(bogus.changes.map((change) => change.path)).toEqual(['b/.git', 'b/f']);
    expect(only(bogus).after).toEqual({ form: 'gitfile', target: '/nowhere%20at%20all' });
    expect(bogus.flags).toEqual([]);
    expect((await place.agentDoes('mkdir c && printf payload > c/.git')).git).toBeUndefined();
  });
});

describe('what an agent can do to mislead', () => {
  test('names of refs are escaped like paths', async () => {
    await using place = await openLocalWorkspace();
    await place.evalDoes(REPOSITORY);
    const id = await idOf(place, 'HEAD');
    const window = await place.agentDoes(`printf '${id}\\n' > $'.git/refs/heads/\\033[31mred' && printf '${id} refs/heads/\\377"x\\n' > .git/packed-refs`);
    expect(only(window).refs.map((move) => move.name)).toEqual(['refs/heads/%1B[31mred', 'refs/heads/%FF%22x']);
  });

  test('links and pipes in the place of HEAD, refs and .git are not followed', async () => {
    await using place = await openLocalWorkspace();
    await place.evalDoes(`${REPOSITORY} && git clone -q . other`);
    const refs = await place.agentDoes('rm .git/refs/heads/main && ln -s /etc/passwd .git/refs/heads/main && mkfifo .git/refs/heads/pipe && head -c 2000000 /dev/zero > .git/refs/heads/huge');
    expect(only(refs).refs.map(({ name, after }) => [name, after])).toEqual([['refs/heads/main', '?']]);
    expect(only(refs).refsLeftOut).toBe(1);
    const others = await place.agentDoes('rm .git/refs/heads/main && mv .git/refs/heads/pipe .git/refs/heads/tube && mkfifo .git/refs/heads/pipe');
    expect(only(others).refs).toEqual([]);
    const linked = await place.agentDoes('mv .git /tmp/gone.$$ && rm -rf /tmp/gone.$$ && ln -s other/.git .git');
    expect(only(linked)).toMatchObject({ path: '', after: { form: 'link', target: 'other/.git' } });
    expect(linked.flags).toEqual([]);
  });

  test('an object that is not what its name says gives no commits', async () => {
    await using place = await openLocalWorkspace();
    await place.evalDoes(REPOSITORY);
    const window = await place.agentDoes('git commit -qm two --allow-empty && id=$(git rev-parse HEAD) && f=.git/objects/${id:0:2}/${id:2} && chmod u+w $f && cp .git/objects/$(git rev-parse HEAD~1 | sed "s|^..|&/|") $f');
    expect(window.flags).toEqual(['refs-moved']);
    expect(only(window).commits).toEqual([]);
  });

  test('many refs and repositories are counted beyond a limit', async () => {
    await using place = await openLocalWorkspace();
    await place.evalDoes(REPOSITORY);
    const id = await idOf(place, 'HEAD');
    const window = await place.agentDoes(`for i in $(seq 1200); do printf '${id}\\n' > .git/refs/heads/b$i; done; for i in $(seq 40); do mkdir -p n$i/.git/objects && printf 'ref: refs/heads/x\\n' > n$i/.git/HEAD; done`);
    expect(window.git?.leftOut).toBe(9);
    expect(window.git?.repositories[0]).toMatchObject({ path: '', refsLeftOut: 201, refs: [] });
  });
});
