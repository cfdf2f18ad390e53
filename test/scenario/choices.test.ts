import { describe, expect, test } from 'vitest';
import { conditionsOf, networkOf, writeAccessOf } from '../../src/scenario/policy.js';
import { approvalPolicyOf, sandboxPolicyOf } from '../../src/scenario/policy-names.js';
import type { ScenarioLine } from '../../src/scenario/read-scenarios.js';
import { repeatedKeysIn } from '../../src/scenario/repeated-key.js';
import { selectScenarios } from '../../src/scenario/select.js';

describe('policies on the command line', () => {
  test.each([['never', 'never'], ['on-request', 'on_request'], ['on_request', 'on_request'], ['OnRequest', 'on_request'], ['always', 'always'], ['sometimes', undefined], ['', undefined]])('approval %j means %j', (word, policy) => {
    expect(approvalPolicyOf(word)).toBe(policy);
  });

  test.each([
    ['read-only', { kind: 'read_only' }], ['readonly', { kind: 'read_only' }], ['workspace_write', { kind: 'workspace_write' }], ['WorkspaceWrite', { kind: 'workspace_write' }],
    ['full access', { kind: 'full_access' }], ['danger-full-access', { kind: 'danger_full_access' }], ['{"kind":"workspace_write","network_access":true}', { kind: 'workspace_write', network_access: true }],
    ['{"kind":"none"}', undefined], ['{"kind":"read_only","roots":[]}', undefined], ['{', undefined], ['none', undefined],
  ])('sandbox %j means %j', (word, policy) => {
    expect(sandboxPolicyOf(word)).toEqual(policy);
  });
});

describe('policies in the sandbox', () => {
  test.each([
    [{ kind: 'read_only' }, { workspace: false, homeFolders: ['.x'] }, undefined],
    [{ kind: 'workspace_write' }, { workspace: true, homeFolders: ['.x'] }, undefined],
    [{ kind: 'workspace_write', network_access: true }, { workspace: true, homeFolders: ['.x'] }, 'open'],
    [{ kind: 'full_access' }, undefined, 'open'],
    [{ kind: 'danger_full_access' }, undefined, 'open'],
    [{ kind: 'full_access', network_access: false }, undefined, undefined],
  ] as const)('%j', (policy, writes, network) => {
    const conditions = conditionsOf('on_request', policy);
    expect([writeAccessOf(conditions, ['.x']), networkOf(conditions)?.agent, conditions.approvals]).toEqual([writes, network, 'on-request']);
  });
});

test('tags: one of many, spaces do not matter, and those that are excluded win', () => {
  const lines = ([['a', ['smoke', ' fast ']], ['b', ['smoke', 'slow']], ['c', undefined]] as const).map(([id, tags], index): ScenarioLine => ({ line: index + 1, scenario: { id, prompt: 'p', ...(tags === undefined ? {} : { tags: [...tags] }) } }));
  const ids = (tags: readonly string[], excludeTags: readonly string[] = []): readonly string[] => selectScenarios(lines, { tags, excludeTags }).map(({ scenario }) => scenario.id);
  expect([ids([]), ids([' fast', 'none']), ids(['smoke']), ids(['smoke'], ['slow ']), ids([], ['smoke']), ids(['none'])]).toEqual([['a', 'b', 'c'], ['a'], ['a', 'b'], ['a'], ['c'], []]);
});

describe('a key that is there twice', () => {
  test.each([
    ['{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]}', []],
    ['{"a":"\\"a\\":1,\\\\","a ":2}', []],
    ['{"a":1,"a":1,"a":1}', [['a'], ['a']]],
    ['{"x":[[],{"a":[1,2]},{"b":1,"\\u0062":2}]}', [['x', 2, 'b']]],
    ['{"x":{"y":{"z":1,"z":2}}}', [['x', 'y', 'z']]],
    ['["a","a"]', []],
  ])('%s: %j', (text, path) => {
    JSON.parse(text);
    expect(repeatedKeysIn(text)).toEqual(path);
  });
});
