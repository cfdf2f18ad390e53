import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnswerFacts } from '../../../src/gateway/meter/answer-facts.js';
import { createAnswerReader, type AnswerHead } from '../../../src/gateway/meter/answer-reader.js';
import { PROTOCOLS, type ProtocolName } from '../../../src/gateway/protocol.js';
import { anthropicSearch, anthropicText, chatText, geminiArray, geminiText, named, responsesText, sse } from './streams.js';

const SSE = 'text/event-stream; charset=utf-8';
const JSON_TYPE = 'application/json';

function factsOf(protocol: ProtocolName, body: string | Uint8Array, head: AnswerHead = {}): AnswerFacts {
  const reader = createAnswerReader(protocol, head);
  reader.write(Buffer.from(body));
  return reader.end();
}

const anthropicFacts = { model: 'claude-opus-4-7', messageId: 'msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGZszyy', usage: { inputTokens: 25, outputTokens: 15 }, stopReason: 'end_turn', complete: true };
const geminiFacts = {
  model: 'gemini-2.5-flash', messageId: 'fVdWaP2x', stopReason: 'STOP', complete: true,
  usage: { inputTokens: 519, outputTokens: 538, cacheReadTokens: 1500, reasoningTokens: 514 },
};
const published: readonly (readonly [title: string, protocol: ProtocolName, contentType: string, body: string, facts: AnswerFacts])[] = [
  ['a message', 'anthropic-messages', SSE, anthropicText, anthropicFacts],
  ['a message whose input grew by a search', 'anthropic-messages', SSE, anthropicSearch, {
    model: 'claude-opus-4-7', messageId: 'msg_01G', stopReason: 'end_turn', complete: true,
    usage: { inputTokens: 10682, outputTokens: 510, cacheReadTokens: 0, cacheCreationTokens: 0 },
  }],
  ['a response', 'openai-responses', SSE, responsesText, {
    model: 'gpt-4.1-2025-04-14', messageId: 'resp_67c9fdcecf488190bdd9a0409de3a1ec07b8b0ad4e5eb654', stopReason: 'completed', complete: true,
    usage: { inputTokens: 37, outputTokens: 11, reasoningTokens: 0 },
  }],
  ['a chat completion', 'openai-chat', SSE, chatText, {
    model: 'gpt-4o-mini', messageId: 'chatcmpl-123', stopReason: 'stop', complete: true,
    usage: { inputTokens: 86, outputTokens: 300, cacheReadTokens: 1920, reasoningTokens: 192 },
  }],
  ['Gemini events', 'gemini', SSE, geminiText, geminiFacts],
  ['a Gemini array', 'gemini', JSON_TYPE, geminiArray, geminiFacts],
];

describe.each(published)('%s', (_, protocol, contentType, body, facts) => {
  test('is read to the facts that it tells', () => {
    expect(factsOf(protocol, body, { contentType })).toEqual(facts);
  });

  test('is told by its first byte when it has no content type', () => {
    for (const start of ['', '\ufeff', '\r\n \n']) expect(factsOf(protocol, start + body, { contentType: 'application/octet-stream' })).toEqual(facts);
  });

  test('gives the same facts wherever it is split', () => {
    for (const text of [body, body.replaceAll('\n', '\r\n'), body.replaceAll('\n', '\r')]) {
      const bytes = Buffer.from(text);
      for (let at = 0; at <= bytes.length; at += 1) {
        const reader = createAnswerReader(protocol, { contentType });
        reader.write(bytes.subarray(0, at));
        reader.write(bytes.subarray(at));
        expect(reader.facts).toEqual(facts);
        expect(reader.end()).toEqual(facts);
      }
      const reader = createAnswerReader(protocol, { contentType });
      const portion = Buffer.alloc(1);
      for (const byte of bytes) {
        portion[0] = byte;
        reader.write(portion);
      }
      expect(reader.facts).toEqual(facts);
    }
  });

  test('keeps its facts when it is cut, and says no other ones', () => {
    const bytes = Buffer.from(body);
    for (let at = 0; at < bytes.length; at += 1) {
      const { complete, ...cut } = factsOf(protocol, bytes.subarray(0, at), { contentType });
      for (const [key, value] of Object.entries(cut)) if (key !== 'usage') expect(value).toEqual(facts[key as keyof AnswerFacts]);
      // A whole ending without its empty line is an ending.
      expect(complete && bytes.subarray(at).toString().trim() !== '').toBe(false);
    }
  });

  test('tells nothing wrong in the language of another protocol', () => {
    for (const other of PROTOCOLS) expect(() => factsOf(other, body, { contentType })).not.toThrow();
  });
});

