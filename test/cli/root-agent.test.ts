import { expect, it } from 'vitest';
import { sendEval, shellAgent } from '../support/agents.js';
import { openProject } from '../support/project.js';

it('every Attempt of an agent that is root has the contents of before, though the image was read for the first alone', async () => {
  await using project = await openProject({
    'workspace/a.txt': 'before\n',
    'evals/a.eval.ts': sendEval('', "t.sandbox.fileChanged('a.txt', { before: equals('before\\n'), after: equals('after\\n') });").replace('async test', "workspace: '../workspace', async test"),
    'experiments/x.ts': `import { docker } from 'niceeval/sandbox';\n${shellAgent('echo after > a.txt', "sandbox: docker({ user: 'root' }), attempts: 2,")}`,
  });
  const { exitCode, stdout } = await project.niceeval(['run', '--concurrency', '1']);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
});
