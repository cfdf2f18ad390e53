import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { SCENARIO_SCHEMA_NAMES, scenarioJsonSchema } from '../../src/scenario/json-schema.js';
import { scenarioSchema } from '../../src/scenario/scenario.js';

const validate = new Ajv2020({ strict: false }).compile(scenarioJsonSchema('scenario'));

describe('the schema of a scenario takes what the loader takes', () => {
  const base = { id: 'a', prompt: 'p' };
  test.each<[unknown, boolean]>([
    [base, true],
    [{ ...base, turns: ['x'], tags: ['y'], sandbox_policy: { kind: 'read_only' }, approval_policy: 'never', profile: 'fake', system_instructions: 's' }, true],
    [{ ...base, expected: { event_types: ['UserMessageAdded', 'compaction'], max_events_of_type: { thinking: 0 }, workspace_files: [{ path: 'a/b..c' }], post_run_commands: [{ program: 'x', exit_code: 3 }] } }, true],
    [{ ...base, expected: {} }, true],
    [{ id: 'a' }, false],
    [{ ...base, prompt: '  ' }, false],
    [{ ...base, asserts: [] }, false],
    [{ ...base, profile: null }, false],
    [{ ...base, approval_policy: 'sometimes' }, false],
    [{ ...base, sandbox_policy: { kind: 'read_only', roots: [] } }, false],
    [{ ...base, expected: { assistant_contain: ['x'] } }, false],
    [{ ...base, expected: { max_turns: -1 } }, false],
    [{ ...base, expected: { max_turns: 0.5 } }, false],
    [{ ...base, expected: { event_types: ['Nothing'] } }, false],
    [{ ...base, expected: { min_events_of_type: { Nothing: 1 } } }, false],
    [{ ...base, expected: { workspace_files: [{ path: '../a' }] } }, false],
    [{ ...base, expected: { workspace_files: [{ path: '/a' }] } }, false],
    [{ ...base, expected: { post_run_commands: [{ program: 'x', cwd: 'a/..' }] } }, false],
    [{ ...base, expected: { post_run_commands: [{ args: ['x'] }] } }, false],
  ])('%j: %s', (value, isRight) => {
    expect([validate(value), scenarioSchema.safeParse(value).success]).toEqual([isRight, isRight]);
  });

  test('and tells editors what each field is', () => {
    const { properties } = scenarioJsonSchema('scenario') as { properties: Readonly<Record<string, { description?: string }>> };
    expect(Object.entries(properties).filter(([, { description }]) => description === undefined)).toEqual([]);
    const { expected } = properties as unknown as { expected: { properties: Readonly<Record<string, { description?: string }>> } };
    expect(Object.entries(expected.properties).filter(([, { description }]) => description === undefined)).toEqual([]);
  });
});

test('there is one for everything that scenarios read and write', () => {
  expect(SCENARIO_SCHEMA_NAMES).toEqual(['scenario', 'scenario-result', 'scenario-summary', 'scenario-report', 'scenario-comparison']);
  for (const name of SCENARIO_SCHEMA_NAMES) expect(scenarioJsonSchema(name)).toMatchObject({ title: `niceeval.${name}`, $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' });
});
