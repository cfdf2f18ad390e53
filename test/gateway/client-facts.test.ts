import { expect, test } from 'vitest';
import { clientFactsOf, retryOf } from '../../src/gateway/client-facts.js';

// Headers of claude-code 2.1.197 and codex-cli 0.171.0, of a run with one subagent each; those that say nothing of the client are left out.
const CLAUDE = { 'user-agent': 'claude-cli/2.1.197 (external, sdk-cli)', 'x-claude-code-session-id': 'febfa8bc-b2c8-4afc-8c03-3f52ea3dbbe4', 'x-stainless-retry-count': '0', 'x-app': 'cli' };
const THREAD = '01a22e4e-0445-7533-96cc-79d3115c7d58';
const CODEX = {
  'x-codex-window-id': `${THREAD}:0`,
  'x-codex-turn-metadata': `{"session_id":"${THREAD}","thread_id":"${THREAD}","agent_name":"/root","window_number":0,"request_kind":"turn","thread_source":"user","turn_trigger":"exec"}`,
  'session-id': THREAD, 'thread-id': THREAD, originator: 'codex_exec',
};
const CODEX_CHILD = {
  'x-codex-turn-metadata': `{"session_id":"${THREAD}","thread_id":"01a22e4e-0659-7313-99e3-fd0879eb8172","agent_name":"/root/look_at_a","request_kind":"turn","subagent_kind":"thread_spawn","thread_source":"subagent"}`,
  'x-codex-parent-thread-id': THREAD, 'x-openai-subagent': 'collab_spawn', 'session-id': THREAD, 'thread-id': '01a22e4e-0659-7313-99e3-fd0879eb8172',
};

test.each([
  ['the main agent of Claude Code', CLAUDE, { session: 'febfa8bc-b2c8-4afc-8c03-3f52ea3dbbe4' }],
  ['a subagent of Claude Code', { ...CLAUDE, 'x-claude-code-agent-id': 'a2b93ad6246c582a8' }, { session: 'febfa8bc-b2c8-4afc-8c03-3f52ea3dbbe4', agent: 'a2b93ad6246c582a8' }],
  ['the main agent of Codex', CODEX, { session: THREAD }],
  ['a subagent of Codex', CODEX_CHILD, { session: THREAD, agent: '/root/look_at_a' }],
  ['a subagent of Codex without a name', { ...CODEX_CHILD, 'x-codex-turn-metadata': 'no JSON' }, { session: THREAD, agent: 'collab_spawn' }],
  ['a name that is no text', { ...CODEX_CHILD, 'x-codex-turn-metadata': '{"agent_name":["a"]}' }, { session: THREAD, agent: 'collab_spawn' }],
  ['a long name', { 'x-claude-code-agent-id': 'a'.repeat(5_000) }, { agent: 'a'.repeat(100) }],
  ['another client', { 'user-agent': 'curl/8' }, undefined],
])('reads %s', (_who, headers, facts) => {
  expect(clientFactsOf(headers)).toEqual(facts);
});

test.each([['0', 0], ['3', 3], ['-1', undefined], ['many', undefined], [undefined, undefined]])('reads how often it has tried: %s', (count, expected) => {
  expect(retryOf(count === undefined ? {} : { 'x-stainless-retry-count': count })).toBe(expected);
});
