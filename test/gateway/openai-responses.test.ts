import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openaiWire } from '../../src/gateway/openai-responses.js';
import type { AnswerTurn } from '../../src/gateway/script.js';
import type { ModelRequest, WireEvent, WireIds } from '../../src/gateway/wire.js';
import { responsesBody } from './serving.js';

function ids(): WireIds {
  let made = 0;
  return { next: (prefix) => `${prefix}_${(made += 1)}`, requestId: 'req_1', createdAt: 1_700_000_000 };
}

function requestOf(fields: object = {}): ModelRequest {
  const request = openaiWire.readRequest(responsesBody(fields));
  if (typeof request === 'string') throw new Error(request);
  return request;
}

function streamed(turn: AnswerTurn, fields: object = {}): readonly WireEvent[] {
  const reply = openaiWire.answer(requestOf({ stream: true, ...fields }), turn, ids());
  if (typeof reply === 'string' || !('events' in reply)) throw new Error('not streamed');
  return [...reply.events];
}

function whole(turn: AnswerTurn, fields: object = {}): Record<string, unknown> {
  const reply = openaiWire.answer(requestOf(fields), turn, ids());
  if (typeof reply === 'string' || !('json' in reply)) throw new Error('not whole');
  return reply.json;
}

const started = {
  id: 'resp_1', object: 'response', created_at: 1_700_000_000, status: 'in_progress', background: false, error: null, incomplete_details: null,
  instructions: null, max_output_tokens: null, model: 'gpt-test', output: [], parallel_tool_calls: true, previous_response_id: null,
  reasoning: { effort: null, summary: null }, store: true, temperature: 1, text: { format: { type: 'text' } }, tool_choice: 'auto', tools: [],
  top_p: 1, truncation: 'disabled', usage: null, user: null, metadata: {},
};
const usage = {
  input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, output_tokens: 5, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15,
};

test('streams a message in the published order', () => {
  const part = { type: 'output_text', text: 'Let me read the file.', annotations: [], logprobs: [] };
  const item = { type: 'message', id: 'msg_2', status: 'completed', role: 'assistant', phase: 'final_answer', content: [part] };
  const at = { item_id: 'msg_2', output_index: 0, content_index: 0 };
  expect(streamed({ text: 'Let me read the file.' })).toEqual([
    { type: 'response.created', sequence_number: 0, response: started },
    { type: 'response.in_progress', sequence_number: 1, response: started },
    { type: 'response.output_item.added', sequence_number: 2, output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', sequence_number: 3, ...at, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', sequence_number: 4, ...at, delta: 'Let me read the ', logprobs: [] },
    { type: 'response.output_text.delta', sequence_number: 5, ...at, delta: 'file.', logprobs: [] },
    { type: 'response.output_text.done', sequence_number: 6, ...at, text: 'Let me read the file.', logprobs: [] },
    { type: 'response.content_part.done', sequence_number: 7, ...at, part },
    { type: 'response.output_item.done', sequence_number: 8, output_index: 0, item },
    { type: 'response.completed', sequence_number: 9, response: { ...started, status: 'completed', output: [item], usage } },
  ]);
});

