import { describe, expect, test } from 'vitest';
import { defineAgent, defineSandboxAgent } from '../../src/agents/define-agent.js';
import { isDefinition } from '../../src/define/brand.js';
import { defineConfig, type ConfigInput } from '../../src/define/config.js';
import { DefinitionError } from '../../src/define/errors.js';
import { defineEval, defineScoreEval, type EvalInput, type ScoreEvalInput } from '../../src/define/eval.js';
import { defineExperiment, type ExperimentInput } from '../../src/define/experiment.js';
import { forward, scripted, type ForwardInput } from '../../src/define/gateway.js';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import { sandboxLayer } from '../../src/sandbox/prepare/preparable.js';

const body = (): void => undefined;
const agent = defineAgent({
  name: 'echo', evidenceCoverage: completeEvidenceCoverage, send: () => Promise.resolve({ events: [], status: 'completed' }),
});
const needy = defineSandboxAgent({
  name: 'needy', evidenceCoverage: completeEvidenceCoverage, needsEndpoint: true, send: () => Promise.resolve({ events: [], status: 'completed' }),
});

const definitions = {
  eval: defineEval({ description: 'A task.', tags: ['smoke'], metadata: { level: [1, null] }, timeoutMs: 1, test: body }),
  experiment: defineExperiment({
    agent: needy, model: 'big', reasoningEffort: 'high', evals: ['a'], attempts: 3, flags: { on: true }, labels: { line: 'a', size: 1 }, description: 'One.',
    timeoutMs: 1, maxConcurrency: 2, gateway: scripted('./model.json'),
  }),
  config: defineConfig({ maxConcurrency: 3, timeoutMs: 60_000 }),
};

describe('a definition', () => {
  test('keeps what it was given and cannot be changed', () => {
    expect(definitions.eval).toEqual({ description: 'A task.', tags: ['smoke'], metadata: { level: [1, null] }, timeoutMs: 1, test: body, evaluationKind: 'pass' });
    expect(definitions.experiment).toEqual({
      agent: needy, model: 'big', reasoningEffort: 'high', evals: ['a'], attempts: 3, flags: { on: true }, labels: { line: 'a', size: 1 }, description: 'One.',
      timeoutMs: 1, maxConcurrency: 2, gateway: { mode: 'scripted', script: './model.json' },
    });
    expect(definitions.config).toEqual({ maxConcurrency: 3, timeoutMs: 60_000 });
    expect(Object.values(definitions).map((definition) => Object.isFrozen(definition))).toEqual([true, true, true]);
  });

  test.each(['eval', 'experiment', 'config'] as const)('of an %s is known as that and as nothing else', (kind) => {
    const kinds = (['eval', 'experiment', 'config'] as const).filter((asked) => isDefinition(definitions[kind], asked));
    expect(kinds).toEqual([kind]);
  });

  test('is not known by its looks', () => {
    expect([{ ...definitions.eval }, { test: body }, null, 'eval', undefined].map((value) => isDefinition(value, 'eval'))).toEqual([false, false, false, false, false]);
  });
});

const FIELDS = {
  eval: 'description, tags, metadata, timeoutMs, sandbox, workspace, network, integrity, watch, gradeIn, judge, test',
  experiment: 'agent, model, reasoningEffort, evals, attempts, flags, labels, description, sandbox, timeoutMs, maxConcurrency, gateway, network, judge, earlyExit, budget, attemptBudget, retries, classifyFailure, setup, teardown',
};

