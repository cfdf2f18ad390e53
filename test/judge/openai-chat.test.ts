import { expect, test } from 'vitest';
import { completion, KEY, material, messagesOf, openaiUsage, question, serveEndpoint, type Step, toolCall, verdict, verdictSchema } from './endpoint.js';

const usage = { inputTokens: 70, outputTokens: 20, cacheReadTokens: 30, reasoningTokens: 5, requests: 1 };
const good = '{"rationale": "So.", "choice": "Y"}';

test('asks for an answer of a strict form, with the key in a header only', async () => {
  await using endpoint = await serveEndpoint('openai', verdict('openai', 'Y', 'So.'));
  expect(await endpoint.judge().ask(question, material)).toEqual({
    status: 'measured', score: 1, choice: 'Y', rationale: 'So.', model: 'judge-model', usage, tries: 1,
  });
  const [request] = endpoint.requests;
  expect(request).toMatchObject({ method: 'POST', path: '/chat/completions', headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' } });
  expect({ ...request?.body, messages: undefined }).toEqual({
    model: 'judge-model', stream: false, response_format: { type: 'json_schema', json_schema: { name: 'verdict', strict: true, schema: verdictSchema } },
  });
  expect(Object.keys(verdictSchema.properties)).toEqual(['rationale', 'choice']);
});

const refusal = (text: string, status = 400): Step => ({ status, json: { error: { message: text, type: 'invalid_request_error' } } });

test('asks by a tool, then by words alone, where a server refuses the better form, and remembers it', async () => {
  await using endpoint = await serveEndpoint(
    'openai',
    refusal("'response_format.type' must be 'text'"), completion({ tool_calls: [toolCall(good)] }, { finish: 'tool_calls' }),
    refusal('tool_choice is not supported', 422), completion({ content: good }),
  );
  const judge = endpoint.judge();
  const first = await judge.ask(question, material);
  const second = await judge.ask(question, material);
  const third = await judge.ask(question, material);
  expect([first, second, third].map(({ status, tries, usage: { requests } }) => ({ status, tries, requests }))).toEqual([
    { status: 'measured', tries: 2, requests: 2 }, { status: 'measured', tries: 2, requests: 2 }, { status: 'measured', tries: 1, requests: 1 },
  ]);
  expect(endpoint.requests.map(({ body }) => Object.keys(body).filter((key) => !['model', 'messages', 'stream'].includes(key)))).toEqual([
    ['response_format'], ['tools', 'tool_choice'], ['tools', 'tool_choice'], [], [],
  ]);
  expect(endpoint.requests[1]?.body).toMatchObject({
    tools: [{ type: 'function', function: { name: 'give_verdict', parameters: verdictSchema } }],
    tool_choice: { type: 'function', function: { name: 'give_verdict' } },
  });
  expect(new Set(endpoint.requests.map((request) => JSON.stringify(messagesOf(request)))).size).toBe(1);
});

test('counts a change of the form as none of the three tries', async () => {
  const down: Step = { status: 500, json: {} };
  await using endpoint = await serveEndpoint('openai', down, refusal('response_format is not supported'), down, completion({ tool_calls: [toolCall(good)] }));
  expect(await endpoint.judge().ask(question, material)).toMatchObject({ status: 'measured', tries: 4, usage: { requests: 4 } });
});

test('takes no other refusal for one of the form', async () => {
  await using endpoint = await serveEndpoint('openai', refusal('maximum context length exceeded'));
  expect(await endpoint.judge().ask(question, material)).toMatchObject({ status: 'unavailable', code: 'judge-call-failed', tries: 1 });
  expect(endpoint.requests).toHaveLength(1);
});

test.each<[string, Step]>([
  ['a JSON object', completion({ content: good })],
  ['a JSON object with space around it', completion({ content: `\n ${good}\n` })],
  ['a fenced block', completion({ content: `\`\`\`json\n${good}\n\`\`\`` })],
  ['a fenced block without a language', completion({ content: `\`\`\`\n${good}\n\`\`\`` })],
  ['a member that was not asked for', completion({ content: '{"rationale": "So.", "choice": "Y", "confidence": 1}' })],
  ['a choice with space around it', completion({ content: '{"rationale": "So.", "choice": " Y "}' })],
  ['a message with as little around it as can be', { json: { choices: [{ message: { content: good } }] } }],
  ['a call of the tool', completion({ content: 'Let me see.', tool_calls: [toolCall(good)] })],
])('reads %s', async (_title, step) => {
  await using endpoint = await serveEndpoint('openai', step);
  expect(await endpoint.judge().ask(question, material)).toMatchObject({ status: 'measured', choice: 'Y', rationale: 'So.', tries: 1 });
});

const says = (text: string): string => `The judge "judge-model" cannot be understood: ${text}.`;

test.each<[string, Step, string]>([
  ['prose', completion({ content: 'Y, it is polite.' }), says('the answer is not JSON')],
  ['a fenced block in prose, which may be a quote', completion({ content: `It says\n\`\`\`json\n${good}\n\`\`\`\nbut no.` }), says('the answer is not JSON')],
  ['two fenced blocks', completion({ content: `\`\`\`json\n${good}\n\`\`\`\n\`\`\`json\n${good}\n\`\`\`` }), says('the answer is not JSON')],
  ['two objects', completion({ content: `${good}\n${good}` }), says('the answer is not JSON')],
  ['two choices in one object', completion({ content: '{"rationale": "So.", "choice": "N", "choice": "Y"}' }), says('the answer has more than one `choice`')],
  ['a list', completion({ content: `[${good}]` }), says('the answer is no JSON object')],
  ['an unknown choice', completion({ content: '{"rationale": "So.", "choice": "Maybe"}' }), says('its choice is none of "Y", "N": "Maybe"')],
  ['a choice in other letters', completion({ content: '{"rationale": "So.", "choice": "y"}' }), says('its choice is none of "Y", "N": "y"')],
  ['a choice of another kind', completion({ content: '{"rationale": "So.", "choice": true}' }), says('the answer lacks a `rationale` or a `choice` that is text')],
  ['no rationale', completion({ content: '{"choice": "Y"}' }), says('the answer lacks a `rationale` or a `choice` that is text')],
  ['nothing', completion({ content: null }), says('the answer is empty')],
  ['an answer that was cut off', completion({ content: good }, { finish: 'length' }), says('the answer was cut off at the limit of tokens')],
  ['two tool calls', completion({ tool_calls: [toolCall(good), toolCall(good)] }), says('it must call give_verdict once, and called give_verdict, give_verdict')],
  ['another tool', completion({ tool_calls: [toolCall(good, 'run')] }), says('it must call give_verdict once, and called run')],
  ['arguments that are no JSON', completion({ tool_calls: [toolCall('{')] }), says('the arguments of the tool call are not JSON')],
  ['no choices of the protocol', { json: { choices: [] } }, says('it is no chat completion with a message')],
  ['an error with status 200', { json: { error: { message: 'upstream is gone' } } }, says('it is no chat completion with a message (it says: upstream is gone)')],
])('cannot read %s, and asks once more', async (_title, step, reason) => {
  await using endpoint = await serveEndpoint('openai', step);
  expect(await endpoint.judge().ask(question, material)).toMatchObject({ status: 'unavailable', code: 'judge-answer-unreadable', reason, tries: 2, usage: { requests: 2 } });
});

test('says so when the answer is no JSON at all', async () => {
  await using endpoint = await serveEndpoint('openai', { text: '<html>Please log in</html>' });
  expect(await endpoint.judge().ask(question, material)).toEqual({
    status: 'unavailable', code: 'judge-answer-unreadable', tries: 2, usage: { requests: 2 },
    reason: says(`${endpoint.url}/chat/completions answered with something that is not JSON`),
  });
});

test.each<[string, Step, string]>([
  ['the model', completion({ refusal: 'I will not.' }), 'The judge "judge-model" refused to judge: I will not.'],
  ['a filter', completion({ content: '' }, { finish: 'content_filter' }), 'The judge "judge-model" refused to judge: a content filter of the endpoint stopped the answer.'],
])('takes a refusal of %s for one, and does not insist', async (_title, step, reason) => {
  await using endpoint = await serveEndpoint('openai', step);
  expect(await endpoint.judge().ask(question, material)).toEqual({ status: 'unavailable', code: 'judge-refused', reason, tries: 1, usage });
});

test.each<[string, object | null, object]>([
  ['all buckets', openaiUsage, usage],
  ['no details', { prompt_tokens: 9, completion_tokens: 1 }, { inputTokens: 9, outputTokens: 1, requests: 1 }],
  ['details that are null', { prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: null, completion_tokens_details: null }, { inputTokens: 9, outputTokens: 1, requests: 1 }],
  ['more from the cache than there was', { prompt_tokens: 9, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 10 } }, { inputTokens: 0, outputTokens: 0, cacheReadTokens: 10, requests: 1 }],
  ['counts that are none', { prompt_tokens: -1, completion_tokens: '7' }, { requests: 1 }],
  ['nothing', null, { requests: 1 }],
])('counts usage: %s', async (_title, told, expected) => {
  await using endpoint = await serveEndpoint('openai', completion({ content: good }, { usage: told }));
  expect((await endpoint.judge().ask(question, material)).usage).toEqual(expected);
});

test('tells the name of the model that answered when it is another', async () => {
  await using endpoint = await serveEndpoint('openai', completion({ content: good }, { model: 'judge-model-2026-01-01' }));
  expect(await endpoint.judge().ask(question, material)).toMatchObject({ model: 'judge-model', reportedModel: 'judge-model-2026-01-01' });
});