test('usage is known before the last bytes are passed on', () => {
  const end = anthropicText.indexOf('event: message_stop');
  const reader = createAnswerReader('anthropic-messages', { contentType: SSE });
  reader.write(Buffer.from(anthropicText.slice(0, end)));
  expect(reader.facts).toEqual({ ...anthropicFacts, complete: false });
});

describe('whole answers', () => {
  test.each<[string, ProtocolName, object, AnswerFacts]>([
    // https://platform.claude.com/docs/en/api/messages
    ['a message', 'anthropic-messages', {
      content: [{ text: 'Hi! My name is Claude.', type: 'text' }], id: 'msg_013Zva2CMHLNnjNjJKqJ2EF', model: 'claude-opus-4-7', role: 'assistant', stop_reason: 'end_turn',
      stop_sequence: null, type: 'message', usage: { input_tokens: 2095, output_tokens: 503, cache_creation_input_tokens: null, cache_read_input_tokens: 0 },
    }, {
      model: 'claude-opus-4-7', messageId: 'msg_013Zva2CMHLNnjNjJKqJ2EF', stopReason: 'end_turn', complete: true,
      usage: { inputTokens: 2095, outputTokens: 503, cacheReadTokens: 0 },
    }],
    ['a message that was thought about', 'anthropic-messages', {
      type: 'message', usage: { input_tokens: 10, output_tokens: 50, output_tokens_details: { thinking_tokens: 30 } },
    }, { complete: true, usage: { inputTokens: 10, outputTokens: 50, reasoningTokens: 30 } }],
    ['a failure', 'anthropic-messages', {
      type: 'error', error: { type: 'not_found_error', message: 'The requested resource could not be found.' }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
    }, { error: { type: 'not_found_error', message: 'The requested resource could not be found.' }, complete: true }],
    ['a count of tokens', 'anthropic-messages', { input_tokens: 14 }, { complete: true }],
    // https://platform.openai.com/docs/api-reference/responses/object
    ['a response', 'openai-responses', {
      id: 'resp_67ccd3a9da748190baa7f1570fe91ac604becb25c45c1d41', object: 'response', status: 'completed', error: null, incomplete_details: null, model: 'gpt-4o-2024-08-06',
      usage: { input_tokens: 328, input_tokens_details: { cached_tokens: 28 }, output_tokens: 52, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 380 },
    }, {
      model: 'gpt-4o-2024-08-06', messageId: 'resp_67ccd3a9da748190baa7f1570fe91ac604becb25c45c1d41', stopReason: 'completed', complete: true,
      usage: { inputTokens: 300, outputTokens: 52, cacheReadTokens: 28, reasoningTokens: 0 },
    }],
    ['a response that wrote a cache', 'openai-responses', {
      object: 'response', status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' },
      usage: { input_tokens: 1000, input_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 }, output_tokens: 5 },
    }, { stopReason: 'max_output_tokens', complete: true, usage: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 600, cacheCreationTokens: 300 } }],
    ['a failure', 'openai-responses', {
      error: { message: 'Rate limit reached', type: 'tokens', param: null, code: 'rate_limit_exceeded' },
    }, { error: { type: 'tokens', message: 'Rate limit reached' }, complete: true }],
    ['embeddings', 'openai-chat', {
      object: 'list', data: [{ object: 'embedding', embedding: [0.0023], index: 0 }], model: 'text-embedding-ada-002', usage: { prompt_tokens: 8, total_tokens: 8 },
    }, { model: 'text-embedding-ada-002', complete: true, usage: { inputTokens: 8 } }],
    ['a chat that calls a tool', 'openai-chat', {
      id: 'chatcmpl-abc123', object: 'chat.completion', model: 'gpt-4o-mini', choices: [{ index: 0, message: { role: 'assistant', content: null }, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 82, completion_tokens: 17, total_tokens: 99, completion_tokens_details: { reasoning_tokens: 0 } },
    }, { model: 'gpt-4o-mini', messageId: 'chatcmpl-abc123', stopReason: 'tool_calls', complete: true, usage: { inputTokens: 82, outputTokens: 17, reasoningTokens: 0 } }],
    ['a prompt that was blocked', 'gemini', {
      promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 }, modelVersion: 'gemini-2.5-flash',
    }, { model: 'gemini-2.5-flash', stopReason: 'SAFETY', complete: true, usage: { inputTokens: 7 } }],
    ['thoughts that used up the answer', 'gemini', {
      candidates: [{ content: {}, finishReason: 'MAX_TOKENS', index: 0 }], usageMetadata: { promptTokenCount: 7, totalTokenCount: 107, thoughtsTokenCount: 100 },
    }, { stopReason: 'MAX_TOKENS', complete: true, usage: { inputTokens: 7, outputTokens: 100, reasoningTokens: 100 } }],
    ['a failure', 'gemini', { error: { code: 429, message: 'Resource exhausted.', status: 'RESOURCE_EXHAUSTED' } }, { error: { type: 'RESOURCE_EXHAUSTED', message: 'Resource exhausted.' }, complete: true }],
  ])('%s of %s', (_, protocol, body, facts) => {
    for (const text of [JSON.stringify(body), JSON.stringify(body, undefined, 2)]) {
      expect(factsOf(protocol, text, { contentType: JSON_TYPE })).toEqual(facts);
      expect(factsOf(protocol, text.slice(0, -1), { contentType: JSON_TYPE })).toEqual({ complete: false });
    }
  });

  test('a failure as an array', () => {
    const error = { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' };
    expect(factsOf('gemini', JSON.stringify([{ error }]))).toEqual({ error: { type: 'UNAVAILABLE', message: 'Overloaded' }, complete: true });
  });
});

