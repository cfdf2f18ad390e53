import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anthropicWire } from '../../src/gateway/anthropic.js';
import type { AnswerTurn } from '../../src/gateway/script.js';
import type { ModelRequest, WireEvent, WireIds } from '../../src/gateway/wire.js';
import { messagesBody } from './serving.js';

function ids(): WireIds {
  let made = 0;
  return { next: (prefix) => `${prefix}_${(made += 1)}`, requestId: 'req_1', createdAt: 1_700_000_000 };
}

function requestOf(fields: object = {}): ModelRequest {
  const request = anthropicWire.readRequest(messagesBody(fields));
  if (typeof request === 'string') throw new Error(request);
  return request;
}

function streamed(turn: AnswerTurn): readonly WireEvent[] {
  const reply = anthropicWire.answer(requestOf({ stream: true }), turn, ids());
  if (typeof reply === 'string' || !('events' in reply)) throw new Error('not streamed');
  return [...reply.events];
}

function whole(turn: AnswerTurn): unknown {
  const reply = anthropicWire.answer(requestOf(), turn, ids());
  if (typeof reply === 'string' || !('json' in reply)) throw new Error('not whole');
  return reply.json;
}

const usage = {
  input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 }, output_tokens: 5, service_tier: 'standard',
};
const envelope = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test', stop_sequence: null };

test('streams thinking, text and a tool call in the published order', () => {
  const events = streamed({ thinking: 'Hm.', text: 'Let me read the whole file.', toolCalls: [{ id: 'toolu_a', name: 'Read', input: { path: '/a' } }] });
  expect(events).toEqual([
    { type: 'message_start', message: { ...envelope, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2NyaXB0ZWQ=' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Let me read the ' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'whole file.' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'toolu_a', name: 'Read', input: {} } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"path":"/a"}' } },
    { type: 'content_block_stop', index: 2 },
    {
      type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 },
    },
    { type: 'message_stop' },
  ]);
});

test('streams an empty answer without content blocks', () => {
  expect(streamed({ text: '' }).map(({ type }) => type)).toEqual(['message_start', 'ping', 'message_delta', 'message_stop']);
});

test('answers whole when the client does not stream', () => {
  const turn = { text: 'Done.', usage: { inputTokens: 3, outputTokens: 4, cacheReadTokens: 5, cacheCreationTokens: 6 } };
  expect(whole(turn)).toEqual({
    ...envelope,
    content: [{ type: 'text', text: 'Done.' }],
    stop_reason: 'end_turn',
    usage: {
      input_tokens: 3, cache_creation_input_tokens: 6, cache_read_input_tokens: 5,
      cache_creation: { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 0 }, output_tokens: 4, service_tier: 'standard',
    },
  });
});

test('streams what it would have answered whole', () => {
  const call = fc.record({ name: fc.constant('Edit'), input: fc.dictionary(fc.string(), fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)))) });
  const turns = fc.record({ thinking: fc.string({ unit: 'binary' }), text: fc.string({ unit: 'binary', maxLength: 300 }), toolCalls: fc.array(call, { maxLength: 3 }) });
  fc.assert(
    fc.property(turns, (turn) => {
      expect(folded(streamed(turn))).toEqual(whole(turn));
    }),
  );
});

test('refuses a free-form tool call', () => {
  const turn = { toolCalls: [{ name: 'apply_patch', input: '*** Begin Patch' }] };
  expect(anthropicWire.answer(requestOf(), turn, ids())).toBe(
    'tool call "apply_patch" has a string as input, which the Messages API cannot carry. Write an object.',
  );
});

describe('a failure', () => {
  const cases: readonly [status: number, type: string][] = [
    [400, 'invalid_request_error'], [401, 'authentication_error'], [403, 'permission_error'], [404, 'not_found_error'], [413, 'request_too_large'],
    [429, 'rate_limit_error'], [500, 'api_error'], [503, 'api_error'], [529, 'overloaded_error'],
  ];
  test.each(cases)('of status %d is a %s', (status, type) => {
    expect(anthropicWire.failure({ status }, 'req_1')).toEqual({
      status, headers: { 'request-id': 'req_1' }, json: { type: 'error', error: { type, message: type }, request_id: 'req_1' },
    });
  });

  test('says when to try again, or not to', () => {
    const error = { status: 429, type: 'quota', message: 'Slow down', retryAfterSeconds: 2 };
    expect(anthropicWire.failure(error, 'req_1', { final: true })).toEqual({
      status: 429,
      headers: { 'request-id': 'req_1', 'retry-after': '2', 'x-should-retry': 'false' },
      json: { type: 'error', error: { type: 'quota', message: 'Slow down' }, request_id: 'req_1' },
    });
  });
});

