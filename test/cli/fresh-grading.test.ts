import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shellAgent } from '../support/agents.js';
import { leftovers, openProject, type TestProject } from '../support/project.js';

const AGENT = 'echo made > made.txt; mkdir -p bin "odd name"; printf "#!/bin/sh\\necho 3\\n" > bin/run; chmod 755 bin/run; ln -s made.txt link; echo x > "odd name/-file"; rm -f seed/gone.txt; echo bent > /tmp/left; echo "exit 1" > ~/.bashrc; sleep 600 & true';

describe('grading in a fresh sandbox', () => {
  let project: TestProject;
  beforeAll(async () => {
    const evalOf = (body: string): string => `
      import { defineEval } from 'niceeval';
      import { commandSucceeded, equals } from 'niceeval/expect';
      import { docker, shell } from 'niceeval/sandbox';
      export default defineEval({ gradeIn: 'fresh', sandbox: docker().prepare(shell('mkdir -p owned/deep && echo r > owned/deep/of-root.txt && chown -R root owned', { user: 'root' })), async test(t) { ${body} } });`;
    project = await openProject({
      'evals/a.eval.ts': evalOf(`
        await t.sandbox.writeText('seed/gone.txt', 'x');
        await t.sandbox.writeText('seed/kept.txt', 'kept');
        await t.sandbox.runShellOrThrow('echo agent-side > /tmp/mine');
        t.check(await t.sandbox.readText('seed/kept.txt'), equals('kept'));
        await t.send('go');
        t.check((await t.sandbox.runShell('cat made.txt; ./bin/run; readlink link; cat "odd name/-file" seed/kept.txt; stat -c "%U %a" bin/run made.txt')).stdout, equals('made\\n3\\nmade.txt\\nx\\nkeptagent 755\\nagent 644\\n'));
        t.check(await t.sandbox.pathExists('seed/gone.txt'), equals(false));
        t.check((await t.sandbox.runShell('pgrep -c -u agent sleep')).stdout, equals('0\\n'));
        t.check((await t.sandbox.runShell('stat -c %U owned/deep/of-root.txt')).stdout, equals('root\\n'));
        t.check(await t.sandbox.pathExists('/tmp/left'), equals(false));
        t.check(await t.sandbox.pathExists('/tmp/mine'), equals(false));
        t.check((await t.sandbox.runShell('cat ~/.bashrc 2>/dev/null')).stdout.includes('exit 1'), equals(false));
        await t.sandbox.writeText('hidden.test.mjs', 'import test from "node:test"; test("x", () => {});');
        t.check(await t.sandbox.runCommand('node', ['--test', 'hidden.test.mjs']), commandSucceeded());
        t.sandbox.changedPaths(['made.txt', 'bin/run', 'link', 'odd name/-file', 'seed/gone.txt']);`),
      'evals/late-send.eval.ts': evalOf("await t.send('go'); await t.sandbox.pathExists('made.txt'); await t.send('again');"),
      'experiments/x.ts': shellAgent(AGENT),
    });
    await project.niceeval(['run', '--concurrency', '2']);
  });
  afterAll(() => project[Symbol.asyncDispose]());

  it('has the working directory as the agent left it, and nothing else of the agent', async () => {
    expect(await project.attemptFile('attempt.json', 'a.')).toMatchObject({ verdict: 'passed', reasons: [] });
  });

  it('takes no send after it has begun', async () => {
    expect(await project.attemptFile('attempt.json', 'late-send')).toMatchObject({ verdict: 'errored', error: { code: 'grading-begun' } });
  });

  it('leaves nothing behind', async () => {
    expect(await leftovers()).toEqual([]);
  });
});
