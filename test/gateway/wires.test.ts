import { describe, expect, test } from 'vitest';
import { createAnswerReader } from '../../src/gateway/meter/answer-reader.js';
import type { ProtocolName } from '../../src/gateway/protocol.js';
import { chatBody, failureOf, geminiBody, messagesBody, post, responsesBody, serveGateway, TOKEN } from './serving.js';

const GEMINI = '/v1beta/models/gemini-test';
const asGoogle = { headers: { 'x-api-key': '', 'x-goog-api-key': TOKEN } };

/** What a client gets, byte by byte until the connection is closed or cut. */
async function bodyOf(response: Response): Promise<string> {
  let text = '';
  try {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) text += piece;
  } catch {
    text += '<cut>';
  }
  return text;
}

test('plays a turn as chat chunks until it is done', async () => {
  await using gateway = await serveGateway();
  gateway.open({ turns: [{ text: 'Hello.' }] });
  const response = await post(`${gateway.url}/v1/chat/completions`, chatBody({ stream: true }));
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const frames = (await bodyOf(response)).split('\n\n');
  expect(frames.slice(-2)).toEqual(['data: [DONE]', '']);
  expect(frames.slice(0, -2).map((frame) => JSON.parse(frame.replace(/^data: /, '')).choices[0].delta)).toEqual([
    { role: 'assistant', content: '', refusal: null }, { content: 'Hello.' }, {},
  ]);
  expect((await gateway.exchanges(1))[0]).toMatchObject({
    sessionId: 'one', protocol: 'openai-chat', path: '/v1/chat/completions', model: 'gpt-test', outcome: 'played', usage: { inputTokens: 10, outputTokens: 5 },
  });
});

test.each([
  ['a header', `${GEMINI}:streamGenerateContent?alt=sse`, asGoogle],
  ['the query', `${GEMINI}:streamGenerateContent?key=${TOKEN}&alt=sse`, { headers: { 'x-api-key': '' } }],
])('plays a turn as Gemini chunks to those who show their token in %s', async (_, path, init) => {
  await using gateway = await serveGateway();
  gateway.open({ turns: [{ text: 'Hello.' }] });
  const response = await post(gateway.url + path, geminiBody(), init);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const body = await bodyOf(response);
  expect(JSON.parse(body.replace(/^data: /, '')).candidates[0].content.parts).toEqual([{ text: 'Hello.' }]);
  const exchanges = await gateway.exchanges(1);
  expect(exchanges[0]).toMatchObject({ sessionId: 'one', protocol: 'gemini', path: `${GEMINI}:streamGenerateContent`, model: 'gemini-test', outcome: 'played' });
  expect(JSON.stringify(exchanges)).not.toContain(TOKEN);
});

test('plays a turn as a Gemini array and as one answer', async () => {
  await using gateway = await serveGateway();
  gateway.open({ turns: [{ text: 'A text that is long enough for some pieces.', repeat: 2 }] });
  const array = await post(`${gateway.url}${GEMINI}:streamGenerateContent`, geminiBody(), asGoogle);
  expect(array.headers.get('content-type')).toBe('application/json; charset=UTF-8');
  const chunks = (await array.json()) as { candidates: { content: { parts: { text: string }[] } }[] }[];
  expect(chunks.map(({ candidates }) => candidates[0]!.content.parts[0]!.text)).toEqual(['A text that is l', 'ong enough for s', 'ome pieces.']);
  const whole = await post(`${gateway.url}${GEMINI}:generateContent`, geminiBody(), asGoogle);
  expect(await whole.json()).toMatchObject({ candidates: [{ content: { parts: [{ text: 'A text that is long enough for some pieces.' }] }, finishReason: 'STOP' }] });
});

test.each([
  ['chat, in the middle', '/v1/chat/completions', chatBody({ stream: true }), 1, /"content":""[^\n]*\n\n<cut>$/],
  ['chat, before it says that it is done', '/v1/chat/completions', chatBody({ stream: true }), 3, /"finish_reason":"stop"}\]}\n\n<cut>$/],
  ['a Gemini array, before it is closed', `${GEMINI}:streamGenerateContent`, geminiBody(), 1, /^\[\{[^]*\}<cut>$/],
])('cuts %s', async (_, path, body, cutAfterEvents, ending) => {
  await using gateway = await serveGateway();
  gateway.open({ turns: [{ text: 'Hello.', cutAfterEvents }] });
  expect(await bodyOf(await post(gateway.url + path, body))).toMatch(ending);
});

