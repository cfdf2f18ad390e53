import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { discoverProject } from '../../../src/plan/discover.js';
import { planRun, type Plan, type PlanOptions } from '../../../src/plan/plan.js';
import { writeProject } from '../project.js';

const SCRIPT = JSON.stringify({ format: 'niceeval.script/v1', lanes: [{ name: 'main', turns: [{ text: 'done' }] }] });
const EVAL = [
  "import { defineEval } from 'niceeval';",
  "import { loadJson, loadText } from 'niceeval/loaders';",
  "import { z } from 'zod';",
  "import { first } from './lib/first.js';",
  "const task = loadText('data/task.md');",
  "export default defineEval({",
  "  description: 'adds', tags: ['smoke'], timeoutMs: 1000,",
  "  workspace: '../workspace',",
  "  async test(t) { await t.send(task + first); },",
  "});",
].join('\n');
const EXPERIMENT = [
  "import { defineExperiment, scripted } from 'niceeval';",
  "import { claudeCode } from 'niceeval/adapter';",
  "import { command, docker, upload } from 'niceeval/sandbox';",
  "export default defineExperiment({",
  "  agent: claudeCode({ settingsFile: './settings.json', env: { TOKEN: process.env.NICEEVAL_TEST_TOKEN ?? '' }, sensitiveValues: [process.env.NICEEVAL_TEST_TOKEN ?? 'nothing'] }),",
  "  model: 'small',",
  "  flags: { hint: process.env.NICEEVAL_TEST_TOKEN ?? 'nothing' },",
  "  gateway: scripted('./script.json'),",
  "  sandbox: docker({ image: 'node:22' }).prepare(upload('./tools'), command('npm', ['ci'], { env: { TOKEN: process.env.NICEEVAL_TEST_TOKEN ?? '' } })),",
  "});",
].join('\n');
const FILES: Readonly<Record<string, string>> = {
  'evals/a.eval.ts': EVAL,
  'evals/lib/first.ts': "import { second } from './second';\nexport const first = second;\n",
  'evals/lib/second.ts': "import data from './data.json';\nexport const second = String(data.n);\n",
  'evals/lib/data.json': '{"n": 1}',
  'data/task.md': 'Add.\n',
  'workspace/sum.js': 'broken',
  'experiments/x.ts': EXPERIMENT,
  'experiments/settings.json': '{}',
  'experiments/script.json': SCRIPT,
  'experiments/tools/tool.sh': 'echo',
  'node_modules/zod/package.json': '{"name": "zod", "version": "4.0.0", "main": "index.js"}',
  'node_modules/zod/index.js': 'exports.z = {};',
};
const EVERYTHING: PlanOptions = { selectors: [], experiments: [], tags: [] };

async function planOf(files: Readonly<Record<string, string>>, options: Partial<PlanOptions> = {}): Promise<Plan> {
  await using project = await writeProject(files);
  return await planRun(await discoverProject(project.root), { ...EVERYTHING, ...options });
}

/** The identity of the only pair, in a folder of its own. */
async function identityOf(changes: Readonly<Record<string, string>> = {}, options: Partial<PlanOptions> = {}): Promise<string | undefined> {
  return (await planOf({ ...FILES, ...changes }, options)).attempts[0]?.identity;
}

const edited = (name: string, from: string, to: string): Readonly<Record<string, string>> => {
  const text = FILES[name] ?? '';
  if (!text.includes(from)) throw new Error(`${name} has no ${from}`);
  return { [name]: text.replace(from, to) };
};