test('streams reasoning, a function call and a free-form call in the published order', () => {
  const turn = { thinking: 'Hm.', toolCalls: [{ id: 'call_a', name: 'exec_command', input: { cmd: 'ls' } }, { name: 'apply_patch', input: '*** Begin' }] };
  const events = streamed(turn, { include: ['reasoning.encrypted_content'] });
  const part = { type: 'summary_text', text: 'Hm.' };
  const reasoning = { type: 'reasoning', id: 'rs_2', summary: [part], encrypted_content: 'c2NyaXB0ZWQ=' };
  const call = { type: 'function_call', id: 'fc_3', status: 'completed', call_id: 'call_a', name: 'exec_command', arguments: '{"cmd":"ls"}' };
  const patch = { type: 'custom_tool_call', id: 'ctc_5', status: 'completed', call_id: 'call_4', name: 'apply_patch', input: '*** Begin' };
  const summary = { item_id: 'rs_2', output_index: 0, summary_index: 0 };
  expect(events.slice(2, -1).map(({ sequence_number: _, ...event }) => event)).toEqual([
    { type: 'response.output_item.added', output_index: 0, item: { ...reasoning, summary: [] } },
    { type: 'response.reasoning_summary_part.added', ...summary, part: { ...part, text: '' } },
    { type: 'response.reasoning_summary_text.delta', ...summary, delta: 'Hm.' },
    { type: 'response.reasoning_summary_text.done', ...summary, text: 'Hm.' },
    { type: 'response.reasoning_summary_part.done', ...summary, part },
    { type: 'response.output_item.done', output_index: 0, item: reasoning },
    { type: 'response.output_item.added', output_index: 1, item: { ...call, status: 'in_progress', arguments: '' } },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_3', output_index: 1, delta: '{"cmd":"ls"}' },
    { type: 'response.function_call_arguments.done', item_id: 'fc_3', output_index: 1, arguments: '{"cmd":"ls"}' },
    { type: 'response.output_item.done', output_index: 1, item: call },
    { type: 'response.output_item.added', output_index: 2, item: { ...patch, status: 'in_progress', input: '' } },
    { type: 'response.custom_tool_call_input.delta', item_id: 'ctc_5', output_index: 2, delta: '*** Begin' },
    { type: 'response.custom_tool_call_input.done', item_id: 'ctc_5', output_index: 2, input: '*** Begin' },
    { type: 'response.output_item.done', output_index: 2, item: patch },
  ]);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
});

test('reports the whole input with its cached parts inside', () => {
  const turn = { text: 'a', usage: { inputTokens: 100, outputTokens: 30, cacheReadTokens: 600, cacheCreationTokens: 300, reasoningTokens: 20 } };
  expect(whole(turn).usage).toEqual({
    input_tokens: 1000, input_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
    output_tokens: 30, output_tokens_details: { reasoning_tokens: 20 }, total_tokens: 1030,
  });
});