describe('reading a request', () => {
  test('finds first and last words of the user around a tool loop', () => {
    const { firstUser, lastUser, asked, system, tools } = requestOf({
      system: [{ type: 'text', text: 'You help.' }],
      tools: [{ name: 'Bash' }, { type: 'web_search_20250305', name: 'web_search' }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: '<system-reminder>x</system-reminder>' }, { type: 'text', text: 'First' }] },
        { role: 'system', content: 'Be kind.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] },
        { role: 'user', content: 'Second' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'u', name: 'Bash', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'u', content: [{ type: 'text', text: 'ok 1' }] }, { type: 'text', text: '<system-reminder>y</system-reminder>' }] },
      ],
    });
    expect({ firstUser, lastUser, asked, system, tools }).toEqual({
      firstUser: '<system-reminder>x</system-reminder>\nFirst', lastUser: 'Second', asked: { kind: 'tool result', text: 'ok 1' },
      system: 'You help.\nBe kind.', tools: ['Bash', 'web_search'],
    });
  });

  const hostile: readonly unknown[] = [null, 7, [], {}, { model: 'm' }, { model: '', messages: [{ role: 'user' }] }, { model: 'm', messages: [] }, { model: 'm', messages: [3] }];
  test.each(hostile)('explains why %j is none', (body) => {
    expect(anthropicWire.readRequest(body)).toEqual(expect.any(String));
  });

  test('survives content of any shape', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (content, system, tools) => {
        expect(anthropicWire.readRequest({ model: 'm', messages: [{ role: 'user', content }, { role: 'system', content }], system, tools })).toEqual(expect.objectContaining({ model: 'm' }));
      }),
    );
  });
});

describe('a request of the client\'s own', () => {
  const system = [{ type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.197; cc_entrypoint=sdk-cli;' }];
  const schema = { type: 'object', properties: { title: { type: 'string' }, level: { enum: ['low', 'high'] }, tags: { type: 'array' } }, required: ['title'] };

  test('gets JSON when it demands JSON', () => {
    const { side } = requestOf({ system, thinking: { type: 'disabled' }, output_config: { format: { type: 'json_schema', schema } } });
    expect(side?.answer.text).toBe('{"title":"Scripted","level":"low","tags":[]}');
  });

  test.each([
    ['a title', { system, thinking: { type: 'disabled' } }, true],
    ['a quota probe', { max_tokens: 1 }, true],
    ['a web search', { system, tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, true],
    ['a compaction', { system, tools: [{ name: 'Bash' }], messages: [{ role: 'user', content: 'Your task is to create a detailed summary of the conversation' }] }, true],
    ['the conversation', { system, tools: [{ name: 'Bash' }], thinking: { type: 'adaptive' } }, false],
    ['the conversation without tools', { system, thinking: { type: 'adaptive' }, context_management: { edits: [] } }, false],
    ['another client without tools', {}, false],
  ])('is told from the conversation: %s', (_, fields, isSide) => {
    expect(requestOf(fields).side !== undefined).toBe(isSide);
  });
});

/** Puts events together as a client does. */
function folded(events: readonly WireEvent[]): unknown {
  const message = structuredClone(events[0]!.message) as Record<string, unknown> & { usage: object };
  const blocks: Record<string, string | object>[] = [];
  for (const event of events) {
    if (event.type === 'content_block_start') blocks.push({ ...(event.content_block as object), json: '' });
    if (event.type === 'content_block_delta') {
      const block = blocks[event.index as number]!;
      const { type: _, partial_json, ...rest } = event.delta as Record<string, string>;
      if (partial_json !== undefined) block.json = `${block.json as string}${partial_json}`;
      for (const [key, piece] of Object.entries(rest)) block[key] = `${block[key] as string}${piece}`;
    }
    if (event.type === 'message_delta') Object.assign(message, event.delta, { usage: { ...message.usage, ...(event.usage as object) } });
  }
  const content = blocks.map(({ json, ...block }) => (block.type === 'tool_use' ? { ...block, input: JSON.parse(json as string) } : block));
  return { ...message, content };
}
