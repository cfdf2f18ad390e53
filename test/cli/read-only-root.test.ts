import { expect, it } from 'vitest';
import { sendEval, shellAgent } from '../support/agents.js';
import { openProject } from '../support/project.js';

it('an Attempt with a root that cannot be written knows what the agent changed, each time anew', async () => {
  await using project = await openProject({
    'evals/a.eval.ts': sendEval("await t.sandbox.writeText('seed.txt', 'by the eval');", "t.check(turn.message, includes('refused')); t.sandbox.changedPaths(['agent.txt']);"),
    'experiments/x.ts': `import { docker } from 'niceeval/sandbox';\n${shellAgent('echo mine > agent.txt; touch /usr/x || echo refused', 'sandbox: docker({ readOnlyRoot: true }), attempts: 2,')}`,
  });
  const { exitCode, stdout } = await project.niceeval(['run', '--concurrency', '1']);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
});
