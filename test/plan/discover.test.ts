import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { discoverProject, type Project } from '../../src/plan/discover.js';
import { AuthoringError } from '../../src/plan/errors.js';
import { evalFile, experimentFile, writeProject } from './project.js';

/** The problems of a project, or none. */
async function problemsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await using project = await writeProject(files);
  try {
    await discoverProject(project.root);
    return [];
  } catch (error) {
    if (error instanceof AuthoringError) return error.problems;
    throw error;
  }
}

const idsOf = (project: Project): object => ({ evals: project.evals.map(({ id }) => id), experiments: project.experiments.map(({ id }) => id) });

describe('discoverProject', () => {
  test('gives ids from paths, sorted', async () => {
    await using project = await writeProject({
      'evals/sum.eval.ts': evalFile(),
      'evals/web/forms/login.eval.tsx': evalFile(),
      'evals/web/a b.eval.mjs': evalFile(),
      'evals/dotted.name.eval.ts': evalFile(),
      'experiments/codex.ts': experimentFile(),
      'experiments/models/gpt-4.1.ts': experimentFile(),
    });
    expect(idsOf(await discoverProject(project.root))).toEqual({
      evals: ['dotted.name', 'sum', 'web/a b', 'web/forms/login'], experiments: ['codex', 'models/gpt-4.1'],
    });
  });

  test('takes only what is called like an eval or lies among the experiments', async () => {
    await using project = await writeProject({
      'evals/sum.eval.ts': evalFile(),
      'evals/shared.ts': 'export const shared = 1;',
      'evals/node_modules/x/y.eval.ts': 'throw new Error("never loaded")',
      'evals/types.eval.d.ts': 'export declare const x: number;',
      'experiments/a.ts': experimentFile(),
      'experiments/types.d.ts': 'export declare const x: number;',
      'other/z.eval.ts': 'throw new Error("never loaded")',
    });
    expect(idsOf(await discoverProject(project.root))).toEqual({ evals: ['sum'], experiments: ['a'] });
  });

  test('loads TypeScript, its own modules and the doors of the package without a build', async () => {
    await using project = await writeProject({
      'evals/tags.ts': "export const tags: readonly string[] = ['smoke'];\n",
      'evals/sum.eval.ts': [
        "import { defineEval, type TestContext } from 'niceeval';",
        "import { includes } from 'niceeval/expect';",
        "import { docker } from 'niceeval/sandbox';",
        "import { tags } from './tags.js';",
        "export default defineEval({ tags, sandbox: docker({ image: 'node:20' }), async test(t: TestContext): Promise<void> { t.check('a', includes('a')); } });",
      ].join('\n'),
      'experiments/a.ts': [
        "import { defineExperiment, scripted } from 'niceeval';",
        "import { codex } from 'niceeval/adapter';",
        "export default defineExperiment({ agent: codex(), gateway: scripted('./a.json') });",
      ].join('\n'),
    });
    const found = await discoverProject(project.root);
    expect(found.evals[0]?.definition.tags).toEqual(['smoke']);
    expect(found.evals[0]?.definition.sandbox).toEqual({ kind: 'sandbox-spec', backend: 'docker', image: 'node:20' });
    expect(found.experiments[0]?.definition.agent.name).toBe('codex');
  });

  test('reads files anew each time, also in one process', async () => {
    await using project = await writeProject({ 'evals/sum.eval.ts': "import { description } from './shared.js';\n" + evalFile('description,'), 'evals/shared.ts': "export const description = 'old';\n" });
    const descriptionOf = async (): Promise<string | undefined> => (await discoverProject(project.root)).evals[0]?.definition.description;
    const before = await descriptionOf();
    await writeFile(join(project.root, 'evals/shared.ts'), "export const description = 'new';\n");
    expect([before, await descriptionOf()]).toEqual(['old', 'new']);
  });

  test('reads the configuration, and does without', async () => {
    await using configured = await writeProject({
      'niceeval.config.ts': "import { defineConfig } from 'niceeval';\nexport default defineConfig({ maxConcurrency: 7 });\n",
    });
    await using bare = await writeProject({});
    expect([(await discoverProject(configured.root)).config, (await discoverProject(bare.root)).config]).toEqual([{ maxConcurrency: 7 }, {}]);
  });
});

