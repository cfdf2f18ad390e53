import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codex } from '../../../src/agents/codex/agent.js';
import { codexConditionsOf, conditionedOptions, conditionedSettings, rulesOf } from '../../../src/agents/codex/conditions.js';
import { agentUnder, type AgentConditions } from '../../../src/agents/conditions.js';

const CONDITIONS: AgentConditions = { approvals: 'on-request', writes: 'workspace', network: false, mcp: false, hooks: false };

let folder: string;
beforeAll(async () => { folder = await mkdtemp(join(tmpdir(), 'niceeval-conditions-')); });
afterAll(() => rm(folder, { recursive: true, force: true }));

async function settingsOf(config: string, conditions: Partial<AgentConditions> = {}): Promise<unknown> {
  await writeFile(join(folder, 'config.toml'), config);
  const found = codexConditionsOf({ configFile: 'config.toml' }, { ...CONDITIONS, ...conditions }, { experimentFolder: folder });
  return typeof found === 'string' ? found : conditionedSettings(found, '/project');
}

describe('options of codex under conditions', () => {
  it('give way where they contradict, and are added to where they do not', () => {
    expect(conditionedOptions({ askUser: true, approvalPolicy: 'never', sandboxMode: 'read-only', transport: 'exec', hooksFile: 'h.json', mcpServers: [{ name: 'a', command: 'b' }], appendSystemPrompt: 'First.' }, { ...CONDITIONS, systemInstructions: 'Then.' }))
      .toEqual({ askUser: false, approvalPolicy: 'on-request', sandboxMode: 'danger-full-access', appendSystemPrompt: 'First.\n\nThen.' });
    expect(conditionedOptions({ hooksFile: 'h.json', mcpServers: [{ name: 'a', command: 'b' }] }, { ...CONDITIONS, approvals: 'never', mcp: true, hooks: true }))
      .toEqual({ askUser: false, approvalPolicy: 'never', sandboxMode: 'danger-full-access', hooksFile: 'h.json', mcpServers: [{ name: 'a', command: 'b' }] });
  });

  it('leave the agent itself as it was', () => {
    const agent = codex({ approvalPolicy: 'on-request' });
    const under = agentUnder(agent, CONDITIONS, {});
    expect([typeof under === 'string' ? under : under.homeFolders, agent.homeFolders, under === agent]).toEqual([['.codex'], ['.codex'], false]);
  });
});

describe('settings of codex under conditions', () => {
  it('turn off what nobody asked for', async () => {
    expect(await settingsOf('[mcp_servers."dotted.name"]\ncommand = "x"\n[mcp_servers.\'literal\']\n[ mcp_servers . bare ]\n[mcp_servers.bare.env]\n# [mcp_servers.gone]\n')).toEqual([
      ['projects', { '/project': { trust_level: 'untrusted' } }], ['features.default_mode_request_user_input', false], ['features.hooks', false], ['notify', []],
      ['mcp_servers', { 'dotted.name': { enabled: false }, literal: { enabled: false }, bare: { enabled: false } }],
    ]);
  });

  it('let servers be used without asking, and hooks run', async () => {
    expect(await settingsOf('[mcp_servers.bare]\n', { mcp: true, hooks: true })).toEqual([
      ['projects', { '/project': { trust_level: 'trusted' } }], ['features.default_mode_request_user_input', false], ['mcp_servers', { bare: { default_tools_approval_mode: 'approve' } }],
    ]);
  });

  it('take away what cannot ask where everything must', async () => {
    expect(await settingsOf('', { approvals: 'always', hooks: true })).toEqual([
      ['projects', { '/project': { trust_level: 'untrusted' } }], ['features.default_mode_request_user_input', false],
      ['web_search', 'disabled'], ['features.view_image', false], ['features.goals', false], ['features.multi_agent', false], ['features.image_generation', false], ['features.apps', false],
    ]);
  });

  it('compact from a part of the window that the author names', async () => {
    expect(await settingsOf('model_context_window = 100_000 # tokens\n', { compactAt: 0.25, hooks: true })).toContainEqual(['model_auto_compact_token_limit', 25_000]);
    expect(await settingsOf('', { compactAt: 0.25 })).toMatch(/^Codex compacts from a number of tokens on; /);
  });

  it.each(['mcp_servers.a.command = "x"', '[mcp_servers]\na = { command = "x" }', '"mcp_servers".a = {}', '["mcp_servers".a]', 'mcp_servers = {}', '[profiles.p.mcp_servers.a]'])('refuse servers that cannot be turned off by name: %s', async (config) => {
    expect(await settingsOf(config)).toMatch(/^`configFile` names its tool servers in a way that they cannot be turned off one by one; /);
    expect(await settingsOf(config, { mcp: true })).toBeInstanceOf(Array);
  });
});

describe('what codex cannot do', () => {
  const told = (conditions: Partial<AgentConditions>, options = {}): unknown => codexConditionsOf(options, { ...CONDITIONS, ...conditions }, {});
  it.each([
    [{ syntheticPairs: 3 }, {}, /^Codex keeps its own history/],
    [{ mcp: true, approvals: 'always' as const }, {}, /^Codex lists and reads what tool servers offer without asking/],
    [{ hooks: true }, { hooksFile: 'h.json' }, /^Codex runs `hooksFile` only where it asks nobody/],
  ])('is said in one sentence: %j', (conditions, options, sentence) => { expect(told(conditions, options)).toMatch(sentence); });

  it('is not what it can', () => { expect(told({ syntheticPairs: 0 })).toEqual({ conditions: { ...CONDITIONS, syntheticPairs: 0 }, configuredServers: [] }); });
});

describe('rules of codex', () => {
  it('allow what it distrusts, or ask for what it trusts', () => {
    expect(rulesOf(CONDITIONS)).toBe('prefix_rule(pattern = [["rm","sudo","env","bash","/bin/bash","/usr/bin/bash","sh","/bin/sh","/usr/bin/sh","zsh","/bin/zsh","/usr/bin/zsh"]], decision = "allow")\n');
    expect(rulesOf({ ...CONDITIONS, approvals: 'always' })).toMatch(/^prefix_rule\(pattern = \[\["base64","cat",.*"whoami"\]\], decision = "prompt"\)\n$/);
  });
});
