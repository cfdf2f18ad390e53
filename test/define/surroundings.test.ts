import { describe, expect, test } from 'vitest';
import { defineSandboxAgent } from '../../src/agents/define-agent.js';
import { defineEval, type EvalInput } from '../../src/define/eval.js';
import { defineExperiment, type ExperimentInput } from '../../src/define/experiment.js';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import { evalFile, experimentFile, writeProject } from '../plan/project.js';
import { discoverProject } from '../../src/plan/discover.js';
import { planRun } from '../../src/plan/plan.js';

const body = (): void => undefined;
const agent = defineSandboxAgent({ name: 'a', evidenceCoverage: completeEvidenceCoverage, send: () => Promise.resolve({ events: [], status: 'completed' }) });

describe('network, integrity and gradeIn of a definition', () => {
  test('are kept as they are', () => {
    const network = { agent: { allow: ['*.npmjs.org'] }, grade: 'open' } as const;
    const integrity = { protect: ['tests/**'], toolchain: ['/usr/bin/node'], hidden: ['../hidden.mjs'], allow: ['conftest.py'] };
    expect(defineEval({ network, integrity, gradeIn: 'fresh', test: body })).toMatchObject({ network, integrity, gradeIn: 'fresh' });
    expect(defineEval({ integrity: true, test: body })).toMatchObject({ integrity: true });
    expect(defineExperiment({ agent, network })).toMatchObject({ network });
  });

  test.each<[string, unknown, string]>([
    ['a network that is a word', { network: 'open' }, '`network` must be an object with some of prepare, agent, grade.'],
    ['a phase that does not exist', { network: { test: 'open' } }, '`network` does not know the phase "test". It knows prepare, agent, grade.'],
    ['an access that does not exist', { network: { agent: 'closed' } }, '`network.agent`: it must be "open", "model-only", "none" or { allow: [hosts] }.'],
  ])('%s is refused, of an eval and of an experiment', (_what, fields, message) => {
    expect(() => defineEval({ ...(fields as EvalInput), test: body })).toThrow(`defineEval: ${message}`);
    expect(() => defineExperiment({ ...(fields as ExperimentInput), agent })).toThrow(`defineExperiment: ${message}`);
  });

  test.each<[string, unknown, string]>([
    ['integrity that is false', { integrity: false }, '`integrity` must be true or an object with some of protect, toolchain, hidden, allow.'],
    ['a list that does not exist', { integrity: { tests: [] } }, '`integrity` does not know "tests". It knows protect, toolchain, hidden, allow.'],
    ['a path that is none', { integrity: { hidden: [7] } }, '`integrity.hidden` must be a list of paths.'],
    ['a protected path outside', { integrity: { protect: ['../x'] } }, '`integrity.protect`: "../x" is not a path inside the working directory.'],
    ['a relative toolchain', { integrity: { toolchain: ['bin/node'] } }, '`integrity.toolchain` needs absolute paths, not "bin/node".'],
    ['a toolchain that climbs', { integrity: { toolchain: ['/usr/../bin'] } }, '`integrity.toolchain` needs absolute paths, not "/usr/../bin".'],
    ['another place to grade', { gradeIn: 'new' }, '`gradeIn` must be "same" or "fresh".'],
  ])('%s is refused', (_what, fields, message) => {
    expect(() => defineEval({ ...(fields as EvalInput), test: body })).toThrow(`defineEval: ${message}`);
  });

  test('need an agent with a sandbox, which its model can reach', async () => {
    await using project = await writeProject({ 'evals/a.eval.ts': evalFile("integrity: true, gradeIn: 'fresh', network: { grade: 'open' },"), 'experiments/x.ts': experimentFile() });
    await expect(planRun(await discoverProject(project.root), { selectors: [], experiments: [], tags: [] })).rejects.toMatchObject({
      problems: [
        'evals/a.eval.ts: `integrity` needs a sandbox, and the agent "silent" of experiments/x.ts has none.',
        'evals/a.eval.ts: `gradeIn` needs a sandbox, and the agent "silent" of experiments/x.ts has none.',
        'evals/a.eval.ts: `network` cannot be kept: the agent "silent" has no sandbox.',
      ],
    });
    await using closed = await writeProject({
      'evals/a.eval.ts': evalFile("network: { agent: 'none' },"),
      'experiments/x.ts': "import { defineExperiment, scripted } from 'niceeval';\nimport { codex } from 'niceeval/adapter';\nexport default defineExperiment({ agent: codex(), gateway: scripted('./m.json') });",
      'experiments/m.json': '{"format":"niceeval.script/v1","turns":[{"text":"x"}]}',
    });
    await expect(planRun(await discoverProject(closed.root), { selectors: [], experiments: [], tags: [] })).rejects.toMatchObject({
      problems: ['evals/a.eval.ts: `network.agent` is "none", but the agent "codex" needs its model. Say "model-only".'],
    });
  });
});