describe('the identity of an Attempt', () => {
  test('is a SHA-256, the same wherever the project lies and whenever it is planned', async () => {
    const identity = await identityOf();
    expect(identity).toMatch(/^[0-9a-f]{64}$/);
    expect(await identityOf()).toBe(identity);
  });

  test('is the same behind a link to the project', async () => {
    await using project = await writeProject(FILES);
    await using beside = await writeProject({});
    await symlink(project.root, join(beside.root, 'link'));
    const identities = await Promise.all([project.root, join(beside.root, 'link')].map(async (root) => (await planRun(await discoverProject(root), EVERYTHING)).attempts[0]?.identity));
    expect(identities[1]).toBe(identities[0]);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['the eval', edited('evals/a.eval.ts', 'task + first', 'first + task')],
    ['a comment of the eval', edited('evals/a.eval.ts', 'async test', '/* new */ async test')],
    ['space in the eval', edited('evals/a.eval.ts', 'const task =', 'const task  =')],
    ['a module that it imports', edited('evals/lib/first.ts', 'first = second', 'first = second + second')],
    ['a module that an import of it imports', edited('evals/lib/second.ts', 'String(data.n)', 'String(data.n + 1)')],
    ['data that is imported', { 'evals/lib/data.json': '{"n": 2}' }],
    ['data that is loaded', { 'data/task.md': 'Subtract.\n' }],
    ['its workspace', { 'workspace/sum.js': 'mended' }],
    ['a file more in its workspace', { 'workspace/more.js': '' }],
    ['the version of a package', { 'node_modules/zod/package.json': '{"name": "zod", "version": "4.0.1", "main": "index.js"}' }],
    ['the model', edited('experiments/x.ts', "'small'", "'large'")],
    ['the effort', edited('experiments/x.ts', "model: 'small'", "model: 'small', reasoningEffort: 'high'")],
    ['a flag', edited('experiments/x.ts', 'flags: {', 'flags: { more: true,')],
    ['an option of the agent', edited('experiments/x.ts', 'claudeCode({', 'claudeCode({ maxTurns: 3,')],
    ['a file of the agent', { 'experiments/settings.json': '{"includeCoAuthoredBy": false}' }],
    ['the script', { 'experiments/script.json': SCRIPT.replace('done', 'over') }],
    ['the image', edited('experiments/x.ts', 'node:22', 'node:24')],
    ['a file of a prepared step', { 'experiments/tools/tool.sh': 'exit 1' }],
    ['a prepared command', edited('experiments/x.ts', "['ci']", "['install']")],
    ['the network', edited('experiments/x.ts', "model: 'small'", "model: 'small', network: { grade: 'open' }")],
    ['the judge', { 'niceeval.config.ts': "import { defineConfig } from 'niceeval';\nexport default defineConfig({ judge: { model: 'wise' } });\n" }],
  ])('changes with %s', async (_what, changes) => {
    expect(await identityOf(changes)).not.toBe(await identityOf());
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['labels', edited('experiments/x.ts', "model: 'small',", "model: 'small', labels: { line: 'new', n: -1 },")],
    ['the description of the experiment', edited('experiments/x.ts', '  model:', "  description: 'new',\n  model:")],
    ['attempts, limits of time and of what runs at once', edited('experiments/x.ts', "script.json'),", "script.json'), attempts: 2 + 3, timeoutMs: 10 * 60_000, maxConcurrency: 1,")],
    ['the evals that are picked by ids', edited('experiments/x.ts', '({\n  agent', "({\n  evals: ['a'],\n  agent")],
    ['the evals that are picked by a function', edited('experiments/x.ts', '({\n  agent', "({\n  evals: ({ id }) => id !== 'b',\n  agent")],
    ['the limit of time of the eval', edited('evals/a.eval.ts', ' timeoutMs: 1000,', ' timeoutMs: 2000,')],
    ['a limit of time that is gone', edited('evals/a.eval.ts', ' timeoutMs: 1000,', '')],
    ['its description and tags', edited('evals/a.eval.ts', "description: 'adds', tags: ['smoke'],", "tags: ['slow', 'smoke'],")],
    ['another eval', { 'evals/b.eval.ts': EVAL }],
    ['a file that nobody imports', { 'evals/lib/third.ts': 'export {};' }],
    ['the form of the script', { 'experiments/script.json': `\n ${SCRIPT}` }],
  ])('does not change with %s', async (_what, changes) => {
    expect(await identityOf(changes)).toBe(await identityOf());
  });

  test('does not change with what the command line says of repeats and time, but with where it runs', async () => {
    const backend = (name: string): Partial<PlanOptions> => ({ backend: { name, fit: () => ({ refused: [], ignored: [] }), lacks: [] } });
    expect(await identityOf({}, { attempts: 3, timeoutMs: 5 })).toBe(await identityOf());
    expect(await identityOf({}, backend('docker'))).not.toBe(await identityOf({}, backend('local')));
  });

  test('does not change with how the judge is paid and how long it may take', async () => {
    const config = (judge: string): Readonly<Record<string, string>> => ({ 'niceeval.config.ts': `import { defineConfig } from 'niceeval';\nexport default defineConfig({ judge: { model: 'wise'${judge} } });\n` });
    expect(await identityOf(config(", apiKeyEnv: 'KEY', timeoutMs: 5, protocol: 'openai', baseUrl: 'https://api.openai.com/v1/'"))).toBe(await identityOf(config('')));
    expect(await identityOf(config(", baseUrl: 'https://example.com'"))).not.toBe(await identityOf(config('')));
  });

  test('does not change with a secret, in flags, in the environment of the agent or in that of a step', async () => {
    const before = await identityOf();
    process.env.NICEEVAL_TEST_TOKEN = 'sk-new-token"\n';
    try {
      const other = await identityOf();
      process.env.NICEEVAL_TEST_TOKEN = 'sk-other-token';
      expect(await identityOf()).toBe(other);
      expect(before).toBe(other);
    } finally {
      delete process.env.NICEEVAL_TEST_TOKEN;
    }
  });

  test('differs between evals and between experiments, and is one for all repeats', async () => {
    const plan = await planOf({ ...FILES, 'evals/b.eval.ts': EVAL, 'experiments/y.ts': EXPERIMENT }, { attempts: 2 });
    const identities = plan.attempts.map(({ identity }) => identity);
    expect([plan.attempts.length, new Set(identities).size]).toEqual([8, 4]);
    expect(identities[0]).toBe(identities[1]);
  });

  test('of an eval changes with data that a module loads on behalf of it, and of no other', async () => {
    const helper = "import { loadText } from 'niceeval/loaders';\nexport const named = (path: string): string => read(path);\nfunction read(path: string): string { return loadText(path); }\n";
    const files = (data: string): Readonly<Record<string, string>> => ({
      ...FILES, one: data, two: '2', 'evals/helper.ts': helper.replace('export const named = (path: string): string => read(path)', 'export function named(path: string): string { return read(path); }'),
      'evals/a.eval.ts': `import { named } from './helper.js';\nnamed('one');\n${EVAL}`, 'evals/b.eval.ts': `import { named } from './helper.js';\nnamed('two');\n${EVAL}`,
    });
    const [before, after] = await Promise.all(['1', '1!'].map(async (data) => (await planOf(files(data))).attempts.map(({ identity }) => identity)));
    expect([before?.[0] === after?.[0], before?.[1] === after?.[1]]).toEqual([false, true]);
  });

  test('of every eval that imports a module changes with the data of that module, however often it is loaded', async () => {
    const files = (data: string): Readonly<Record<string, string>> => ({
      ...FILES, one: data, 'evals/shared.ts': "import { loadText } from 'niceeval/loaders';\nexport const text = loadText('one');\n",
      'evals/a.eval.ts': `import './shared.js';\n${EVAL}`, 'evals/b.eval.ts': `import './shared.js';\n${EVAL}`, 'evals/c.eval.ts': EVAL,
    });
    const [before, after] = await Promise.all(['1', '1!'].map(async (data) => (await planOf(files(data))).attempts.map(({ identity }) => identity)));
    expect(before?.map((identity, at) => identity === after?.[at])).toEqual([false, false, true]);
  });

  test('follows imports by a literal that are carried out later, and packages that lie in the project', async () => {
    const later = { ...edited('evals/a.eval.ts', 'async test(t) {', "async test(t) { await import('./later.js'); await import('own');"), 'evals/later.ts': 'export {};', 'packages/own/package.json': '{"name": "own", "version": "1.0.0", "main": "index.js"}', 'packages/own/index.js': '' };
    const identity = async (changes: Readonly<Record<string, string>>): Promise<string | undefined> => {
      await using project = await writeProject({ ...FILES, ...later, ...changes });
      await mkdir(join(project.root, 'node_modules'), { recursive: true });
      await symlink(join(project.root, 'packages/own'), join(project.root, 'node_modules/own'));
      return (await planRun(await discoverProject(project.root), EVERYTHING)).attempts[0]?.identity;
    };
    const before = await identity({});
    expect(await identity({})).toBe(before);
    expect(await identity({ 'evals/later.ts': 'export const x = 1;' })).not.toBe(before);
    expect(await identity({ 'packages/own/index.js': 'exports.x = 1;' })).not.toBe(before);
  });

  test.each<[string, string]>([
    ['codex({ configFile, hooksFile, instructionsFile, skills })', "import { codex } from 'niceeval/adapter';\nconst agent = codex({ configFile: 'c.toml', hooksFile: 'h.json', instructionsFile: 'i.md', skills: [{ kind: 'local', path: 's' }] });\n"],
    ['claudeCode({ settingsFile, plugins, instructionsFile, skills })', "import { claudeCode } from 'niceeval/adapter';\nconst agent = claudeCode({ settingsFile: 'h.json', plugins: ['c'], instructionsFile: 'i.md', skills: [{ kind: 'local', path: 's' }] });\n"],
    ['an agent of one\'s own', "import { completeEvidenceCoverage, defineAgent } from 'niceeval';\nconst agent = defineAgent({ name: 'own', evidenceCoverage: completeEvidenceCoverage, inputFiles: ['c', 'c.toml', 'h.json', 'i.md', 's'], send: () => Promise.resolve({ events: [], status: 'completed' }) });\n"],
  ])('changes with every file that is named by %s', async (_what, agent) => {
    const experiment = `import { defineExperiment, scripted } from 'niceeval';\n${agent}export default defineExperiment({ agent, gateway: scripted('./script.json') });\n`;
    const files: Readonly<Record<string, string>> = { 'c.toml': '', 'c/plugin.json': '{}', 'h.json': '{}', 'i.md': '', 's/SKILL.md': '' };
    const used = Object.keys(files).filter((name) => agent.includes(`'${name.split('/')[0] ?? ''}'`));
    const below = (changed?: string): Readonly<Record<string, string>> => Object.fromEntries(Object.entries(files).map(([name, text]) => [`experiments/${name}`, name === changed ? `${text} ` : text]));
    const before = await identityOf({ 'experiments/x.ts': experiment, ...below() });
    const others = await Promise.all(used.map((name) => identityOf({ 'experiments/x.ts': experiment, ...below(name) })));
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect([used.length >= 4, new Set([before, ...others]).size]).toEqual([true, used.length + 1]);
  });

  test('holds the bits of a workspace, as the image does', async () => {
    await using project = await writeProject(FILES);
    const now = async (): Promise<string | undefined> => (await planRun(await discoverProject(project.root), EVERYTHING)).attempts[0]?.identity;
    const before = await now();
    expect(await now()).toBe(before);
    await chmod(join(project.root, 'workspace/sum.js'), 0o755);
    expect(await now()).not.toBe(before);
  });

  test('follows a branch of a repository of this machine', async () => {
    await using project = await writeProject({ ...FILES, ...edited('evals/a.eval.ts', "'../workspace'", "fromGit({ repo: '../repo', ref: 'main' })"), 'repo/a': '1' });
    await writeFile(join(project.root, 'evals/a.eval.ts'), `import { fromGit } from 'niceeval/sandbox';\n${EVAL.replace("'../workspace'", "fromGit({ repo: '../repo', ref: 'main' })")}`);
    const repo = join(project.root, 'repo');
    const git = (...args: readonly string[]): Promise<unknown> => execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: repo });
    await git('init', '-q', '-b', 'main');
    await git('add', '.');
    await git('commit', '-q', '-m', 'one');
    const now = async (): Promise<string | undefined> => (await planRun(await discoverProject(project.root), EVERYTHING)).attempts[0]?.identity;
    const before = await now();
    expect([before, await now()]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), before]);
    await git('commit', '-q', '--allow-empty', '-m', 'two');
    expect(await now()).not.toBe(before);
  });

  test('is not told where something that it rests on cannot be read', async () => {
    await using project = await writeProject(FILES);
    const found = await discoverProject(project.root);
    await rm(join(project.root, 'evals/a.eval.ts'));
    const [attempt] = (await planRun(found, EVERYTHING)).attempts;
    expect([attempt?.identity, attempt?.decision]).toEqual([undefined, { action: 'run', why: 'asked-for' }]);
  });
});

