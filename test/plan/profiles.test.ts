import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.js';
import { defineConfig } from '../../src/define/config.js';
import { defineExperiment } from '../../src/define/experiment.js';
import { DefinitionError } from '../../src/define/errors.js';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import type { Project } from '../../src/plan/discover.js';
import { AuthoringError } from '../../src/plan/errors.js';
import { profilesIn, withProfiles } from '../../src/plan/profiles.js';

const agent = defineAgent({ name: 'own', evidenceCoverage: completeEvidenceCoverage, send: async () => ({ status: 'completed', events: [] }) });
const experiment = { id: 'codex', file: '/p/experiments/codex.ts', definition: defineExperiment({ agent }) };
const project: Project = {
  root: '/p', configFile: '/p/niceeval.config.ts', evals: [], experiments: [experiment], inputs: [],
  config: defineConfig({ profiles: { fast: { agent, model: 'small' }, slow: { agent, model: 'big', flags: { careful: true } } } }),
};

describe('a profile', () => {
  test('stands for an experiment, by its name', () => {
    expect(withProfiles(project, ['slow', 'fast', 'slow'], { keepExperiments: false }).experiments).toMatchObject([
      { id: 'profile/slow', file: '/p/niceeval.config.ts', definition: { model: 'big', flags: { careful: true } } }, { id: 'profile/fast', definition: { model: 'small' } },
    ]);
  });

  test('stands beside experiments that are picked, and changes nothing where none is named', () => {
    expect(withProfiles(project, ['fast'], { keepExperiments: true }).experiments.map(({ id }) => id)).toEqual(['profile/fast', 'codex']);
    expect(withProfiles(project, [], { keepExperiments: false })).toBe(project);
  });

  test.each([['toString', 'No profile is called "toString". There are: fast, slow.'], ['quick', 'No profile is called "quick". There are: fast, slow.']])('that is not there, %s, is an error', (name, message) => {
    expect(() => withProfiles(project, [name], { keepExperiments: false })).toThrow(new AuthoringError([message]));
  });

  test('is found again by the Attempts of an earlier run, as far as it is still there', () => {
    const by = (experimentId: string): { readonly experimentId: string } => ({ experimentId });
    expect(profilesIn(project, ['profile/slow', 'codex', 'profile/gone', 'profile/slow', 'profile/toString'].map(by))).toEqual(['slow']);
  });

  test('gives way to an experiment of its id', () => {
    const clash = { ...project, experiments: [{ ...experiment, id: 'profile/fast' }] };
    expect(profilesIn(clash, [{ experimentId: 'profile/fast' }])).toEqual([]);
    expect(() => withProfiles(clash, ['fast'], { keepExperiments: true })).toThrow(new AuthoringError(['The profile "fast" would be the experiment profile/fast, which there is already below experiments/. Rename one of them.']));
  });

  test.each<[unknown, string]>([
    [{ fast: { model: 'small' } }, 'defineConfig: profile "fast": `agent` is missing. Give it one, for instance `agent: claudeCode()` from "niceeval/adapter".'],
    [{ fast: { agent, attempts: 2 } }, 'defineConfig: profile "fast": the profile does not know the field "attempts". It knows agent, model, reasoningEffort, flags, gateway, sandbox, network.'],
    [{ 'a/b': { agent } }, 'defineConfig: the profile "a/b" needs a name of letters, digits, dots, dashes and underscores.'],
    [[], 'defineConfig: `profiles` must be an object of profiles by their names.'],
  ])('that cannot be one is refused: %j', (profiles, message) => {
    expect(() => defineConfig({ profiles: profiles as never })).toThrow(new DefinitionError(message));
  });
});
