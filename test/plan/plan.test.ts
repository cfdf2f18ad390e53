import { describe, expect, test } from 'vitest';
import { discoverProject } from '../../src/plan/discover.js';
import { AuthoringError } from '../../src/plan/errors.js';
import { planRun, type Plan, type PlanOptions } from '../../src/plan/plan.js';
import { evalFile, experimentFile, writeProject } from './project.js';

const EVERYTHING: PlanOptions = { selectors: [], experiments: [], tags: [] };

async function planOf(files: Readonly<Record<string, string>>, options: Partial<PlanOptions> = {}): Promise<Plan> {
  await using project = await writeProject(files);
  return await planRun(await discoverProject(project.root), { ...EVERYTHING, ...options });
}

async function problemsOf(files: Readonly<Record<string, string>>, options: Partial<PlanOptions> = {}): Promise<readonly string[]> {
  try {
    await planOf(files, options);
    return [];
  } catch (error) {
    if (error instanceof AuthoringError) return error.problems;
    throw error;
  }
}

const pairsOf = (plan: Plan): readonly string[] => plan.attempts.map(({ evalId, experimentId, index }) => `${evalId} by ${experimentId} #${index}`);

const WEB = {
  'evals/sum.eval.ts': evalFile("tags: ['smoke'],"),
  'evals/web.eval.ts': evalFile(),
  'evals/web/login.eval.ts': evalFile("tags: ['smoke', 'slow'],"),
  'evals/web/login/again.eval.ts': evalFile(),
  'evals/website.eval.ts': evalFile("tags: ['slow'],"),
  'evals/cli.js.eval.mjs': evalFile(),
  'experiments/codex.ts': experimentFile(),
};

