import { access } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test, vi } from 'vitest';
import type { ChangeWindow } from '../../src/evidence/file-changes.js';
import { brief, changeOf, openAgentWorkspace, textOf, type AgentWorkspace } from '../support/agent-workspace.js';

const GIT = "git config user.email a@b && git config user.name a && git add -A && git commit -qm one";

describe('what the agent changed, case by case', () => {
  let place: AgentWorkspace;
  beforeAll(async () => { place = await openAgentWorkspace(); });
  afterAll(() => place[Symbol.asyncDispose]());
  beforeEach(() => place.evalDoes('chmod -R u+rwX . && find . -mindepth 1 -delete'));

  type Row = readonly [what: string, given: string, script: string, told: readonly string[]];
  test.each<Row>([
    ['an edit, a new and a deleted file, whatever git tracks', `git init -q . && printf 1 > a && printf 1 > c && ${GIT}`, 'printf 2 > a; printf 1 > b; rm c', ['modified a', 'added b', 'deleted c']],
    ['a file that git ignores', "git init -q . && printf '*.log\\n/secret\\n' > .gitignore", 'printf x > a.log; mkdir secret; printf x > secret/k', ['added a.log', 'added secret/k']],
    [
      'folders that are often left out', 'mkdir build dist coverage .cache .yarn x_venv_y && for d in build dist coverage .cache .yarn x_venv_y; do printf 1 > $d/f; done',
      'for d in build dist coverage .cache .yarn x_venv_y; do printf 2 > $d/f; done', ['modified .cache/f', 'modified .yarn/f', 'modified build/f', 'modified coverage/f', 'modified dist/f', 'modified x_venv_y/f'],
    ],
    ['a file called .git that leads nowhere', 'mkdir sub', "printf 'gitdir: /nowhere\\n' > sub/.git; printf x > sub/f", ['added sub/.git', 'added sub/f']],
    ['what is in a folder that is only called .git', 'true', 'mkdir -p a/.git/hooks; printf payload > a/.git/hooks/x', ['added a/.git/hooks/x']],
    ['a submodule, file by file', `mkdir lib && cd lib && git init -q . && printf 1 > f && ${GIT} && cd .. && git init -q . && git -c protocol.file.allow=always submodule add -q ./lib sub 2>/dev/null`, 'printf 2 > sub/f', ['modified sub/f']],
    ['a repository of SHA-256', 'true', 'git init -q --object-format=sha256 . && printf x > f', ['added f']],
    ['names with blanks, arrows and letters beyond ASCII', "printf x > 'my file.txt'", "mv 'my file.txt' 'my  moved -> file.txt'; touch café.txt", ['added caf%C3%A9.txt', 'added my%20%20moved%20->%20file.txt', 'deleted my%20file.txt']],
    ['names that are not UTF-8, one by one', 'true', "printf 1 > $'a\\377'; printf 2 > $'a\\376'", ['added a%FE', 'added a%FF']],
    ['a backslash, a line break, a tab, a leading blank or dash, __proto__', 'true', "touch -- 'a\\b' $'a\\nb' $'a\\tb' ' a' -rf __proto__", ['added %20a', 'added -rf', 'added __proto__', 'added a%09b', 'added a%0Ab', 'added a%5Cb']],
    ['names that differ in case only', 'printf x > readme', 'printf y > README', ['added README']],
    ['a file that became a folder', 'printf x > swap', 'rm swap; mkdir swap; echo 1 > swap/in.txt', ['type-changed swap', 'added swap/in.txt']],
    ['a folder that became a file', 'mkdir swap && printf x > swap/in', 'rm -r swap; printf x > swap', ['type-changed swap', 'deleted swap/in']],
    ['an empty folder, a FIFO and a socket', 'true', "mkdir empty; mkfifo pipe; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'", ['added empty', 'added pipe', 'added sock']],
    ['a folder that went with all that was in it', 'mkdir -p d/e && printf x > d/e/f', 'rm -r d', ['deleted d/e/f']],
    ['a mode of a file or a folder', 'printf x > f && printf x > g && mkdir d && printf x > d/in', 'chmod +x f; chmod 600 g; chmod 700 d', ['mode-changed d', 'mode-changed f', 'mode-changed g']],
    ['a mode besides other bytes', 'printf x > f', 'printf y > f; chmod +x f', ['modified f']],
    ['no change: touched, written again, replaced by a copy', 'printf x > a && printf x > b && printf x > c && ln c d', 'touch a; printf x > b; rm d; cp c d; touch -d 2001-01-01 c', []],
    ['a new name of a file, and an edit of a file of two names', 'printf x > a && ln a b', 'ln a c; printf y > a', ['modified a', 'modified b', 'added c']],
    ['a link: new, to another place, in the place of a file, to nowhere', 'printf x > f && ln -s a l && printf x > s', 'ln -s /etc new; ln -sfn b l; ln -sf f s; ln -s nowhere/at/all dead', ['added dead', 'modified l', 'added new', 'type-changed s']],
    ['line ends', "printf 'a\\nb\\n' > a.txt", "sed -i 's/$/\\r/' a.txt", ['modified a.txt']],
    ['what was undone within the send', 'printf x > a', 'printf y > a; printf x > a; printf z > b; rm b', []],
    ['hidden files and files of whiteouts', 'true', 'printf x > .env; printf x > .wh.x', ['added .env', 'added .wh.x']],
  ])('%s', async (_what, given, script, told) => {
    await place.evalDoes(given);
    expect(brief(await place.agentDoes(script))).toEqual(told);
  });

  test.each([
    ['-diff', '* -diff\\n'], ['working-tree-encoding', '* text working-tree-encoding=UTF-16\\n'], ['ident and text', '* ident text=auto eol=lf\\n'], ['a filter', '* filter=none\\n'],
  ])('attributes of git have no say: %s', async (_what, attributes) => {
    await place.evalDoes("git init -q . && printf 'one\\r\\n' > a");
    const window = await place.agentDoes(`printf '${attributes}' > .gitattributes; printf 'two $Id: x$\\r\\n' > a; printf 'new\\r\\n' > b`);
    expect(brief(window)).toEqual(['added .gitattributes', 'modified a', 'added b']);
    expect(await textOf(place, changeOf(window, 'a'), 'before')).toBe('one\r\n');
    expect(await textOf(place, changeOf(window, 'a'), 'after')).toBe('two $Id: x$\r\n');
    expect(await textOf(place, changeOf(window, 'b'), 'after')).toBe('new\r\n');
  });

  it('shows both modes and types', async () => {
    await place.evalDoes('printf x > f && ln -s a l && printf x > s');
    const window = await place.agentDoes('chmod +x f; ln -sfn b l; ln -sf f s');
    expect(changeOf(window, 'f')).toMatchObject({ before: { mode: 0o644, sizeBytes: 1 }, after: { mode: 0o755, sizeBytes: 1 } });
    expect(changeOf(window, 'l')).toMatchObject({ before: { kind: 'symlink', linkTarget: 'a' }, after: { kind: 'symlink', linkTarget: 'b' } });
    expect(changeOf(window, 's')).toMatchObject({ before: { kind: 'file' }, after: { kind: 'symlink', linkTarget: 'f' } });
  });

  it('tells a file that is closed to everybody, with its hash', async () => {
    const window = await place.agentDoes('printf secret > f && chmod 000 f');
    expect(changeOf(window, 'f')?.after).toMatchObject({ mode: 0, sizeBytes: 6, binary: false, sha256: '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b' });
  });

  it('tells bytes that are no text as binary, with size and hash, and never decodes them', async () => {
    await place.evalDoes("printf 'a\\377' > latin");
    const window = await place.agentDoes("head -c 8192 /dev/urandom > logo.png; printf 'a\\376' > latin; (yes | head -c 20000; printf '\\0') > late-nul");
    expect(window.changes.map(({ path, after }) => [path, after?.binary, after?.sizeBytes])).toEqual([['late-nul', true, 20_001], ['latin', true, 2], ['logo.png', true, 8192]]);
    expect(changeOf(window, 'latin')?.before?.sha256).not.toBe(changeOf(window, 'latin')?.after?.sha256);
    const patch = await place.ledger.finish();
    expect(patch?.text).toContain('GIT binary patch');
    expect(patch?.text).not.toContain('\uFFFD');
  });

  it('pairs a rename, and keeps the deletion and the addition', async () => {
    await place.evalDoes("seq 50 > old && seq 60 > older && printf '' > empty");
    const window = await place.agentDoes("mv old new; mv older newer; echo more >> newer; mv empty blank");
    expect(brief(window)).toEqual(['added blank', 'deleted empty', 'added new', 'added newer', 'deleted old', 'deleted older']);
    expect(window.renames).toMatchObject([{ from: 'old', to: 'new', similarity: 1 }, { from: 'older', to: 'newer' }]);
  });

  it('has two windows for there and back, and nothing net', async () => {
    await place.evalDoes('printf A > ab');
    const windows = [await place.agentDoes('printf B > ab'), await place.agentDoes('printf A > ab')];
    expect(windows.map(brief)).toEqual([['modified ab'], ['modified ab']]);
    const changes = place.ledger.changes();
    expect(changes.state === 'available' && changes.net.filter(({ path }) => path === 'ab')).toEqual([]);
  });

  it('summarises dependencies, tells sources and reads a large file as a hash', async () => {
    await place.evalDoes('printf 1 > main.js');
    const window = await place.agentDoes('mkdir -p __pycache__ node_modules/p && printf x > __pycache__/x.pyc && (cd node_modules/p && seq 40000 | xargs touch) && truncate -s 600M core && printf 2 > main.js');
    expect(brief(window)).toEqual(['added __pycache__/x.pyc', 'added core', 'modified main.js']);
    expect(window.summaries).toMatchObject([{ path: 'node_modules', reason: 'dependencies', added: 40_001, deleted: 0 }]);
    expect(changeOf(window, 'core')?.after).toMatchObject({ sizeBytes: 600 * 1024 * 1024, binary: true, contentGap: 'too-large' });
  });

  it('reads files with holes, and has no hash of one that is larger than the limit', async () => {
    const window = await place.agentDoes('truncate -s 5M hole; printf x >> hole; truncate -s 900G endless');
    expect(changeOf(window, 'hole')?.after).toMatchObject({ sizeBytes: 5 * 1024 * 1024 + 1, sha256: (await place.sandbox.runShell('sha256sum hole | cut -c1-64')).stdout.trim() });
    expect(changeOf(window, 'endless')?.after).toMatchObject({ sizeBytes: 900 * 1024 ** 3, contentGap: 'not-read' });
  });

  it('keeps hash and size of 300 MB of random bytes and of a long text', async () => {
    const window = await place.agentDoes('head -c 300000000 /dev/urandom > random; yes text | head -c 2000000 > long.txt');
    const { stdout } = await place.sandbox.runShell('sha256sum long.txt random | cut -c1-64');
    expect(window.changes.map(({ path, after }) => [path, after?.sizeBytes, after?.sha256, after?.binary])).toEqual([
      ['long.txt', 2_000_000, stdout.split('\n')[0], false], ['random', 300_000_000, stdout.split('\n')[1], true],
    ]);
  });

  it('holds what was changed before the time of a send was up, and ends what goes on', async () => {
    const window = await place.agentDoes('printf 1 > f; (setsid sh -c "while :; do sleep 1; done" >/dev/null 2>&1 &)', { flags: ['timed-out'] });
    expect([brief(window), window.flags]).toEqual([['added f'], ['timed-out', 'late-writer']]);
    expect(await place.sandbox.agentProcesses()).toEqual([]);
  });

  it('tells what the agent\'s repository holds without changing it or running what it configures', async () => {
    await place.evalDoes(`git init -q . && printf 1 > a && ${GIT} && git config core.fsmonitor 'touch /tmp/PWNED; false' && printf '#!/bin/sh\\ntouch /tmp/PWNED\\n' > .git/hooks/post-index-change && chmod +x .git/hooks/post-index-change`);
    const sum = async (): Promise<string> => (await place.sandbox.runShell('sha256sum .git/index .git/config')).stdout;
    const before = await sum();
    for (const [name, value] of Object.entries({ EDITOR: 'vim', PAGER: 'less', GIT_ASKPASS: 'x' })) vi.stubEnv(name, value);
    const window: ChangeWindow = await place.agentDoes('printf 2 > a');
    vi.unstubAllEnvs();
    expect(brief(window)).toEqual(['modified a']);
    expect(await sum()).toBe(before);
    expect(await place.sandbox.pathExists('/tmp/PWNED')).toBe(false);
    await expect(access('/tmp/PWNED')).rejects.toThrow('ENOENT');
  });
});

describe('an agent that is root', () => {
  let place: AgentWorkspace;
  beforeAll(async () => { place = await openAgentWorkspace({ user: 'root', workdir: '/root/work' }); });
  afterAll(() => place[Symbol.asyncDispose]());

  it('cannot hide changes: tools of the image and its own repository have no say', async () => {
    await place.evalDoes("git init -q . && printf 1 > a && printf 1 > gone && git add -A && git -c user.email=a@b -c user.name=a commit -qm one");
    const window = await place.agentDoes("printf 2 > a; rm gone; git -c user.email=a@b -c user.name=a commit -qam two; printf '#!/bin/sh\\nexit 0\\n' > /tmp/find; chmod +x /tmp/find; cp /tmp/find /usr/bin/find; cp /tmp/find /bin/tar; rm -f /usr/bin/git; rm -rf .git/logs");
    expect(brief(window)).toEqual(['modified a', 'deleted gone']);
    expect(window.flags).toEqual(['refs-moved']);
  });
});