describe('streams that do not end well', () => {
  // https://platform.claude.com/docs/en/build-with-claude/streaming, "Error events".
  test('an error in the middle', () => {
    const start = anthropicText.slice(0, anthropicText.indexOf('event: content_block_stop'));
    const error = named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as never);
    expect(factsOf('anthropic-messages', start + error)).toEqual({
      model: 'claude-opus-4-7', messageId: 'msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGZszyy', usage: { inputTokens: 25, outputTokens: 1 },
      error: { type: 'overloaded_error', message: 'Overloaded' }, complete: false,
    });
    expect(factsOf('openai-chat', sse(['', { error: { message: 'Oops', type: 'server_error', code: 500 } }]))).toEqual({ error: { type: 'server_error', message: 'Oops' }, complete: false });
    expect(factsOf('gemini', sse(['', { error: { code: 503, message: 'Oops', status: 'UNAVAILABLE' } }]))).toEqual({ error: { type: 'UNAVAILABLE', message: 'Oops' }, complete: false });
    // https://platform.openai.com/docs/api-reference/responses-streaming/error
    expect(factsOf('openai-responses', named({ type: 'error', code: 'ERR_SOMETHING', message: 'Something went wrong', param: null, sequence_number: 1 } as never))).toEqual({
      error: { type: 'ERR_SOMETHING', message: 'Something went wrong' }, complete: false,
    });
  });

  // https://platform.openai.com/docs/api-reference/responses-streaming/response/failed
  test('a response that failed or was left incomplete', () => {
    const error = { code: 'server_error', message: 'The model failed to generate a response.' };
    expect(factsOf('openai-responses', named({ type: 'response.failed', response: { id: 'resp_123', model: 'gpt-4o-mini-2024-07-18', status: 'failed', error, incomplete_details: null, usage: null } } as never))).toEqual({
      model: 'gpt-4o-mini-2024-07-18', messageId: 'resp_123', stopReason: 'failed', error: { type: 'server_error', message: error.message }, complete: true,
    });
    const usage = { input_tokens: 0, output_tokens: 0, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 0 };
    expect(factsOf('openai-responses', named({ type: 'response.incomplete', response: { id: 'resp_123', status: 'incomplete', error: null, incomplete_details: { reason: 'max_tokens' }, usage } } as never))).toEqual({
      messageId: 'resp_123', stopReason: 'max_tokens', complete: true, usage: { inputTokens: 0, outputTokens: 0, reasoningTokens: 0 },
    });
  });

  test('chat that stops without saying that it is done', () => {
    expect(factsOf('openai-chat', chatText.replace(/data: \[DONE\]\n\n$/, '')).complete).toBe(false);
    expect(factsOf('openai-chat', chatText.replace(/\n\n$/, '')).complete).toBe(true);
  });
});

