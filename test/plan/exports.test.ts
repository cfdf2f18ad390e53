import { describe, expect, test } from 'vitest';
import { discoverProject } from '../../src/plan/discover.js';
import { AuthoringError } from '../../src/plan/errors.js';
import { experimentGroupOf } from '../../src/plan/group.js';
import { planRun } from '../../src/plan/plan.js';
import { evalFile, experimentFile, writeProject } from './project.js';

const EVAL = "import { defineEval } from 'niceeval';\nconst made = (description: string) => defineEval({ description, test() {} });\n";
const EXPERIMENT = experimentFile().replace('export default defineExperiment({ agent,  });', 'const made = (model: string) => defineExperiment({ agent, model });\n');

async function evalsOf(files: Readonly<Record<string, string>>): Promise<readonly (readonly [string, string | undefined])[]> {
  await using project = await writeProject(files);
  return (await discoverProject(project.root)).evals.map(({ id, definition }) => [id, definition.description] as const);
}

async function problemsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await using project = await writeProject(files);
  return await discoverProject(project.root).then(() => [], (error: unknown) => {
    if (error instanceof AuthoringError) return error.problems;
    throw error;
  });
}

describe('a file that exports many definitions', () => {
  test('gives those of an array ids with four digits, in order', async () => {
    expect(await evalsOf({ 'evals/web/sum.eval.ts': `${EVAL}export default [made('first'), made('second'), made('third')];\n` })).toEqual([
      ['web/sum/0000', 'first'], ['web/sum/0001', 'second'], ['web/sum/0002', 'third'],
    ]);
  });

  test('gives those of an object its keys, in lexical order and whatever numbers they look like', async () => {
    expect(await evalsOf({ 'evals/sum.eval.ts': `${EVAL}export default { b: made('b'), 'a b': made('a b'), 10: made('10'), 9: made('9'), Z: made('Z') };\n` })).toEqual([
      ['sum/10', '10'], ['sum/9', '9'], ['sum/Z', 'Z'], ['sum/a b', 'a b'], ['sum/b', 'b'],
    ]);
  });

  test('may have keys that are fields of a definition', async () => {
    expect(await evalsOf({ 'evals/sum.eval.ts': `${EVAL}export default { test: made('x'), description: made('y') };\n` })).toEqual([['sum/description', 'y'], ['sum/test', 'x']]);
  });

  test('may have one definition under two ids', async () => {
    expect(await evalsOf({ 'evals/sum.eval.ts': `${EVAL}const one = made('one');\nexport default { a: one, b: one };\n` })).toEqual([['sum/a', 'one'], ['sum/b', 'one']]);
  });

  test('may be one of experiments, which the id of the file picks all of', async () => {
    await using project = await writeProject({
      'evals/a.eval.ts': evalFile(), 'evals/many.eval.ts': `${EVAL}export default [made('first'), made('second')];\n`,
      'experiments/models.ts': `${EXPERIMENT}export default { small: made('s'), large: made('l') };\n`, 'experiments/list.ts': `${EXPERIMENT}export default [made('x')];\n`,
    });
    const found = await discoverProject(project.root);
    expect(found.experiments.map(({ id, definition }) => [id, definition.model])).toEqual([['list/0000', 'x'], ['models/large', 'l'], ['models/small', 's']]);
    const plan = await planRun(found, { selectors: ['many'], experiments: ['experiments/models.ts'], tags: [] });
    expect(plan.attempts.map(({ evalId, experimentId, group }) => [evalId, experimentId, group])).toEqual([
      ['many/0000', 'models/large', 'models'], ['many/0001', 'models/large', 'models'], ['many/0000', 'models/small', 'models'], ['many/0001', 'models/small', 'models'],
    ]);
    expect(new Set(plan.attempts.map(({ id }) => id)).size).toBe(4);
  });
});

