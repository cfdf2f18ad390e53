import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chatWire } from '../../src/gateway/openai-chat.js';
import type { AnswerTurn } from '../../src/gateway/script.js';
import type { ModelRequest, WireIds } from '../../src/gateway/wire.js';
import { chatBody } from './serving.js';

type Loose = Record<string, any>;

function ids(): WireIds {
  let made = 0;
  return { next: (prefix) => `${prefix}_${(made += 1)}`, requestId: 'req_1', createdAt: 1_700_000_000 };
}

function requestOf(fields: object = {}): ModelRequest {
  const request = chatWire.readRequest(chatBody(fields));
  if (typeof request === 'string') throw new Error(request);
  return request;
}

/** The stream as it goes over the wire. */
function streamed(turn: AnswerTurn, fields: object = {}): string {
  const reply = chatWire.answer(requestOf({ stream: true, ...fields }), turn, ids());
  if (typeof reply === 'string' || !('events' in reply)) throw new Error('not streamed');
  expect(reply.framing.contentType).toBe('text/event-stream; charset=utf-8');
  return [...reply.events].map((event, index) => reply.framing.frame(event, index)).join('') + reply.framing.closing;
}

function chunksOf(stream: string): readonly Loose[] {
  const data = stream.split('\n\n').map((frame) => frame.replace(/^data: /, ''));
  expect(data.slice(-2)).toEqual(['[DONE]', '']);
  return data.slice(0, -2).map((text) => JSON.parse(text));
}

function whole(turn: AnswerTurn, fields: object = {}): Loose {
  const reply = chatWire.answer(requestOf(fields), turn, ids());
  if (typeof reply === 'string' || !('json' in reply)) throw new Error('not whole');
  return reply.json;
}

const usage = {
  prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
};
const head = { id: 'chatcmpl_1', created: 1_700_000_000, model: 'gpt-test', service_tier: 'default', system_fingerprint: null };

test('answers whole in the published shape', () => {
  expect(whole({ text: 'Hello!' })).toEqual({
    ...head, object: 'chat.completion', usage,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!', refusal: null, annotations: [] }, logprobs: null, finish_reason: 'stop' }],
  });
});

