import { describe, expect, test } from 'vitest';
import { readAnthropicRequest } from '../../src/gateway/anthropic-request.js';
import { readGeminiRequest } from '../../src/gateway/gemini-request.js';
import { readChatRequest } from '../../src/gateway/openai-chat-request.js';
import { readOpenaiRequest } from '../../src/gateway/openai-request.js';
import { failureOf, messagesBody, post, serveGateway, textOf } from './serving.js';

const RESULT = [
  { role: 'user', content: 'Fix the bug' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: '1 failed\n2 passed' }] },
];

describe('a request that its turn does not expect', () => {
  test('is told so in one line, and the turn is kept', async () => {
    await using gateway = await serveGateway();
    gateway.open({ turns: [{ text: 'All pass.', expects: { toolResultIncludes: '3 passed' } }] });
    const response = await post(`${gateway.url}/v1/messages`, messagesBody({ messages: RESULT }));
    expect([response.status, response.headers.get('x-should-retry'), await failureOf(response)]).toEqual([
      400, 'false', 'Script "test.json", lane "main", turn 1: it expects toolResultIncludes "3 passed", but the request has "1 failed 2 passed". The turn was not played.',
    ]);
    const passed = JSON.parse(JSON.stringify(RESULT).replace('1 failed\\n2', '3')) as object;
    expect(await textOf(await post(`${gateway.url}/v1/messages`, messagesBody({ messages: passed })))).toBe('All pass.');
    expect((await gateway.exchanges(2)).map(({ outcome, lane, turn }) => [outcome, lane, turn])).toEqual([['script-unplayable', 'main', 1], ['played', 'main', 1]]);
  });
});

test('a lane is told by the agent that a client names in its headers', async () => {
  await using gateway = await serveGateway();
  gateway.open({ lanes: [{ name: 'helper', when: { agent: 'subagent' }, turns: [{ text: 'Helped.' }] }, { name: 'main', turns: [{ text: 'Done.' }] }] });
  const asked = (headers: Record<string, string>): Promise<Response> => post(`${gateway.url}/v1/messages`, messagesBody(), { headers });
  expect(await textOf(await asked({ 'x-claude-code-agent-id': 'a2b93ad6246c582a8' }))).toBe('Helped.');
  expect(await textOf(await asked({ 'x-claude-code-session-id': 'febfa8bc' }))).toBe('Done.');
});

// Two results of tools at once, in the shapes of the vendors' documentation.
describe('what tools told since the model last spoke', () => {
  test.each([
    ['Messages', readAnthropicRequest({ model: 'm', messages: [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }] }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'old' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'b', name: 'x', input: {} }, { type: 'tool_use', id: 'c', name: 'x', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b', content: 'one' }, { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'two' }] }] },
    ] }), 3],
    ['Responses', readOpenaiRequest({ model: 'm', input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      { type: 'function_call', call_id: 'a', name: 'x', arguments: '{}' }, { type: 'function_call_output', call_id: 'a', output: 'old' },
      { type: 'function_call', call_id: 'b', name: 'x', arguments: '{}' }, { type: 'custom_tool_call', call_id: 'c', name: 'y', input: '' },
      { type: 'function_call_output', call_id: 'b', output: 'one' }, { type: 'custom_tool_call_output', call_id: 'c', output: 'two' },
    ] }), 4],
    ['Chat', readChatRequest({ model: 'm', messages: [
      { role: 'user', content: 'Go' }, { role: 'assistant', content: null, tool_calls: [] }, { role: 'tool', tool_call_id: 'a', content: 'old' },
      { role: 'assistant', content: null, tool_calls: [] }, { role: 'tool', tool_call_id: 'b', content: 'one' }, { role: 'tool', tool_call_id: 'c', content: 'two' },
    ] }), 4],
    ['Gemini', readGeminiRequest({ contents: [
      { role: 'user', parts: [{ text: 'Go' }] },
      { role: 'model', parts: [{ functionCall: { name: 'x', args: {} } }] }, { role: 'user', parts: [{ functionResponse: { name: 'x', response: { output: 'old' } } }] },
      { role: 'model', parts: [{ functionCall: { name: 'x', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'x', response: { output: 'one' } } }, { functionResponse: { name: 'x', response: { output: 'two' } } }] },
    ] }, '/v1beta/models/g:generateContent'), 3],
  ])('is all of it in a request of the %s API', (_name, request, heard) => {
    expect(request).toMatchObject({ toolResults: 'one\ntwo', heard });
  });
});