test.each([
  ['max_tokens', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
  ['refusal', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
  ['end_turn', { status: 'completed', incomplete_details: null }],
] as const)('ends with what %s means', (stopReason, ending) => {
  const last = streamed({ text: 'a', stopReason }).at(-1)!;
  expect(last).toMatchObject({ type: `response.${ending.status}`, response: ending });
  expect(whole({ text: 'a', stopReason })).toEqual(last.response);
});

test('streams what it would have answered whole', () => {
  const input = fc.oneof(fc.string({ unit: 'binary' }), fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.parse(JSON.stringify(value))));
  const turns = fc.record({
    thinking: fc.string({ unit: 'binary' }), text: fc.string({ unit: 'binary', maxLength: 300 }),
    toolCalls: fc.array(fc.record({ name: fc.constant('x'), input }), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(turns, (turn) => {
      const events = streamed(turn);
      expect(events.at(-1)!.response).toEqual(whole(turn));
      expect(events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)).toEqual(whole(turn).output);
      for (const done of events.filter(({ type }) => /(text|arguments|input)\.done$/.test(type))) {
        const pieces = events.filter(({ type, item_id }) => type === done.type.replace(/done$/, 'delta') && item_id === done.item_id);
        expect(pieces.map(({ delta }) => delta).join('')).toBe(done.text ?? done.arguments ?? done.input);
      }
    }),
  );
});

describe('a call of a tool in a namespace', () => {
  const namespaces = [
    { type: 'namespace', name: 'mcp__one', tools: [{ type: 'function', name: 'echo' }, { type: 'function', name: 'both' }] },
    { type: 'namespace', name: 'mcp__two', tools: [{ type: 'function', name: 'both' }] },
  ];
  const calls = { toolCalls: [{ name: 'echo', input: {} }, { name: 'both', input: {} }, { name: 'plain', input: {} }] };

  test.each([
    ['tools', { tools: [{ type: 'function', name: 'plain' }, ...namespaces] }],
    ['an item of the input', { input: [{ type: 'additional_tools', role: 'developer', tools: namespaces }, { role: 'user', content: 'Go' }] }],
  ])('names the namespace when one alone offers the tool, in %s', (_, fields) => {
    const output = whole(calls, fields).output as { namespace?: string }[];
    expect(output.map(({ namespace }) => namespace)).toEqual(['mcp__one', undefined, undefined]);
  });

  test('names it for a tool of an MCP server that is not offered, by the name that every CLI understands', () => {
    const output = whole({ toolCalls: [{ name: 'mcp__tiny_one__add__up', input: {} }, { name: 'mcp__tiny', input: {} }] }).output as { name?: string; namespace?: string }[];
    expect(output.map(({ name, namespace }) => [namespace, name])).toEqual([['mcp__tiny_one', 'add__up'], [undefined, 'mcp__tiny']]);
  });
});

describe('a failure', () => {
  const cases: readonly [status: number, type: string, code: string | null][] = [
    [400, 'invalid_request_error', null], [401, 'invalid_request_error', 'invalid_api_key'], [404, 'invalid_request_error', null],
    [429, 'requests', 'rate_limit_exceeded'], [500, 'server_error', null], [503, 'server_error', 'server_is_overloaded'],
  ];
  test.each(cases)('of status %d is a %s', (status, type, code) => {
    expect(openaiWire.failure({ status, message: 'No.' }, 'req_1')).toEqual({
      status, headers: { 'x-request-id': 'req_1' }, json: { error: { message: 'No.', type, param: null, code } },
    });
  });

  test('says when to try again, or not to', () => {
    const { headers } = openaiWire.failure({ status: 429, retryAfterSeconds: 2 }, 'req_1', { final: true });
    expect(headers).toEqual({ 'x-request-id': 'req_1', 'retry-after': '2', 'x-should-retry': 'false' });
  });
});

describe('reading a request', () => {
  test('finds first and last words of the user around a tool loop', () => {
    const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
    const { firstUser, lastUser, asked, system } = requestOf({
      instructions: 'You help.',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] }, user('<environment_context>'), user('First'),
        { type: 'function_call', name: 'x', call_id: 'a', arguments: '{}' }, { type: 'function_call_output', call_id: 'a', output: 'one' },
        user('<environment_context>'), user('Second'),
        { type: 'custom_tool_call', name: 'x', call_id: 'b', input: '' }, { type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'two' }] },
      ],
    });
    expect({ firstUser, lastUser, asked, system }).toEqual({
      firstUser: '<environment_context>\nFirst', lastUser: '<environment_context>\nSecond', asked: { kind: 'tool result', text: 'two' }, system: 'You help.\nBe kind.',
    });
  });

  test('takes a plain text as input', () => {
    expect(requestOf({ input: 'Hello' })).toMatchObject({ firstUser: 'Hello', lastUser: 'Hello', asked: { kind: 'message', text: 'Hello' }, stream: false });
  });

  const hostile: readonly unknown[] = [null, 7, [], {}, { model: 'm' }, { model: 'm', input: [] }, { model: 'm', input: '' }, { model: 'm', input: [3] }];
  test.each(hostile)('explains why %j is none', (body) => {
    expect(openaiWire.readRequest(body)).toEqual(expect.any(String));
  });

  test('survives content of any shape', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (content, tools) => {
        const input = [{ role: 'user', content }, { type: 'function_call_output', output: content }, { type: 'additional_tools', tools }];
        expect(openaiWire.readRequest({ model: 'm', input, tools, instructions: content, client_metadata: tools })).toEqual(expect.objectContaining({ model: 'm' }));
      }),
    );
  });

  test.each([['compaction', true], ['turn', false]])('takes request kind %s for what it is', (request_kind, isSide) => {
    const request = requestOf({ client_metadata: { 'x-codex-turn-metadata': JSON.stringify({ request_kind }) } });
    expect(request.side !== undefined).toBe(isSide);
  });
});
