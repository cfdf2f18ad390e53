import { describe, expect, test } from 'vitest';
import { createAnswerReader } from '../../../src/gateway/meter/answer-reader.js';
import type { ProtocolName } from '../../../src/gateway/protocol.js';

/** What is known after each of some events, asked for after each, and what is known when nobody asked before the end. */
function readBothWays(protocol: ProtocolName, events: readonly string[]): object {
  const [often, once] = [createAnswerReader(protocol, { contentType: 'text/event-stream' }), createAnswerReader(protocol, { contentType: 'text/event-stream' })];
  for (const event of events) {
    often.write(Buffer.from(event));
    expect(often.complete).toBe(often.facts.complete);
  }
  once.write(Buffer.from(events.join('')));
  const facts = once.end();
  expect(often.end()).toEqual(facts);
  return facts;
}

const bare = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const named = (name: string, data: unknown): string => `event: ${name}\n${bare(data)}`;

describe('events that are only glanced at', () => {
  const chunk = (fields: object): object => ({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }], usage: null, ...fields });

  // https://docs.vllm.ai/en/latest/api/vllm/entrypoints/openai: `continuous_usage_stats` counts in every chunk.
  test('a chat that counts in every chunk tells the last count', () => {
    const counts = [1, 2, 3].map((tokens) => bare(chunk({ usage: { prompt_tokens: 9, completion_tokens: tokens } })));
    expect(readBothWays('openai-chat', [bare(chunk({})), ...counts, bare(chunk({}))])).toMatchObject({ usage: { inputTokens: 9, outputTokens: 3 }, complete: false });
  });

  test('a chat that is written with spaces', () => {
    const spaced = (text: string): string => bare(text.replaceAll(':', ' : ').replaceAll(',', ' , '));
    expect(readBothWays('openai-chat', [
      bare(chunk({})), spaced('{"id":"c","choices":[{"finish_reason":null}],"usage":null}'),
      spaced('{"id":"c","choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":4}}'), 'data: [DONE]\n\n',
    ])).toMatchObject({ usage: { inputTokens: 4 }, stopReason: 'stop', complete: true });
  });

  test('what is said is no key', () => {
    const said = '{"usage":{"prompt_tokens":1},"finish_reason":"x","error":{}}';
    expect(readBothWays('openai-chat', [bare(chunk({})), bare(chunk({ choices: [{ delta: { content: said }, finish_reason: null }] }))])).toEqual({ model: 'm', messageId: 'c', complete: false });
  });

  test('a chat that fails on its way', () => {
    expect(readBothWays('openai-chat', [bare(chunk({})), bare({ error: { type: 'server_error', message: 'gone' } })])).toMatchObject({ error: { type: 'server_error', message: 'gone' } });
  });

  test('a Gemini answer whose last count is broken has none, and one that is told again has it', () => {
    const count = (tokens: number): string => bare({ candidates: [{ content: {} }], usageMetadata: { promptTokenCount: 5, candidatesTokenCount: tokens }, modelVersion: 'g', responseId: 'r' });
    const broken = bare('{"usageMetadata":{"promptTokenCount":}}');
    expect(readBothWays('gemini', [count(1), broken])).toEqual({ model: 'g', messageId: 'r', complete: false });
    expect(readBothWays('gemini', [count(1), broken, count(2)])).toMatchObject({ usage: { inputTokens: 5, outputTokens: 2 } });
  });

  const start = named('message_start', { type: 'message_start', message: { id: 'i', model: 'm', usage: { input_tokens: 3, output_tokens: 1 } } });
  test('an event whose name is not its type is read', () => {
    const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } };
    for (const name of ['content_block_delta', 'ping']) expect(readBothWays('anthropic-messages', [start, named(name, delta)])).toMatchObject({ usage: { inputTokens: 3, outputTokens: 7 }, stopReason: 'end_turn' });
  });

  test('an event that is skipped by its name may be anything but a whole one of another type', () => {
    expect(readBothWays('anthropic-messages', [start, named('content_block_delta', '{"type":"content_block_delta",'), named('message_stop', { type: 'message_stop' })])).toMatchObject({ usage: { inputTokens: 3, outputTokens: 1 }, complete: true });
    expect(readBothWays('openai-responses', [
      named('response.created', { type: 'response.created', response: { id: 'r', model: 'm' } }), named('response.output_text.delta', { type: 'response.completed', response: { usage: { input_tokens: 2, output_tokens: 3 } } }),
    ])).toMatchObject({ usage: { inputTokens: 2, outputTokens: 3 }, complete: true });
  });
});

test('a string of JSON is found to its end wherever it is split', () => {
  // An odd and an even number of backslashes before a quote, and brackets in the text.
  const body = JSON.stringify({ type: 'message', id: 'i\\', content: ['"', '\\"', '\\\\', '}]{["\\', ''], model: 'm', usage: { input_tokens: 1, output_tokens: 2 } });
  const bytes = Buffer.from(body);
  for (let size = 1; size <= bytes.length; size += 1) {
    const reader = createAnswerReader('anthropic-messages', { contentType: 'application/json' });
    for (let at = 0; at < bytes.length; at += size) {
      expect(reader.complete).toBe(false);
      reader.write(bytes.subarray(at, at + size));
    }
    expect(reader.end()).toEqual({ model: 'm', messageId: 'i\\', usage: { inputTokens: 1, outputTokens: 2 }, complete: true });
  }
});