describe('a plan warns once for each file', () => {
  test('that imports what is only known at run time', async () => {
    const lines = "const name = './x.js';\nexport const load = () => [import(name), import(`${name}`)];\n";
    const plan = await planOf({ ...FILES, 'evals/lib/first.ts': `${FILES['evals/lib/first.ts'] ?? ''}${lines}`, 'evals/b.eval.ts': EVAL });
    expect(plan.warnings).toEqual(['evals/lib/first.ts: it imports a module whose name is only known at run time. A change of it is not seen when results are used again.']);
  });

  test('of branches of repositories elsewhere, where results are to be used again', async () => {
    const remote = { ...FILES, 'evals/a.eval.ts': `import { fromGit } from 'niceeval/sandbox';\n${EVAL.replace("'../workspace'", "fromGit({ repo: 'https://example.com/r.git', ref: 'main' })")}` };
    const warning = 'fromGit("https://example.com/r.git" at "main"): a later commit of this name is not seen when results are used again. Name a commit.';
    expect([(await planOf(remote)).warnings, (await planOf(remote, { prior: { of: () => [] } })).warnings]).toEqual([[], [warning]]);
  });
});

test('10,000 Attempts are planned within two seconds', async () => {
  const many = EVAL.replace('export default defineEval(', 'const made = defineEval(') + '\nexport default Array.from({ length: 1000 }, () => made);\n';
  await using project = await writeProject({ ...FILES, 'evals/a.eval.ts': many });
  const found = await discoverProject(project.root);
  const start = performance.now();
  const plan = await planRun(found, { ...EVERYTHING, attempts: 10, prior: { of: () => [] } });
  const elapsedMs = performance.now() - start;
  expect([plan.attempts.length, new Set(plan.attempts.map(({ identity }) => identity)).size]).toEqual([10_000, 1000]);
  expect(elapsedMs).toBeLessThan(2000);
});