test.each([
  ['POST', `${GEMINI}:countTokens`, { totalTokens: 16 }],
  ['POST', '/v1/responses/input_tokens', { object: 'response.input_tokens', input_tokens: 16 }],
  ['GET', '/v1beta/models', { models: [] }],
  ['GET', '/v1beta/models/gemini-test', { name: 'models/gemini-test', displayName: 'gemini-test', supportedGenerationMethods: ['generateContent', 'countTokens'] }],
  ['GET', '/v1/models/claude-test', { type: 'model', id: 'claude-test', display_name: 'claude-test', created_at: '1970-01-01T00:00:00Z' }],
  ['HEAD', '/v1/chat/completions', undefined],
])('%s %s is answered and takes no turn', async (method, path, answer) => {
  await using gateway = await serveGateway();
  gateway.open({ turns: [{ text: 'Hello.' }] });
  const response = await fetch(gateway.url + path, { method, headers: { 'x-api-key': TOKEN }, ...(method === 'POST' && { body: JSON.stringify(geminiBody()) }) });
  expect([response.status, answer && (await response.json())]).toEqual([200, answer]);
  expect((await gateway.exchanges(1))[0]).toMatchObject({ sessionId: 'one', path, outcome: 'side' });
  expect((await gateway.sessions.close('one')).lanes).toEqual([{ lane: 'main', played: 0, total: 1 }]);
});

test('a script embeds nothing', async () => {
  await using gateway = await serveGateway();
  gateway.open({ turns: [{ text: 'Hello.' }] });
  const response = await post(`${gateway.url}/v1/embeddings`, { model: 'm', input: 'a' });
  expect([response.status, await failureOf(response)]).toEqual([404, 'Nothing is served at POST /v1/embeddings.']);
});

test.each([[`${GEMINI}:generateContent?key=wrong`, geminiBody()], ['/v1/chat/completions', chatBody()]])('refuses an unknown token at %s, in the shape of the vendor', async (path, body) => {
  await using gateway = await serveGateway();
  gateway.open({ turns: [{ text: 'Hello.' }] });
  const response = await post(gateway.url + path, body, { headers: { 'x-api-key': 'wrong' } });
  expect([response.status, await failureOf(response)]).toEqual([401, 'The API key is not the token of an open session.']);
  expect(JSON.stringify(await gateway.exchanges(1))).not.toContain('wrong');
});

const usage = { inputTokens: 100, outputTokens: 30, cacheReadTokens: 600, cacheCreationTokens: 300, reasoningTokens: 20 };

describe.each([
  ['anthropic-messages', '/v1/messages', messagesBody(), messagesBody({ stream: true }), '/v1/messages', { reasoningTokens: undefined }, 'tool_use'],
  ['openai-responses', '/v1/responses', responsesBody(), responsesBody({ stream: true }), '/v1/responses', {}, 'completed'],
  ['openai-chat', '/v1/chat/completions', chatBody(), chatBody({ stream: true, stream_options: { include_usage: true } }), '/v1/chat/completions', {}, 'tool_calls'],
  ['gemini', `${GEMINI}:generateContent`, geminiBody(), geminiBody(), `${GEMINI}:streamGenerateContent?alt=sse`, { inputTokens: 400, cacheCreationTokens: undefined }, 'STOP'],
  ['gemini', `${GEMINI}:generateContent`, geminiBody(), geminiBody(), `${GEMINI}:streamGenerateContent`, { inputTokens: 400, cacheCreationTokens: undefined }, 'STOP'],
] as const)('the meter of %s', (protocol: ProtocolName, wholePath, wholeBody, streamBody, streamPath, told, stopReason) => {
  test.each([['whole', wholePath, wholeBody], ['streamed', streamPath, streamBody]])('reads what a script plays, %s', async (_, path, body) => {
    await using gateway = await serveGateway();
    gateway.open({ turns: [{ thinking: 'Hm.', text: 'Hello "world".', toolCalls: [{ name: 'ls', input: { a: ['}'] } }], usage }] });
    const response = await post(gateway.url + path, body);
    const reader = createAnswerReader(protocol, { contentType: response.headers.get('content-type')! });
    for await (const chunk of response.body!) reader.write(chunk);
    expect(reader.facts).toEqual({
      model: expect.stringMatching(/-test$/), messageId: expect.stringMatching(/_lane1t1_1$/), usage: { ...usage, ...told }, stopReason, complete: true,
    });
    expect(reader.end()).toEqual(reader.facts);
  });

  test('reads a failure', async () => {
    await using gateway = await serveGateway();
    gateway.open({ turns: [{ error: { status: 429, message: 'Slow down' } }] });
    const response = await post(gateway.url + streamPath, streamBody);
    const reader = createAnswerReader(protocol, { contentType: response.headers.get('content-type')! });
    for await (const chunk of response.body!) reader.write(chunk);
    expect(reader.end()).toEqual({ error: { type: expect.stringMatching(/rate_limit_error|requests|RESOURCE_EXHAUSTED/), message: 'Slow down' }, complete: true });
  });
});