test('streams thinking, text and calls in the published order', () => {
  const turn = { thinking: 'Hm.', text: 'Let me read the file.', toolCalls: [{ id: 'call_a', name: 'read', input: { path: 'a' } }, { name: 'list', input: {} }] };
  const chunk = (delta: object, finish_reason: string | null = null): object =>
    ({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  expect(chunksOf(streamed(turn))).toEqual([
    chunk({ role: 'assistant', content: '', refusal: null }),
    chunk({ reasoning_content: 'Hm.' }),
    chunk({ content: 'Let me read the ' }),
    chunk({ content: 'file.' }),
    chunk({ tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'read', arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"path":"a"}' } }] }),
    chunk({ tool_calls: [{ index: 1, id: 'call_2', type: 'function', function: { name: 'list', arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 1, function: { arguments: '{}' } }] }),
    chunk({}, 'tool_calls'),
  ]);
});

test('gives usage in a last chunk without choices to those who ask for it', () => {
  const chunks = chunksOf(streamed({ text: 'a' }, { stream_options: { include_usage: true } }));
  expect(chunks.at(-1)).toEqual({ ...head, object: 'chat.completion.chunk', choices: [], usage });
  expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual([null, null, null]);
});

test('reports the whole input with its cached parts inside', () => {
  const turn = { text: 'a', usage: { inputTokens: 100, outputTokens: 30, cacheReadTokens: 600, cacheCreationTokens: 300, reasoningTokens: 20 } };
  expect(whole(turn).usage).toMatchObject({
    prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
    completion_tokens: 30, completion_tokens_details: { reasoning_tokens: 20 }, total_tokens: 1030,
  });
});

test.each([['max_tokens', 'length'], ['refusal', 'content_filter'], ['end_turn', 'stop'], ['tool_use', 'tool_calls']] as const)('stops for %s by the name of %s', (stopReason, word) => {
  expect(whole({ text: 'a', stopReason }).choices[0].finish_reason).toBe(word);
  expect(chunksOf(streamed({ text: 'a', stopReason })).at(-1)!.choices[0].finish_reason).toBe(word);
});

test('streams what it would have answered whole', () => {
  const input = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.parse(JSON.stringify(value)));
  const turns = fc.record({
    thinking: fc.string({ unit: 'binary', minLength: 1 }), text: fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
    toolCalls: fc.array(fc.record({ name: fc.constant('x'), input }), { minLength: 1, maxLength: 3 }),
  });
  fc.assert(
    fc.property(turns, (turn) => {
      const message: Loose = { content: '', reasoning_content: '', tool_calls: [] };
      for (const { delta } of chunksOf(streamed(turn)).map(({ choices }) => choices[0])) {
        message.content += delta.content ?? '';
        message.reasoning_content += delta.reasoning_content ?? '';
        for (const { index, function: called, ...call } of delta.tool_calls ?? []) {
          message.tool_calls[index] ??= { ...call, function: { ...called } };
          if (!('id' in call)) message.tool_calls[index].function.arguments += called.arguments;
        }
      }
      expect(whole(turn).choices[0].message).toMatchObject(message);
    }),
  );
});

test('cannot carry a free-form call', () => {
  expect(chatWire.answer(requestOf(), { toolCalls: [{ name: 'apply_patch', input: 'x' }] }, ids())).toBe(
    'tool call "apply_patch" has a string as input, which a stream of Chat Completions cannot carry. Write an object.',
  );
});

test('fails in the shape of OpenAI', () => {
  expect(chatWire.failure({ status: 429, message: 'Slow down', retryAfterSeconds: 2 }, 'req_1', { final: true })).toEqual({
    status: 429, headers: { 'x-request-id': 'req_1', 'retry-after': '2', 'x-should-retry': 'false' },
    json: { error: { message: 'Slow down', type: 'requests', param: null, code: 'rate_limit_exceeded' } },
  });
});

describe('reading a request', () => {
  test('finds first and last words of the user around a tool loop', () => {
    const request = requestOf({
      messages: [
        { role: 'system', content: 'You help.' }, { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
        { role: 'user', content: 'Context' }, { role: 'user', content: [{ type: 'text', text: 'First' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,' } }] },
        { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'x', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'a', content: 'one' }, { role: 'user', content: 'Second' },
        { role: 'assistant', tool_calls: [] }, { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'two' }] },
      ],
      tools: [{ type: 'function', function: { name: 'read' } }, { type: 'custom', custom: { name: 'patch' } }],
      functions: [{ name: 'old' }],
    });
    expect(request).toMatchObject({
      model: 'gpt-test', stream: false, system: 'You help.\nBe kind.', firstUser: 'Context\nFirst', lastUser: 'Second',
      asked: { kind: 'tool result', text: 'two' }, tools: ['read', 'patch', 'old'], hasImage: true,
    });
  });

  const hostile: readonly unknown[] = [null, 7, [], {}, { model: 'm' }, { model: 'm', messages: [] }, { model: 'm', messages: [3] }, { model: '', messages: [{ role: 'user' }] }];
  test.each(hostile)('explains why %j is none', (body) => {
    expect(chatWire.readRequest(body)).toEqual(expect.any(String));
  });

  test('survives content of any shape', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (content, tools) => {
        const messages = ['system', 'user', 'assistant', 'tool', 'else'].map((role) => ({ role, content }));
        const request = chatWire.readRequest({ model: 'm', stream: true, messages, tools, functions: tools, stream_options: tools });
        if (typeof request === 'string') throw new Error(request);
        expect(chatWire.answer(request, { text: 'a' }, ids())).toMatchObject({ status: 200 });
      }),
    );
  });
});