describe('an authoring error names the file, what is wrong and what to do', () => {
  const factory = (name: string): string => `its default export was not made by ${name}. Write \`export default ${name}({ ... })\` with ${name} imported from "niceeval".`;
  test.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'an eval without a test', { 'evals/sum.eval.ts': "import { defineEval } from 'niceeval';\nexport default defineEval({ description: 'x' });\n" },
      'evals/sum.eval.ts: defineEval: `test` is missing. Give it a function that sends the task and makes claims: `async test(t) { ... }`.',
    ],
    [
      'an experiment without an agent', { 'experiments/a.ts': "import { defineExperiment } from 'niceeval';\nexport default defineExperiment({ attempts: 2 });\n" },
      'experiments/a.ts: defineExperiment: `agent` is missing. Give it one, for instance `agent: claudeCode()` from "niceeval/adapter".',
    ],
    ['an eval that only looks like one', { 'evals/sum.eval.ts': 'export default { async test() {} };\n' }, `evals/sum.eval.ts: ${factory('defineEval')}`],
    ['a copy of an eval', { 'evals/sum.eval.ts': `${evalFile().replace('export default', 'const made =')}export default { ...made };\n` }, `evals/sum.eval.ts: ${factory('defineEval')}`],
    ['an eval among the experiments', { 'experiments/a.ts': evalFile() }, `experiments/a.ts: ${factory('defineExperiment')}`],
    ['an experiment that only looks like one', { 'experiments/a.ts': 'export default { agent: {} };\n' }, `experiments/a.ts: ${factory('defineExperiment')}`],
    ['a configuration that only looks like one', { 'niceeval.config.ts': 'export default { maxConcurrency: 2 };\n' }, `niceeval.config.ts: ${factory('defineConfig')}`],
    ['a file without a default export', { 'evals/sum.eval.ts': "export const name = 'sum';\n" }, `evals/sum.eval.ts: ${factory('defineEval')}`],
    ['an empty file', { 'evals/sum.eval.ts': '' }, `evals/sum.eval.ts: ${factory('defineEval')}`],
    ['a syntax error', { 'evals/web/sum.eval.ts': 'const a = 1;\n\nexport default {\n  a: 1\n  b: 2,\n};\n' }, 'evals/web/sum.eval.ts:5:3: syntax error: Unexpected token, expected ","'],
    [
      'a syntax error in a module of the author\'s', { 'evals/sum.eval.ts': "import './shared.js';\n", 'evals/shared.ts': 'let a;\nlet a;\n' },
      "evals/sum.eval.ts: syntax error at evals/shared.ts:2:5: Identifier 'a' has already been declared.",
    ],
    ['a file that throws', { 'evals/sum.eval.ts': "throw new Error('no fixture\\nat all');\n" }, 'evals/sum.eval.ts: no fixture'],
    ['a file that throws a text', { 'evals/sum.eval.ts': "throw 'no fixture';\n" }, 'evals/sum.eval.ts: no fixture'],
    ['JSON that cannot be read', { 'evals/sum.eval.ts': "export default JSON.parse('{');\n" }, "evals/sum.eval.ts: Expected property name or '}' in JSON at position 1"],
    ['an unknown field', { 'evals/sum.eval.ts': evalFile('timeout: 5,') }, 'evals/sum.eval.ts: defineEval does not know the field "timeout". It knows description, tags, metadata, timeoutMs, sandbox, workspace, network, integrity, watch, gradeIn, judge, test.'],
    ['an unknown field of the configuration', { 'niceeval.config.ts': "import { defineConfig } from 'niceeval';\nexport default defineConfig({ concurrency: 1 });\n" }, 'niceeval.config.ts: defineConfig does not know the field "concurrency". It knows maxConcurrency, maxBuildConcurrency, retries, budget, timeoutMs, pricing, profiles, defaultProfile, judge.'],
    ['two evals of one id', { 'evals/sum.eval.ts': evalFile(), 'evals/sum.eval.mjs': evalFile() }, 'evals/sum.eval.ts: its id "sum" is also that of evals/sum.eval.mjs. Rename one of them.'],
    ['two experiments of one id', { 'experiments/a.ts': experimentFile(), 'experiments/a.mts': experimentFile() }, 'experiments/a.ts: its id "a" is also that of experiments/a.mts. Rename one of them.'],
  ])('%s', async (_what, files, problem) => {
    expect(await problemsOf(files)).toEqual([problem]);
  });

  test('a module that is not there is named with the file that wants it', async () => {
    expect(await problemsOf({ 'evals/sum.eval.ts': "import './nowhere.js';\n" })).toEqual(["evals/sum.eval.ts: Cannot find module './nowhere.js'"]);
  });

  test('all problems of all files are told at once', async () => {
    const problems = await problemsOf({
      'niceeval.config.ts': 'export default 1;\n', 'evals/a.eval.ts': 'export default 1;\n', 'evals/b.eval.ts': evalFile(), 'experiments/c.ts': 'export default 1;\n',
    });
    expect(problems).toEqual([`niceeval.config.ts: ${factory('defineConfig')}`, `evals/a.eval.ts: ${factory('defineEval')}`, `experiments/c.ts: ${factory('defineExperiment')}`]);
  });
});