describe('defineEval refuses', () => {
  test.each<[string, unknown, string]>([
    ['no test', {}, 'defineEval: `test` is missing. Give it a function that sends the task and makes claims: `async test(t) { ... }`.'],
    ['a test that is no function', { test: 'x' }, 'defineEval: `test` is missing. Give it a function that sends the task and makes claims: `async test(t) { ... }`.'],
    ['an id', { id: 'a', test: body }, 'defineEval takes no `id`: the id of an eval is its path below evals/. Rename the file instead.'],
    ['an unknown field', { test: body, timeout: 5 }, `defineEval does not know the field "timeout". It knows ${FIELDS.eval}.`],
    ['nothing', undefined, 'defineEval needs an object.'],
    ['a list', [], 'defineEval needs an object.'],
    ['tags in one text', { test: body, tags: 'smoke' }, 'defineEval: `tags` must be a list of words.'],
    ['a blank tag', { test: body, tags: [' '] }, 'defineEval: `tags` must be a list of words.'],
    ['a time limit of nothing', { test: body, timeoutMs: 0 }, 'defineEval: `timeoutMs` must be a whole number of at least 1, not 0.'],
    ['a time limit in words', { test: body, timeoutMs: '5m' }, 'defineEval: `timeoutMs` must be a whole number of at least 1, not "5m".'],
    ['a description that is no text', { test: body, description: 1 }, 'defineEval: `description` must be a text, not 1.'],
    ['metadata that is not JSON', { test: body, metadata: { at: new Date(0) } }, 'defineEval: `metadata` must be an object of JSON values; look at "at".'],
    ['a sandbox by its image', { test: body, sandbox: 'node:22' }, 'defineEval: `sandbox` must be made by docker() or sandboxLayer() of "niceeval/sandbox", not "node:22".'],
    ['a workspace of nothing', { test: body, workspace: ' ' }, 'defineEval: `workspace` must be the path of a folder, or made by fromFolder(), fromGit() or fromTar() of "niceeval/sandbox", not " ".'],
    ['a workspace that is a command', { test: body, workspace: { kind: 'command', argv: ['x'] } }, 'defineEval: `workspace` must be the path of a folder, or made by fromFolder(), fromGit() or fromTar() of "niceeval/sandbox", not {"kind":"command","argv":["x"]}.'],
    ['metadata in a list', { test: body, metadata: [] }, 'defineEval: `metadata` must be an object of JSON values.'],
  ])('%s', (_what, input, message) => {
    expect(() => defineEval(input as EvalInput)).toThrow(new DefinitionError(message));
  });
});

describe('defineExperiment refuses', () => {
  test.each<[string, unknown, string]>([
    ['no agent', {}, 'defineExperiment: `agent` is missing. Give it one, for instance `agent: claudeCode()` from "niceeval/adapter".'],
    ['a look-alike agent', { agent: { ...agent } }, 'defineExperiment: `agent` was not made by defineAgent, defineSandboxAgent or a factory like claudeCode().'],
    ['an agent by its name', { agent: 'codex' }, 'defineExperiment: `agent` was not made by defineAgent, defineSandboxAgent or a factory like claudeCode().'],
    ['an unknown field', { agent, repeats: 2 }, `defineExperiment does not know the field "repeats". It knows ${FIELDS.experiment}.`],
    ['nothing', null, 'defineExperiment needs an object.'],
    ['no attempts', { agent, attempts: 0 }, 'defineExperiment: `attempts` must be a whole number of at least 1, not 0.'],
    ['half a place', { agent, maxConcurrency: 0.5 }, 'defineExperiment: `maxConcurrency` must be a whole number of at least 1, not 0.5.'],
    ['a time limit below nothing', { agent, timeoutMs: -1 }, 'defineExperiment: `timeoutMs` must be a whole number of at least 1, not -1.'],
    ['evals in one text', { agent, evals: 'sum' }, 'defineExperiment: `evals` must be "*", a list of ids or prefixes of ids, or a function.'],
    ['evals that are no texts', { agent, evals: [1] }, 'defineExperiment: `evals` must be "*", a list of ids or prefixes of ids, or a function.'],
    ['a model that is no text', { agent, model: 4 }, 'defineExperiment: `model` must be a text, not 4.'],
    ['flags that are not JSON', { agent, flags: { on: () => true } }, 'defineExperiment: `flags` must be an object of JSON values; look at "on".'],
    ['labels that are neither texts nor numbers', { agent, labels: { line: true } }, 'defineExperiment: `labels` must be an object of texts and finite numbers; look at "line".'],
    ['a gateway by its path', { agent: needy, gateway: './model.json' }, 'defineExperiment: `gateway` must be made by scripted("./script.json") or forward().'],
    ['a layer, which has no image', { agent, sandbox: sandboxLayer() }, 'defineExperiment: `sandbox` cannot be a sandboxLayer(), which leaves the image to the experiment. Write `docker().prepare(...)`.'],
    ['a sandbox that is none', { agent, sandbox: {} }, 'defineExperiment: `sandbox` must be made by docker() of "niceeval/sandbox", not {}.'],
    ['a gateway that is null', { agent: needy, gateway: null }, 'defineExperiment: `gateway` must be made by scripted("./script.json") or forward().'],
  ])('%s', (_what, input, message) => {
    expect(() => defineExperiment(input as ExperimentInput)).toThrow(new DefinitionError(message));
  });
});