describe('planRun', () => {
  describe('with a backend that cannot give everything', () => {
    const SANDBOX_AGENT = "import { defineSandboxAgent } from 'niceeval/adapter';\nimport { docker } from 'niceeval/sandbox';\n";
    const experiment = (settings: string): string => `${SANDBOX_AGENT}${experimentFile(settings).replace('agent = defineAgent', 'agent = defineSandboxAgent')}`;
    const backend: PlanOptions['backend'] = {
      name: 'tent',
      fit: ({ image, resources }) => ({ refused: image === undefined ? [] : [`image "${image}"`], ignored: resources === undefined ? [] : ['limit pids'] }),
    };
    const wantsImage = "import { docker } from 'niceeval/sandbox';\n" + evalFile("sandbox: docker({ image: 'node:22' }),");

    test('refuses what it cannot give, and names the file that asks for it', async () => {
      expect(await problemsOf({ 'evals/a.eval.ts': wantsImage, 'evals/b.eval.ts': evalFile(), 'experiments/x.ts': experiment('') }, { backend })).toEqual([
        'evals/a.eval.ts: its sandbox has the image "node:22", which --sandbox tent cannot give. Leave that out, or take another backend.',
      ]);
      expect(await problemsOf({ 'evals/b.eval.ts': evalFile(), 'experiments/x.ts': experiment("sandbox: docker({ image: 'node:22' })") }, { backend })).toEqual([
        'experiments/x.ts: its sandbox has the image "node:22", which --sandbox tent cannot give. Leave that out, or take another backend.',
      ]);
    });

    test('warns once of what it does not keep to', async () => {
      const files = { 'evals/a.eval.ts': evalFile(), 'evals/b.eval.ts': evalFile(), 'experiments/x.ts': experiment('sandbox: docker({ resources: { pids: 100 } })') };
      expect((await planOf(files, { backend })).warnings).toEqual(['experiments/x.ts: --sandbox tent does not keep to the limit pids of its sandbox.']);
      expect((await planOf(files)).warnings).toEqual([]);
    });

    test('does not ask for an agent that has no sandbox, nor where nobody asks for anything', async () => {
      expect(await problemsOf({ 'evals/a.eval.ts': wantsImage, 'experiments/x.ts': experimentFile() }, { backend })).toEqual([]);
      expect((await planOf({ 'evals/a.eval.ts': evalFile(), 'experiments/x.ts': experiment('') }, { backend })).warnings).toEqual([]);
    });
  });

  test('expands evals by experiments by attempts, in order', async () => {
    const plan = await planOf({
      'evals/b.eval.ts': evalFile(),
      'evals/a.eval.ts': evalFile(),
      'experiments/one.ts': experimentFile('attempts: 2'),
      'experiments/another.ts': experimentFile(),
    });
    expect(pairsOf(plan)).toEqual(['a by another #1', 'b by another #1', 'a by one #1', 'a by one #2', 'b by one #1', 'b by one #2']);
    expect([Object.isFrozen(plan), Object.isFrozen(plan.attempts)]).toEqual([true, true]);
  });

  test('repeats every experiment as often as the caller says', async () => {
    const plan = await planOf({ 'evals/a.eval.ts': evalFile(), 'experiments/one.ts': experimentFile('attempts: 5'), 'experiments/two.ts': experimentFile() }, { attempts: 2 });
    expect(pairsOf(plan)).toEqual(['a by one #1', 'a by one #2', 'a by two #1', 'a by two #2']);
  });

  test.each<[readonly string[], readonly string[]]>([
    [[], ['cli.js', 'sum', 'web', 'web/login', 'web/login/again', 'website']],
    [['sum'], ['sum']],
    [['web'], ['web', 'web/login', 'web/login/again']],
    [['web/'], ['web', 'web/login', 'web/login/again']],
    [['web/login'], ['web/login', 'web/login/again']],
    [['web/login/again'], ['web/login/again']],
    [['website', 'sum'], ['sum', 'website']],
    [['evals/web/login.eval.ts'], ['web/login', 'web/login/again']],
    [['evals/cli.js.eval.mjs'], ['cli.js']],
    [['cli.js'], ['cli.js']],
  ])('the selectors %j pick %j: a prefix ends where a part of the path ends', async (selectors, ids) => {
    expect((await planOf(WEB, { selectors })).attempts.map(({ evalId }) => evalId)).toEqual(ids);
  });

  test.each<[Partial<PlanOptions>, readonly string[]]>([
    [{ tags: ['smoke'] }, ['sum', 'web/login']],
    [{ tags: ['smoke', 'slow'] }, ['sum', 'web/login', 'website']],
    [{ tags: ['slow'], selectors: ['web'] }, ['web/login']],
  ])('%j picks %j: any of the tags will do', async (options, ids) => {
    expect((await planOf(WEB, options)).attempts.map(({ evalId }) => evalId)).toEqual(ids);
  });

  test.each<[string, readonly string[]]>([
    ['"*"', ['cli.js', 'sum', 'web', 'web/login', 'web/login/again', 'website']],
    ["['web']", ['web', 'web/login', 'web/login/again']],
    ["['sum', 'website']", ['sum', 'website']],
    ["({ id, tags }) => id.includes('/') || tags.includes('slow')", ['web/login', 'web/login/again', 'website']],
  ])('an experiment that wants %s gets %j', async (wanted, ids) => {
    const plan = await planOf({ ...WEB, 'experiments/codex.ts': experimentFile(`evals: ${wanted}`) });
    expect(plan.attempts.map(({ evalId }) => evalId)).toEqual(ids);
  });

  test('tells an experiment that picks by a function what every eval is', async () => {
    const plan = await planOf({
      'evals/a.eval.ts': evalFile("description: 'Sums.', tags: ['smoke'], metadata: { level: 3 },"),
      'evals/b.eval.ts': evalFile(),
      'experiments/one.ts': experimentFile(`evals: (eval_) => [
        '{"id":"a","description":"Sums.","tags":["smoke"],"metadata":{"level":3}}', '{"id":"b","tags":[],"metadata":{}}',
      ].includes(JSON.stringify(eval_))`),
    });
    expect(pairsOf(plan)).toEqual(['a by one #1', 'b by one #1']);
  });

  test('picks experiments by id or prefix', async () => {
    const files = { 'evals/a.eval.ts': evalFile(), 'experiments/big/one.ts': experimentFile(), 'experiments/big/two.ts': experimentFile(), 'experiments/bigger.ts': experimentFile() };
    expect(pairsOf(await planOf(files, { experiments: ['big'] }))).toEqual(['a by big/one #1', 'a by big/two #1']);
    expect(pairsOf(await planOf(files, { experiments: ['experiments/bigger.ts'] }))).toEqual(['a by bigger #1']);
  });

  test('the eval says where it runs, else the experiment, else the project\'s own image', async () => {
    const plan = await planOf({
      'evals/a.eval.ts': `import { docker } from 'niceeval/sandbox';\n${evalFile("sandbox: docker({ image: 'of-the-eval' }),")}`,
      'evals/b.eval.ts': evalFile(),
      'experiments/one.ts': `import { docker } from 'niceeval/sandbox';\n${experimentFile("sandbox: docker({ image: 'of-the-experiment' })")}`,
      'experiments/two.ts': experimentFile(),
    });
    expect(plan.attempts.map(({ sandbox }) => sandbox)).toEqual([
      { kind: 'sandbox-spec', backend: 'docker', image: 'of-the-eval' },
      { kind: 'sandbox-spec', backend: 'docker', image: 'of-the-experiment' },
      { kind: 'sandbox-spec', backend: 'docker', image: 'of-the-eval' },
      { kind: 'sandbox-spec', backend: 'docker' },
    ]);
  });

  test('workspace first, then the steps of whoever says the image, then those of the eval\'s layer; paths are relative to who says them', async () => {
    const sandbox = "import { command, docker, fromGit, sandboxLayer, upload } from 'niceeval/sandbox';\n";
    await using project = await writeProject({
      'evals/deep/layer.eval.ts': `${sandbox}${evalFile("workspace: '../../files', sandbox: sandboxLayer().prepare(upload('seed')),")}`,
      'evals/deep/own.eval.ts': `${sandbox}${evalFile("workspace: fromGit({ repo: '../../files', ref: 'main' }), sandbox: docker({ image: 'own' }).prepare(command('own')),")}`,
      'evals/deep/remote.eval.ts': `${sandbox}${evalFile("workspace: fromGit({ repo: 'https://example.com/r', ref: 'main' }),")}`,
      'evals/deep/seed': '', 'files/x': '', 'experiments/seed': '',
      'experiments/one.ts': `${sandbox}${experimentFile("sandbox: docker({ image: 'theirs' }).prepare(upload('seed', '/opt'))")}`,
    });
    const plan = await planRun(await discoverProject(project.root), EVERYTHING);
    const git = { kind: 'git', ref: 'main', history: 'ancestors' };
    const theirs = { kind: 'upload', hostPath: `${project.root}/experiments/seed`, target: '/opt', ignore: [] };
    expect(plan.attempts.map((attempt) => attempt.sandbox)).toEqual([
      { kind: 'sandbox-spec', backend: 'docker', image: 'theirs', steps: [{ kind: 'folder', hostPath: `${project.root}/files`, ignore: [] }, theirs, { kind: 'upload', hostPath: `${project.root}/evals/deep/seed`, ignore: [] }] },
      { kind: 'sandbox-spec', backend: 'docker', image: 'own', steps: [{ ...git, repo: `${project.root}/files` }, { kind: 'command', argv: ['own'] }] },
      { kind: 'sandbox-spec', backend: 'docker', image: 'theirs', steps: [{ ...git, repo: 'https://example.com/r' }, theirs] },
    ]);
  });

  test('takes a script from the code of the experiment, and tells what is wrong in it', async () => {
    const files = (turns: string): Record<string, string> => ({ 'evals/a.eval.ts': evalFile(), 'experiments/one.ts': experimentFile(`gateway: scripted(script()${turns})`).replace('scripted }', 'script, scripted }') });
    expect((await planOf(files(".says('Hello.')"))).attempts[0]?.script).toEqual({
      name: 'experiments/one.ts', script: { format: 'niceeval.script/v1', lanes: [{ name: 'main', turns: [{ text: 'Hello.' }] }] },
    });
    expect(await problemsOf(files('.turn({ delayMs: 5 })'))).toEqual([
      'experiments/one.ts: turns[0] says nothing. Give it "text", "thinking", "toolCalls", "error" or "stall"; "text": "" is an empty answer.',
    ]);
    expect(await problemsOf(files(''))).toEqual(['experiments/one.ts: turns is an empty array. Write an array with at least one entry.']);
  });

  test('reads the script of the model beside the experiment', async () => {
    const plan = await planOf({
      'evals/a.eval.ts': evalFile(),
      'experiments/deep/one.ts': experimentFile("gateway: scripted('../../models/a.json')"),
      'models/a.json': '{"format":"niceeval.script/v1","turns":[{"text":"Hello."}]}',
    });
    expect(plan.attempts[0]?.script).toEqual({
      name: 'models/a.json', script: { format: 'niceeval.script/v1', lanes: [{ name: 'main', turns: [{ text: 'Hello.' }] }] },
    });
  });
});

