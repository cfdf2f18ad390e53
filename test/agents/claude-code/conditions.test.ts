import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../../src/agents/claude-code/agent.js';
import { conditionedEnvironment, conditionedOptions, conditionedSettings, serversNamedIn } from '../../../src/agents/claude-code/conditions.js';
import { agentUnder, type AgentConditions } from '../../../src/agents/conditions.js';

const CONDITIONS: AgentConditions = { approvals: 'on-request', writes: 'workspace', network: false, mcp: false, hooks: false };
const PLACE = { workdir: '/project', servers: [] };
const EDITS = ['Edit(//project/**)', 'MultiEdit(//project/**)', 'Write(//project/**)', 'NotebookEdit(//project/**)'];

describe('options of claude code under conditions', () => {
  it.each([
    ['never', 'anywhere', 'bypassPermissions'], ['never', 'workspace', 'dontAsk'], ['never', 'nothing', 'dontAsk'],
    ['on-request', 'anywhere', 'bypassPermissions'], ['on-request', 'workspace', 'acceptEdits'], ['on-request', 'nothing', 'default'],
    ['always', 'anywhere', 'default'], ['always', 'workspace', 'default'], ['always', 'nothing', 'default'],
  ] as const)('come to a mode: %s, %s: %s', (approvals, writes, mode) => {
    const { permissionMode, allowedTools = [], disallowedTools } = conditionedOptions({ permissionMode: 'plan', allowedTools: ['Write'], disallowedTools: ['WebFetch'] }, { ...CONDITIONS, approvals, writes });
    expect([permissionMode, allowedTools.includes('Bash'), allowedTools.includes('Write'), disallowedTools]).toEqual([mode, approvals !== 'always' && writes !== 'anywhere', false, ['WebFetch', 'AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode']]);
  });

  it('keep servers only where they may start, and add instructions to those of the author', () => {
    const given = { mcpServers: [{ name: 'own', command: 'x' }], appendSystemPrompt: 'First.' };
    const without = conditionedOptions(given, { ...CONDITIONS, systemInstructions: 'Then.' });
    expect([without.mcpServers, without.appendSystemPrompt, without.allowedTools?.includes('mcp__own')]).toEqual([undefined, 'First.\n\nThen.', false]);
    const withThem = conditionedOptions(given, { ...CONDITIONS, mcp: true });
    expect([withThem.mcpServers, withThem.appendSystemPrompt, withThem.allowedTools?.includes('mcp__own')]).toEqual([given.mcpServers, 'First.', true]);
  });

  it('leave the agent itself as it was', () => {
    const agent = claudeCode();
    const under = agentUnder(agent, CONDITIONS, {});
    expect([typeof under === 'string' ? under : under.homeFolders, agent.homeFolders, under === agent]).toEqual([['.claude'], ['.claude'], false]);
    expect(agentUnder(agent, { ...CONDITIONS, syntheticPairs: 2 }, {})).toMatch(/^Claude Code keeps its own history/);
  });
});

describe('settings of claude code under conditions', () => {
  const given = { model: 'x', permissions: { allow: ['Write'], ask: ['Read'], deny: ['WebFetch'], defaultMode: 'bypassPermissions' }, disableAllHooks: false };
  it('keep what the author denies, and nothing that the author allows', () => {
    expect(conditionedSettings(given, CONDITIONS, PLACE)).toEqual({ model: 'x', permissions: { deny: ['WebFetch'] }, disableAllHooks: true });
  });
  it('allow edits below the working directory where nobody may be asked', () => {
    expect(conditionedSettings({}, { ...CONDITIONS, approvals: 'never', hooks: true }, PLACE)).toEqual({ permissions: { allow: EDITS } });
    expect(conditionedSettings({}, { ...CONDITIONS, approvals: 'never', writes: 'nothing', hooks: true }, PLACE)).toEqual({ permissions: {} });
  });
  it('ask for every tool, whatever the workspace names', () => {
    expect(conditionedSettings(given, { ...CONDITIONS, approvals: 'always', mcp: true, hooks: true }, { ...PLACE, servers: ['theirs'] })).toEqual({ model: 'x', permissions: { deny: ['WebFetch'], ask: ['*'] }, disableAllHooks: false, enableAllProjectMcpServers: true });
  });
  it('allow the servers that the workspace names', () => {
    expect(conditionedSettings({}, { ...CONDITIONS, mcp: true, hooks: true }, { ...PLACE, servers: ['theirs'] })).toEqual({ permissions: { allow: ['mcp__theirs'] }, enableAllProjectMcpServers: true });
  });
});

describe('servers that a workspace names', () => {
  it.each([
    ['{"mcpServers":{"a":{},"b-c_1":{},"Bash(*)":{},"x y":{},"":{}}}', ['a', 'b-c_1']],
    ['{"mcpServers":["a"]}', []], ['{"mcpServers":null}', []], ['[]', []], ['{', []], ['', []],
  ])('are plain names: %s', (text, names) => { expect(serversNamedIn(text)).toEqual(names); });
});

describe('environment of claude code under conditions', () => {
  it('puts its own files where it may write, and says when to compact', () => {
    expect(conditionedEnvironment(CONDITIONS, '/h/.claude')).toEqual({ CLAUDE_CONFIG_DIR: '/h/.claude' });
    expect(conditionedEnvironment({ ...CONDITIONS, writes: 'anywhere', compactAt: 0.2 }, '/h/.claude')).toEqual({ CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '20', CLAUDE_CODE_AUTO_COMPACT_WINDOW: '1000000' });
  });
});