describe('what server-sent events may look like', () => {
  const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { input_tokens: 3, output_tokens: 4 } };
  const pretty = JSON.stringify(delta, undefined, 1).split('\n');
  test.each([
    ['data in several lines', `event: message_delta\n${pretty.map((line) => `data: ${line}\n`).join('')}\n`],
    ['data without a blank', `data:${JSON.stringify(delta)}\n\n`],
    ['comments and other fields', `: hi\nid: 1\nretry: 10\nunknown\n:\n\ndata: ${JSON.stringify(delta)}\n: bye\n\n`],
    ['the name after the data', `data: ${JSON.stringify(delta)}\nevent: message_delta\n\n`],
    ['no empty line at the end', `data: ${JSON.stringify(delta)}`],
    ['an empty event', `data\n\ndata:\n\nevent: x\n\ndata: ${JSON.stringify(delta)}\n\n`],
    ['a mark that it is done', `data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n`],
  ])('%s', (_, body) => {
    for (const text of [body, body.replaceAll('\n', '\r\n'), body.replaceAll('\n', '\r')]) {
      expect(factsOf('anthropic-messages', text, { contentType: SSE })).toEqual({ stopReason: 'end_turn', usage: { inputTokens: 3, outputTokens: 4 }, complete: false });
    }
  });
});