describe('the time limit', () => {
  const limits = { config: 40, eval: 30, experiment: 20, flag: 10 };
  test.each<[readonly (keyof typeof limits)[], { readonly limitMs: number; readonly source: string } | undefined]>([
    [['flag', 'experiment', 'eval', 'config'], { limitMs: 10, source: '--timeout' }],
    [['flag'], { limitMs: 10, source: '--timeout' }],
    [['experiment', 'eval', 'config'], { limitMs: 20, source: 'experiment' }],
    [['experiment', 'config'], { limitMs: 20, source: 'experiment' }],
    [['eval', 'config'], { limitMs: 30, source: 'eval' }],
    [['config'], { limitMs: 40, source: 'config' }],
    [[], undefined],
  ])('set by %j is %j', async (setBy, timeout) => {
    const ms = (who: keyof typeof limits): string => (setBy.includes(who) ? `timeoutMs: ${limits[who]},` : '');
    const plan = await planOf(
      {
        'evals/a.eval.ts': evalFile(ms('eval')),
        'experiments/one.ts': experimentFile(ms('experiment')),
        'niceeval.config.ts': `import { defineConfig } from 'niceeval';\nexport default defineConfig({ ${ms('config')} });\n`,
      },
      setBy.includes('flag') ? { timeoutMs: limits.flag } : {},
    );
    expect(plan.attempts.map((attempt) => attempt.timeout)).toEqual([timeout]);
  });
});