describe('defineConfig refuses', () => {
  test.each<[string, unknown, string]>([
    ['an unknown field', { concurrency: 2 }, 'defineConfig does not know the field "concurrency". It knows maxConcurrency, maxBuildConcurrency, retries, budget, timeoutMs, pricing, profiles, defaultProfile, judge.'],
    ['no places', { maxConcurrency: 0 }, 'defineConfig: `maxConcurrency` must be a whole number of at least 1, not 0.'],
    ['an endless time limit', { timeoutMs: Infinity }, 'defineConfig: `timeoutMs` must be a whole number of at least 1, not Infinity.'],
  ])('%s', (_what, input, message) => {
    expect(() => defineConfig(input as ConfigInput)).toThrow(new DefinitionError(message));
  });
});

test.each(['', undefined as unknown as string])('scripted refuses a path that is missing: %j', (script) => {
  expect(() => scripted(script)).toThrow(new DefinitionError('scripted() needs the path of a script file, or a script().'));
});

describe('defineScoreEval', () => {
  test('makes an eval that gives points', () => {
    const made = defineScoreEval({ description: 'A task.', tags: ['smoke'], judge: true, test: body });
    expect(made).toEqual({ description: 'A task.', tags: ['smoke'], judge: true, test: body, evaluationKind: 'score' });
    expect([Object.isFrozen(made), isDefinition(made, 'eval')]).toEqual([true, true]);
  });

  test.each<[string, unknown, string]>([
    ['no test', {}, 'defineScoreEval: `test` is missing. Give it a function that sends the task and makes claims: `async test(t) { ... }`.'],
    ['an id', { id: 'a', test: body }, 'defineScoreEval takes no `id`: the id of an eval is its path below evals/. Rename the file instead.'],
    ['a kind', { evaluationKind: 'pass', test: body }, `defineScoreEval does not know the field "evaluationKind". It knows ${FIELDS.eval}.`],
    ['nothing', undefined, 'defineScoreEval needs an object.'],
    ['no time', { test: body, timeoutMs: 0 }, 'defineScoreEval: `timeoutMs` must be a whole number of at least 1, not 0.'],
  ])('refuses %s', (_what, input, message) => {
    expect(() => defineScoreEval(input as ScoreEvalInput)).toThrow(new DefinitionError(message));
  });

  test('an eval that passes or fails takes no kind either', () => {
    expect(() => defineEval({ evaluationKind: 'score', test: body } as unknown as EvalInput)).toThrow(new DefinitionError(`defineEval does not know the field "evaluationKind". It knows ${FIELDS.eval}.`));
  });
});