describe('a folder entry', () => {
  test('has the id of its folder, and is picked by its path', async () => {
    await using project = await writeProject({ 'evals/web/login/eval.ts': evalFile(), 'evals/web/other.eval.ts': evalFile(), 'experiments/x.ts': experimentFile() });
    const found = await discoverProject(project.root);
    expect(found.evals.map(({ id }) => id)).toEqual(['web/login', 'web/other']);
    const plan = await planRun(found, { selectors: ['evals/web/login/eval.ts'], experiments: [], tags: [] });
    expect(plan.attempts.map(({ evalId }) => evalId)).toEqual(['web/login']);
  });

  test('is nothing special among the experiments', async () => {
    await using project = await writeProject({ 'experiments/x/eval.ts': experimentFile() });
    expect((await discoverProject(project.root)).experiments.map(({ id }) => id)).toEqual(['x/eval']);
  });
});

describe('what is refused of a file that exports many', () => {
  const notMade = (key: string): string => `evals/sum.eval.ts: "${key}" of its default export was not made by defineEval. Make each of them by \`defineEval({ ... })\` of "niceeval".`;
  const empty = 'evals/sum.eval.ts: its default export is empty. Export at least one eval, or remove the file.';
  test.each<[string, string, readonly string[]]>([
    ['an empty array', '[]', [empty]],
    ['an empty object', '{}', [empty]],
    ['a look-alike in an array', "[made('a'), { test() {} }]", [notMade('0001')]],
    ['a hole in an array', "[made('a'), , made('b')]", [notMade('0001')]],
    ['look-alikes under keys', "{ a: { test() {} }, b: made('b'), c: { ...made('c') }, d: null }", [notMade('a'), notMade('c'), notMade('d')]],
    ['a key that is no name', "{ '': made('a'), '.': made('b'), '..': made('c'), ' ': made('d') }", ['', ' ', '.', '..'].map((key) => `evals/sum.eval.ts: the key "${key}" of its default export is no name.`)],
    ['a key with a slash', "{ 'a/b': made('a') }", ['evals/sum.eval.ts: the key "a/b" of its default export has a slash or a backslash, and must be one part of a path.']],
    ['a key with a backslash', "{ 'a\\\\b': made('a') }", ['evals/sum.eval.ts: the key "a\\\\b" of its default export has a slash or a backslash, and must be one part of a path.']],
    ['a key with a control character', "{ 'a\\u001bb': made('a') }", ['evals/sum.eval.ts: the key "a\\u001bb" of its default export has a control character.']],
    ['an object of a class', "new (class { a = made('a') })()", ['evals/sum.eval.ts: its default export was not made by defineEval. Write `export default defineEval({ ... })` with defineEval imported from "niceeval".']],
  ])('%s', async (_what, exported, problems) => {
    expect(await problemsOf({ 'evals/sum.eval.ts': `${EVAL}export default ${exported};\n` })).toEqual(problems);
  });

  test('an id that another file has', async () => {
    expect(await problemsOf({ 'evals/sum.eval.ts': `${EVAL}export default { a: made('a') };\n`, 'evals/sum/a.eval.ts': evalFile(), 'evals/x/eval.ts': evalFile(), 'evals/x.eval.ts': evalFile() })).toEqual([
      'evals/sum/a.eval.ts: its id "sum/a" is also that of evals/sum.eval.ts. Rename one of them.',
      'evals/x/eval.ts: its id "x" is also that of evals/x.eval.ts. Rename one of them.',
    ]);
  });

  test('a folder entry without a folder', async () => {
    expect(await problemsOf({ 'evals/eval.ts': evalFile() })).toEqual(['evals/eval.ts: no folder names this eval. Rename it to evals/<id>.eval.ts or evals/<id>/eval.ts.']);
  });
});

test.each([['codex', 'codex'], ['models/gpt', 'models'], ['a/b/c', 'a'], ['gpt-4.1', 'gpt-4.1']])('the group of the experiment %s is %s', (id, group) => {
  expect(experimentGroupOf(id)).toBe(group);
});