describe('the id of an Attempt', () => {
  const long = 'x'.repeat(200);
  const ids = async (): Promise<readonly string[]> => {
    const names = ['a/b', 'a_b', 'A/B', 'a-b', 'a b', 'a.b', '日本', '日木', 'con', `${long}/${'y'.repeat(100)}`, `${long}/${'y'.repeat(99)}z`];
    const plan = await planOf({
      ...Object.fromEntries(names.map((name) => [`evals/${name}.eval.ts`, evalFile()])),
      'experiments/one.ts': experimentFile('attempts: 2'),
      'experiments/日本.ts': experimentFile(),
    });
    expect(plan.attempts.length).toBe(names.length * 3);
    return plan.attempts.map(({ id }) => id);
  };

  test('is unlike every other of the run, also where upper and lower case are one', async () => {
    const all = await ids();
    expect(new Set(all.map((id) => id.toLowerCase())).size).toBe(all.length);
  });

  test('is a safe and visible name of a folder and of a label, of bounded length', async () => {
    expect((await ids()).filter((id) => !/^[a-z0-9][a-z0-9.-]{0,127}$/.test(id))).toEqual([]);
  });

  test('is the same in every run', async () => {
    expect(await ids()).toEqual(await ids());
  });

  test('ends with the number of the repeat', async () => {
    const plan = await planOf({ 'evals/web/Log In.eval.ts': evalFile(), 'experiments/one.ts': experimentFile('attempts: 2') });
    expect(plan.attempts.map(({ id }) => id.replace(/[0-9a-f]{8}/, '<hash>'))).toEqual(['web-log-in.one.<hash>.1', 'web-log-in.one.<hash>.2']);
  });
});