describe('the judge', () => {
  const config = { model: 'gpt-5-mini', protocol: 'openai', baseUrl: 'https://judge.example.com/v1', apiKeyEnv: 'JUDGE_KEY', timeoutMs: 5_000 } as const;
  const makers: readonly [string, (judge: unknown) => { readonly judge?: unknown }][] = [
    ['defineEval', (judge) => defineEval({ test: body, judge } as EvalInput)],
    ['defineScoreEval', (judge) => defineScoreEval({ test: body, judge } as ScoreEvalInput)],
    ['defineExperiment', (judge) => defineExperiment({ agent, judge } as ExperimentInput)],
    ['defineConfig', (judge) => defineConfig({ judge } as ConfigInput)],
  ];

  test.each(makers)('of %s is kept, whole or only its model', (_factory, make) => {
    expect([make(config).judge, make({ model: 'gpt-5-mini' }).judge, make(undefined).judge]).toEqual([config, { model: 'gpt-5-mini' }, undefined]);
  });

  test.each(makers)('of %s may be true where another place says which', (factory, make) => {
    if (factory === 'defineEval' || factory === 'defineScoreEval') expect(make(true).judge).toBe(true);
    else expect(() => make(true)).toThrow(new DefinitionError(`${factory}: \`judge\`: it must be an object with the fields model, protocol, baseUrl, apiKeyEnv, timeoutMs; only \`model\` is needed.`));
  });

  describe.each(makers)('%s refuses', (factory, make) => {
    const whole = 'it must be an object with the fields model, protocol, baseUrl, apiKeyEnv, timeoutMs; only `model` is needed';
    test.each<[string, unknown, string]>([
      ['false', false, whole],
      ['null', null, whole],
      ['the name of a model', 'gpt-5-mini', whole],
      ['no model', {}, '`model` must be the id of a model, on one line, without space around it'],
      ['a blank model', { model: ' ' }, '`model` must be the id of a model, on one line, without space around it'],
      ['an unknown field', { model: 'a', temperature: 0 }, 'the field "temperature" is not known; known are model, protocol, baseUrl, apiKeyEnv, timeoutMs'],
      ['an unknown protocol', { model: 'a', protocol: 'grpc' }, '`protocol` must be "openai" or "anthropic"'],
      ['a URL with a password', { model: 'a', baseUrl: 'https://me:secret@a.com' }, '`baseUrl` must be an http or https URL without user, password, query or fragment'],
      ['a key in the place of its name', { model: 'a', apiKeyEnv: 'sk-123' }, '`apiKeyEnv` must be the name of an environment variable, such as NICEEVAL_JUDGE_KEY'],
      ['no time', { model: 'a', timeoutMs: 0 }, '`timeoutMs` must be a whole number of milliseconds of at least 1'],
    ])('%s', (_what, judge, problem) => {
      expect(() => make(judge)).toThrow(new DefinitionError(`${factory}: \`judge\`: ${problem}.`));
    });
  });
});

describe('forward()', () => {
  test('keeps what it was given, and an experiment takes it', () => {
    const gateway = forward({
      anthropic: { baseUrl: 'https://models.example/api', apiKey: { command: ['pass', 'show', 'key'], refreshMs: 1000 }, auth: 'bearer', headers: { 'x-team': 'blue', 'x-secret': { env: 'SECRET' } } },
      sampling: { temperature: 0, seed: 7, maxTokens: 100, models: { '*': 'small' } },
    });
    expect(gateway.mode).toBe('forward');
    expect(defineExperiment({ agent: needy, gateway }).gateway).toEqual(gateway);
    expect(defineExperiment({ agent: needy }).gateway).toBeUndefined();
  });

  test.each<[string, unknown, string]>([
    ['an unknown vendor', { mistral: {} }, 'forward does not know the field "mistral". It knows anthropic, openai, gemini, sampling, volatile, faults, mode.'],
    ['a key that stands there', { openai: { apiKey: 'sk-1' } }, 'forward, openai: `apiKey` must be { env: "NAME" } or { command: ["program", "argument"] }. A key itself never stands in an experiment.'],
    ['a base URL with a password', { openai: { baseUrl: 'https://me:secret@models.example' } }, 'forward, openai: `baseUrl` must be a URL that begins with https:// or http://, without a query and without a password.'],
    ['a base URL of another kind', { openai: { baseUrl: 'file:///etc' } }, 'forward, openai: `baseUrl` must be a URL that begins with https:// or http://, without a query and without a password.'],
    ['a header that is none', { gemini: { headers: { 'a b': 'c' } } }, 'forward, gemini: "a b" is no name of a header.'],
    ['a negative temperature', { sampling: { temperature: -1 } }, 'forward, sampling: `temperature` must be a number of at least 0.'],
    ['a seed with a fraction', { sampling: { seed: 1.5 } }, 'forward, sampling: `seed` must be a whole number.'],
    ['a model without a name', { sampling: { models: { a: '' } } }, 'forward, sampling: `models` must name a model for "a".'],
  ])('refuses %s', (_what, input, message) => {
    expect(() => forward(input as ForwardInput)).toThrow(new DefinitionError(message));
  });
});
