import { expect, test } from 'vitest';
import { anthropicUsage, KEY, material, message, question, serveEndpoint, type Step, toolUse, verdict, verdictSchema } from './endpoint.js';

const good = { rationale: 'So.', choice: 'Y' };
const usage = { inputTokens: 70, outputTokens: 20, cacheReadTokens: 30, cacheCreationTokens: 4, requests: 1 };

test('forces one call of the tool, with the key in a header only', async () => {
  await using endpoint = await serveEndpoint('anthropic', verdict('anthropic', 'Y', 'So.'));
  expect(await endpoint.judge().ask(question, material)).toEqual({
    status: 'measured', score: 1, choice: 'Y', rationale: 'So.', model: 'judge-model', usage, tries: 1,
  });
  const [request] = endpoint.requests;
  expect(request).toMatchObject({ method: 'POST', path: '/v1/messages', headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' } });
  expect({ ...request?.body, messages: undefined, system: undefined }).toEqual({
    model: 'judge-model',
    max_tokens: 4096,
    stream: false,
    tools: [{
      name: 'give_verdict',
      description: 'Gives the verdict.',
      input_schema: verdictSchema,
    }],
    tool_choice: { type: 'tool', name: 'give_verdict', disable_parallel_tool_use: true },
  });
});

test('asks by words alone where a tool cannot be forced', async () => {
  await using endpoint = await serveEndpoint(
    'anthropic',
    { status: 400, json: { type: 'error', error: { type: 'invalid_request_error', message: 'tool_choice: this model does not support forced tool use' } } },
    message([{ type: 'text', text: JSON.stringify(good) }], { stop: 'end_turn' }),
  );
  expect(await endpoint.judge().ask(question, material)).toMatchObject({ status: 'measured', choice: 'Y', tries: 2, usage: { ...usage, requests: 2 } });
  expect(Object.keys(endpoint.requests[1]?.body ?? {})).toEqual(['model', 'max_tokens', 'system', 'messages', 'stream']);
});

test.each<[string, Step]>([
  ['a call after words', message([{ type: 'text', text: 'Let me see.' }, toolUse(good)])],
  ['a message with as little around it as can be', { json: { content: [{ type: 'tool_use', name: 'give_verdict', input: good }] } }],
  ['a call after thoughts', message([{ type: 'thinking', thinking: 'Hm.', signature: 'x' }, toolUse(good)])],
  ['JSON in place of a call', message([{ type: 'text', text: JSON.stringify(good) }], { stop: 'end_turn' })],
])('reads %s', async (_title, step) => {
  await using endpoint = await serveEndpoint('anthropic', step);
  expect(await endpoint.judge().ask(question, material)).toMatchObject({ status: 'measured', choice: 'Y', rationale: 'So.', tries: 1 });
});

const says = (text: string): string => `The judge "judge-model" cannot be understood: ${text}.`;

test.each<[string, Step, string]>([
  ['prose', message([{ type: 'text', text: 'Yes.' }], { stop: 'end_turn' }), says('the answer is not JSON')],
  ['no content', message([], { stop: 'end_turn' }), says('the answer is empty')],
  ['two calls', message([toolUse(good), toolUse({ ...good, choice: 'N' })]), says('it called 2 tools, and only one answer counts')],
  ['another tool', message([toolUse(good, 'run')]), says('it called a tool that it does not have')],
  ['an unknown choice', message([toolUse({ ...good, choice: 'A' })]), says('its choice is none of "Y", "N": "A"')],
  ['a call without an input', message([{ type: 'tool_use', name: 'give_verdict' }]), says('the answer is no JSON object')],
  ['no choice', message([toolUse({ rationale: 'So.' })]), says('the answer lacks a `rationale` or a `choice` that is text')],
  ['an input that is no object', message([toolUse('Y')]), says('the answer is no JSON object')],
  ['an answer that was cut off', message([toolUse(good)], { stop: 'max_tokens' }), says('the answer was cut off at the limit of tokens')],
  ['another kind of answer', { json: { type: 'message' } }, says('it is no message with content')],
])('cannot read %s, and asks once more', async (_title, step, reason) => {
  await using endpoint = await serveEndpoint('anthropic', step);
  expect(await endpoint.judge().ask(question, material)).toMatchObject({ status: 'unavailable', code: 'judge-answer-unreadable', reason, tries: 2, usage: { requests: 2 } });
});

test('takes a refusal for one, and does not insist', async () => {
  await using endpoint = await serveEndpoint('anthropic', message([], { stop: 'refusal' }));
  expect(await endpoint.judge().ask(question, material)).toEqual({
    status: 'unavailable', code: 'judge-refused', reason: 'The judge "judge-model" refused to judge: the model stopped with a refusal.', tries: 1, usage,
  });
});

test.each<[string, object | null, object]>([
  ['all buckets', anthropicUsage, usage],
  ['caches that are null', { input_tokens: 9, output_tokens: 1, cache_read_input_tokens: null, cache_creation_input_tokens: null }, { inputTokens: 9, outputTokens: 1, requests: 1 }],
  ['nothing', null, { requests: 1 }],
])('counts usage: %s', async (_title, told, expected) => {
  await using endpoint = await serveEndpoint('anthropic', message([toolUse(good)], { usage: told }));
  expect((await endpoint.judge().ask(question, material)).usage).toEqual(expected);
});
