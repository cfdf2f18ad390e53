import { describe, expect, it } from 'vitest';
import { sendEval, shellAgent } from '../support/agents.js';
import { leftovers, openProject } from '../support/project.js';

const good = { 'evals/a.eval.ts': sendEval(), 'experiments/x.ts': shellAgent('true') };

describe('what an author must mend', () => {
  it.each([
    ['an eval without test', { ...good, 'evals/a.eval.ts': "import { defineEval } from 'niceeval';\nexport default defineEval({ tags: ['x'] } as never);" }, [],
      'niceeval: evals/a.eval.ts: defineEval: `test` is missing. Give it a function that sends the task and makes claims: `async test(t) { ... }`.\n'],
    ['an experiment without agent', { ...good, 'experiments/x.ts': "import { defineExperiment } from 'niceeval';\nexport default defineExperiment({} as never);" }, [],
      'niceeval: experiments/x.ts: defineExperiment: `agent` is missing. Give it one, for instance `agent: claudeCode()` from "niceeval/adapter".\n'],
    ['a look-alike object', { ...good, 'evals/a.eval.ts': 'export default { test() {} };' }, [],
      'niceeval: evals/a.eval.ts: its default export was not made by defineEval. Write `export default defineEval({ ... })` with defineEval imported from "niceeval".\n'],
    ['an experiment whose agent needs a model, without a key', { ...good, 'experiments/x.ts': "import { defineExperiment } from 'niceeval';\nimport { codex } from 'niceeval/adapter';\nexport default defineExperiment({ agent: codex() });" }, [],
      'niceeval: x: there is no key for the model of "codex". Set OPENAI_API_KEY, or let `gateway` of the experiment say where it comes from, or play a script with `gateway: scripted("./model.json")`.\n'],
    ['a selector that matches nothing', good, ['nope'], 'niceeval: No eval fits "nope". There are: a.\n'],
    ['an experiment that does not exist', good, ['--experiment', 'y'], 'niceeval: No experiment fits "y". There are: x.\n'],
    ['a project without evals', { 'experiments/x.ts': shellAgent('true') }, [],
      'niceeval: No eval was found. An eval is a file evals/<id>.eval.ts with `export default defineEval({ ... })`.\n'],
  ])('ends with 2 and names file, field and remedy for %s', async (_what, files, args, message) => {
    await using project = await openProject(files);
    const { exitCode, stdout, stderr } = await project.niceeval(['run', ...args]);
    expect({ exitCode, stdout, stderr: `${stderr}\n` }).toEqual({ exitCode: 2, stdout: '', stderr: message });
    await expect(project.runFolder()).rejects.toThrow('ENOENT');
    expect(await leftovers()).toEqual([]);
  });

  it('ends with 2 and points at the place of a syntax error', async () => {
    await using project = await openProject({ ...good, 'evals/a.eval.ts': "import { defineEval } from 'niceeval';\nexport default defineEval({ test( { });" });
    const { exitCode, stdout, stderr } = await project.niceeval(['run']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toBe('niceeval: evals/a.eval.ts:2:39: syntax error: Unexpected token, expected "{"');
  });

  it.each([
    [['run', '--nope'], "error: unknown option '--nope'"],
    [['run', '--attempts', 'many'], "error: option '--attempts <n>' argument 'many' is invalid. It must be a whole number of at least 1."],
    [['run', '--sandbox', 'cloud'], "error: option '--sandbox <backend>' argument 'cloud' is invalid. Allowed choices are docker, local."],
    [['dance'], "error: unknown command 'dance'"],
  ])('ends with 2 for the command line %j', async (args, message) => {
    await using project = await openProject(good);
    const { exitCode, stdout, stderr } = await project.niceeval(args);
    expect({ exitCode, stdout, stderr: stderr.split('\n')[0] }).toEqual({ exitCode: 2, stdout: '', stderr: message });
  });

  it('tells with --dry-run what would run, and starts nothing', async () => {
    await using project = await openProject(good);
    const { exitCode, stdout } = await project.niceeval(['run', '--dry-run', '--attempts', '2', '--timeout', '5000']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'a by x #1 (shell, at most 5000 ms)\na by x #2 (shell, at most 5000 ms)' });
    await expect(project.runFolder()).rejects.toThrow('ENOENT');
  });
});