describe('an authoring error stops the plan and says what to do', () => {
  const project = { 'evals/sum.eval.ts': evalFile("tags: ['smoke'],"), 'evals/web/login.eval.ts': evalFile(), 'experiments/codex.ts': experimentFile() };
  const script = experimentFile("gateway: scripted('./model.json')");
  test.each<[string, Readonly<Record<string, string>>, Partial<PlanOptions>, readonly string[]]>([
    ['a selector that matches nothing', project, { selectors: ['summ'] }, ['No eval fits "summ". There are: sum, web/login.']],
    ['a selector that ends inside a part of a path', project, { selectors: ['web/log'] }, ['No eval fits "web/log". There are: sum, web/login.']],
    ['an empty selector', project, { selectors: [''] }, ['No eval fits "". There are: sum, web/login.']],
    ['one of two selectors that matches nothing', project, { selectors: ['sum', 'x'] }, ['No eval fits "x". There are: sum, web/login.']],
    ['an experiment that is not there', project, { experiments: ['claude'] }, ['No experiment fits "claude". There are: codex.']],
    ['both', project, { selectors: ['x'], experiments: ['y'] }, ['No eval fits "x". There are: sum, web/login.', 'No experiment fits "y". There are: codex.']],
    ['a tag that fits nothing', project, { tags: ['smok'] }, ['No eval has the tag "smok".']],
    ['two tags that fit nothing', project, { tags: ['a', 'b'] }, ['No eval has the tag "a" or "b".']],
    ['a tag that fits nothing that was picked', project, { tags: ['smoke'], selectors: ['web'] }, ['No picked eval has the tag "smoke".']],
    [
      'no eval', { 'experiments/codex.ts': experimentFile() }, {},
      ['No eval was found. An eval is a file evals/<id>.eval.ts with `export default defineEval({ ... })`.'],
    ],
    [
      'no experiment', { 'evals/sum.eval.ts': evalFile() }, {},
      ['No experiment was found. An experiment is a file experiments/<id>.ts with `export default defineExperiment({ ... })`.'],
    ],
    [
      'experiments that want none of the picked evals', { ...project, 'experiments/codex.ts': experimentFile("evals: ['sum']") }, { selectors: ['web'] },
      ['Nothing is left to run: no picked experiment wants a picked eval. Look at the `evals` of the experiments.'],
    ],
    [
      'an experiment that wants an eval that is not there', { ...project, 'experiments/two.ts': experimentFile("evals: ['sum', 'web/log']") }, {},
      ['experiments/two.ts: its `evals` hold "web/log", which fits no eval. There are: sum, web/login.'],
    ],
    [
      'an experiment whose function breaks', { ...project, 'experiments/codex.ts': experimentFile('evals: ({ metadata }) => metadata.level.high') }, { selectors: ['sum'] },
      ["experiments/codex.ts: its `evals` function broke on \"sum\": TypeError: Cannot read properties of undefined (reading 'high')"],
    ],
    [
      'an experiment whose function answers later', { ...project, 'experiments/codex.ts': experimentFile('evals: async () => false') }, { selectors: ['sum'] },
      ['experiments/codex.ts: its `evals` function answered {} for "sum". It must answer true or false, at once.'],
    ],
    [
      'a script that is not there', { ...project, 'experiments/codex.ts': script }, {},
      ['experiments/codex.ts: the script "./model.json" cannot be read. The path is relative to the experiment\'s file.'],
    ],
    [
      'a script with an unknown key', { ...project, 'experiments/codex.ts': script, 'experiments/model.json': '{"format":"niceeval.script/v1","turns":[{"text":"a","tool_calls":[]}]}' }, {},
      ['experiments/model.json: turns[0].tool_calls is not a known key. Write it "toolCalls".'],
    ],
  ])('%s', async (_what, files, options, problems) => {
    expect(await problemsOf(files, options)).toEqual(problems);
  });

  test('a script that is not JSON is named with its place', async () => {
    const [problem, ...others] = await problemsOf({ ...project, 'experiments/codex.ts': script, 'experiments/model.json': '{"format":' });
    expect(others).toEqual([]);
    expect(problem).toMatch(/^experiments\/model\.json: .*JSON/);
  });
});