describe('what cannot be read', () => {
  const big = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x'.repeat(2000) } };
  const huge = (event: object): object => ({ ...event, padding: 'x'.repeat(2000) });
  const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 15 } };
  const start = anthropicText.slice(0, anthropicText.indexOf('event: content_block_start'));
  const small = { maxBytes: 1000 };

  test('a large event that has a name without usage costs nothing', () => {
    const body = anthropicText.replace('event: ping', `${named(big as never)}event: ping`);
    expect(factsOf('anthropic-messages', body, small)).toEqual(anthropicFacts);
  });

  test('usage that comes in pieces is unknown when one is lost', () => {
    const { usage: _, ...rest } = anthropicFacts;
    expect(factsOf('anthropic-messages', start + named(huge(delta) as never, delta as never, { type: 'message_stop' }), small)).toEqual(rest);
    expect(factsOf('anthropic-messages', start + sse(['', big]) + named(delta as never, { type: 'message_stop' }), small)).toEqual(rest);
    expect(factsOf('anthropic-messages', `${start}event: message_delta\ndata: {"type":"mess\n\n${named(delta as never, { type: 'message_stop' })}`)).toEqual(rest);
  });

  test('usage that comes whole is known again by the next of it', () => {
    const last = geminiText.slice(geminiText.lastIndexOf('data: '));
    const lost = sse(['', huge({ candidates: [], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } })]);
    expect(factsOf('gemini', lost + last, small)).toEqual(geminiFacts);
    const { usage: _, ...rest } = geminiFacts;
    expect(factsOf('gemini', last + lost, small)).toEqual(rest);
    expect(factsOf('gemini', `[${JSON.stringify(huge({}))},${last.replace('data: ', '').trim()}]`, small)).toEqual(geminiFacts);
    expect(factsOf('openai-responses', named({ type: 'response.completed', response: huge({ usage: { input_tokens: 1, output_tokens: 1 } }) } as never), small)).toEqual({ complete: false });
  });

  test('a body or a line that is too large tells nothing, in whatever portions', () => {
    const body = JSON.stringify(huge({ type: 'message', usage: { input_tokens: 1 } }));
    const line = `data: ${body}`;
    for (const portion of [1, 7, 999, 5000]) {
      for (const [text, complete] of [[body, true], [line, false], ['x'.repeat(5000), false], [`${'x'.repeat(5000)}\n`.repeat(3), false]] as const) {
        const reader = createAnswerReader('anthropic-messages', small);
        for (let at = 0; at < text.length; at += portion) reader.write(Buffer.from(text.slice(at, at + portion)));
        expect(reader.end()).toEqual({ complete });
      }
    }
  });

  test.each([
    ['less than nothing', -1], ['a half', 0.5], ['more than can be counted', 2 ** 60], ['a text', '7'], ['a list', [7]], ['no number', true],
  ])('a count that is %s is unknown', (_, count) => {
    const event = { ...delta, usage: { output_tokens: count } };
    expect(factsOf('anthropic-messages', start + named(event as never)).usage).toEqual({ inputTokens: 25 });
    expect(factsOf('openai-chat', JSON.stringify({ usage: { prompt_tokens: count, completion_tokens: 5 } })).usage).toEqual({ outputTokens: 5 });
    expect(factsOf('openai-responses', JSON.stringify({ object: 'response', usage: { input_tokens: 5, output_tokens: count } })).usage).toEqual({ inputTokens: 5 });
    expect(factsOf('gemini', JSON.stringify({ usageMetadata: { promptTokenCount: count, candidatesTokenCount: 5 } })).usage).toEqual({ outputTokens: 5 });
  });

  test('parts that are more than their whole make nothing negative', () => {
    expect(factsOf('openai-chat', JSON.stringify({
      usage: { prompt_tokens: 5, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 9 }, completion_tokens_details: { reasoning_tokens: 9 } },
    })).usage).toEqual({ inputTokens: 0, outputTokens: 5, cacheReadTokens: 9 });
    expect(factsOf('gemini', JSON.stringify({ usageMetadata: { promptTokenCount: 5, cachedContentTokenCount: 9 } })).usage).toEqual({ inputTokens: 0, cacheReadTokens: 9 });
  });

  test('long names are cut', () => {
    const facts = factsOf('openai-chat', JSON.stringify({ id: 'i'.repeat(5000), model: 'm'.repeat(5000), error: { type: 't'.repeat(5000), message: 'e'.repeat(5000) } }));
    expect([facts.messageId, facts.model, facts.error?.type, facts.error?.message].map((text) => text?.length)).toEqual([200, 200, 200, 1000]);
  });

  test('nothing throws, and portions change nothing, whatever comes', () => {
    const word = fc.constantFrom(
      'data: ', 'event: message_delta', 'event: ', '\n', '\r\n', '\r', '\n\n', '{', '}', '[', ']', '"', '\\', ',', ':', ' ', '[DONE]', '\u0000', '👋', '{"type":"message_start","message":{"usage":{"input_tokens":1}}}',
      '{"type":"message_delta","usage":{"output_tokens":2}}', '"usage":', '{"usageMetadata":{"promptTokenCount":1}}', '{"usage":{"prompt_tokens":1}}', 'null', '1', 'x'.repeat(70),
    );
    const bodies = fc.oneof(fc.array(word, { maxLength: 40 }).map((words) => Buffer.from(words.join(''))), fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)));
    const heads = fc.record({ contentType: fc.constantFrom(undefined, SSE, JSON_TYPE, 'text/html'), maxBytes: fc.constantFrom(16, 64, 1000) });
    fc.assert(
      fc.property(fc.constantFrom(...PROTOCOLS), bodies, heads, fc.array(fc.nat(200), { maxLength: 8 }), (protocol, body, head, cuts) => {
        const reader = createAnswerReader(protocol, head);
        let start = 0;
        for (const cut of [...cuts].sort((a, b) => a - b)) {
          reader.write(body.subarray(start, cut));
          start = Math.max(start, Math.min(cut, body.length));
        }
        reader.write(body.subarray(start));
        expect(reader.end()).toEqual(factsOf(protocol, body, head));
      }),
      { numRuns: 2000 },
    );
  });

  test('hostile keys are only keys', () => {
    const body = '{"__proto__":{"usage":{"prompt_tokens":1}},"constructor":1,"usage":{"__proto__":{"prompt_tokens":1}},"choices":{"0":{"finish_reason":"stop"}}}';
    expect(factsOf('openai-chat', body)).toEqual({ complete: true });
    expect(factsOf('openai-chat', '['.repeat(200_000)).complete).toBe(false);
    expect(factsOf('openai-chat', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`).complete).toBe(true);
  });
});
