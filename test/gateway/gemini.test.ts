import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { geminiWire } from '../../src/gateway/gemini.js';
import type { AnswerTurn } from '../../src/gateway/script.js';
import type { ModelRequest, WireIds } from '../../src/gateway/wire.js';
import { geminiBody } from './serving.js';

type Loose = Record<string, any>;

const WHOLE = '/v1beta/models/gemini-test:generateContent';
const STREAM = '/v1beta/models/gemini-test:streamGenerateContent?alt=sse';
const ARRAY = '/v1/models/gemini-test:streamGenerateContent?key=abc';

function ids(): WireIds {
  let made = 0;
  return { next: (prefix) => `${prefix}_${(made += 1)}`, requestId: 'req_1', createdAt: 1_700_000_000 };
}

function requestOf(target: string, fields: object = {}): ModelRequest {
  const request = geminiWire.readRequest(geminiBody(fields), target);
  if (typeof request === 'string') throw new Error(request);
  return request;
}

function streamed(turn: AnswerTurn, target = STREAM): { readonly contentType: string; readonly text: string } {
  const reply = geminiWire.answer(requestOf(target), turn, ids());
  if (typeof reply === 'string' || !('events' in reply)) throw new Error('not streamed');
  const { contentType, closing = '' } = reply.framing;
  return { contentType, text: [...reply.events].map((event, index) => reply.framing.frame(event, index)).join('') + closing };
}

function chunksOf(turn: AnswerTurn): readonly Loose[] {
  const { contentType, text } = streamed(turn);
  expect(contentType).toBe('text/event-stream; charset=utf-8');
  const frames = text.split('\n\n');
  expect(frames.pop()).toBe('');
  return frames.map((frame) => JSON.parse(frame.replace(/^data: /, '')));
}

function whole(turn: AnswerTurn): Loose {
  const reply = geminiWire.answer(requestOf(WHOLE), turn, ids());
  if (typeof reply === 'string' || !('json' in reply)) throw new Error('not whole');
  return reply.json;
}

const named = { modelVersion: 'gemini-test', responseId: 'resp_1' };
const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 10 }] };

test('answers whole in the published shape', () => {
  const turn = { thinking: 'Hm.', text: 'Hello!', toolCalls: [{ id: 'a', name: 'read_file', input: { path: 'a' } }, { name: 'ls', input: {} }] };
  expect(whole(turn)).toEqual({
    ...named, usageMetadata,
    candidates: [{
      index: 0, finishReason: 'STOP',
      content: {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true }, { text: 'Hello!' },
          { functionCall: { id: 'a', name: 'read_file', args: { path: 'a' } }, thoughtSignature: 'c2NyaXB0ZWQ=' },
          { functionCall: { id: 'call_2', name: 'ls', args: {} } },
        ],
      },
    }],
  });
});

test('streams chunk by chunk and finishes with the last one', () => {
  const chunk = (part: object): object =>
    ({ ...named, usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 }, candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] });
  const last = { ...named, usageMetadata, candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'file.' }] } }] };
  expect(chunksOf({ thinking: 'Hm.', text: 'Let me read the file.' })).toEqual([
    chunk({ text: 'Hm.', thought: true }), chunk({ text: 'Let me read the ' }), last,
  ]);
});

test('streams the elements of a JSON array to those who do not ask for events', () => {
  const { contentType, text } = streamed({ text: 'Let me read the file.' }, ARRAY);
  expect(contentType).toBe('application/json; charset=UTF-8');
  expect(JSON.parse(text)).toEqual(chunksOf({ text: 'Let me read the file.' }));
});

test('finishes an answer without content', () => {
  expect(chunksOf({ text: '' })).toEqual([{ ...named, usageMetadata, candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: '' }] } }] }]);
  expect(whole({ text: '' }).candidates[0].content.parts).toEqual([{ text: '' }]);
});

test('counts the cache into the prompt, and thoughts beside the candidates', () => {
  const turn = { text: 'a', usage: { inputTokens: 100, outputTokens: 30, cacheReadTokens: 600, cacheCreationTokens: 300, reasoningTokens: 20 } };
  expect(whole(turn).usageMetadata).toEqual({
    promptTokenCount: 1000, cachedContentTokenCount: 600, candidatesTokenCount: 10, thoughtsTokenCount: 20, totalTokenCount: 1030,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 1000 }],
  });
});

test.each([['max_tokens', 'MAX_TOKENS'], ['refusal', 'SAFETY'], ['end_turn', 'STOP'], ['tool_use', 'STOP']] as const)('stops for %s by the name of %s', (stopReason, word) => {
  expect(whole({ text: 'a', stopReason }).candidates[0].finishReason).toBe(word);
});

test('streams what it would have answered whole', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 });
  const input = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.parse(JSON.stringify(value)));
  const turns = fc.record({ thinking: text, text, toolCalls: fc.array(fc.record({ name: fc.constant('x'), input }), { maxLength: 3 }) });
  fc.assert(
    fc.property(turns, (turn) => {
      const parts = chunksOf(turn).flatMap(({ candidates }) => candidates[0].content.parts as Loose[]);
      const join = (isThought: boolean): string => parts.filter((part) => 'text' in part && (part.thought === true) === isThought).map((part) => part.text).join('');
      const wholeParts = whole(turn).candidates[0].content.parts;
      expect([{ text: join(true), thought: true }, { text: join(false) }, ...parts.filter((part) => 'functionCall' in part)]).toEqual(wholeParts);
    }),
  );
});

test('cannot carry a free-form call', () => {
  expect(geminiWire.answer(requestOf(WHOLE), { toolCalls: [{ name: 'apply_patch', input: 'x' }] }, ids())).toBe(
    'tool call "apply_patch" has a string as input, which the Gemini API cannot carry. Write an object.',
  );
});

describe('a failure', () => {
  // https://ai.google.dev/gemini-api/docs/troubleshooting
  test.each([
    [400, 'INVALID_ARGUMENT'], [403, 'PERMISSION_DENIED'], [404, 'NOT_FOUND'], [429, 'RESOURCE_EXHAUSTED'], [500, 'INTERNAL'], [503, 'UNAVAILABLE'], [504, 'DEADLINE_EXCEEDED'],
  ])('of status %d is %s', (status, word) => {
    expect(geminiWire.failure({ status, message: 'No.' }, 'req_1')).toEqual({
      status, headers: { 'x-request-id': 'req_1' }, json: { error: { code: status, message: 'No.', status: word } },
    });
  });

  test('says when to try again', () => {
    const { headers, json } = geminiWire.failure({ status: 429, retryAfterSeconds: 2 }, 'req_1');
    expect(headers).toEqual({ 'x-request-id': 'req_1', 'retry-after': '2' });
    expect(json.error).toMatchObject({ details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' }] });
  });
});

describe('reading a request', () => {
  test('finds first and last words of the user around a tool loop', () => {
    const user = (...parts: object[]): object => ({ role: 'user', parts });
    const model = { role: 'model', parts: [{ functionCall: { name: 'x', args: {} } }] };
    const result = (response: object): object => user({ functionResponse: { name: 'x', response } });
    const request = requestOf(WHOLE, {
      systemInstruction: { parts: [{ text: 'You help.' }, { text: 'Be kind.' }] },
      contents: [
        user({ text: 'Context' }), user({ text: 'First' }, { inlineData: { mimeType: 'image/png', data: '' } }), model, result({ output: 'one' }),
        user({ text: 'Second' }), model, result({ output: 'two' }),
      ],
      tools: [{ functionDeclarations: [{ name: 'read_file' }, { name: 'ls' }] }, { googleSearch: {} }],
    });
    expect(request).toMatchObject({
      model: 'gemini-test', stream: false, system: 'You help.\nBe kind.', firstUser: 'Context\nFirst', lastUser: 'Second',
      asked: { kind: 'tool result', text: 'two' }, tools: ['read_file', 'ls', 'googleSearch'], hasImage: true,
    });
  });

  test('takes the other spelling, and a content without a role', () => {
    const request = requestOf(STREAM, {
      system_instruction: { parts: [{ text: 'You help.' }] }, contents: [{ parts: [{ text: 'Hi' }, { inline_data: { mime_type: 'image/png' } }] }],
      tools: [{ function_declarations: [{ name: 'ls' }] }],
    });
    expect(request).toMatchObject({ stream: true, system: 'You help.', firstUser: 'Hi', lastUser: 'Hi', asked: { kind: 'message', text: 'Hi' }, tools: ['ls'], hasImage: true });
  });

  const hostile: readonly unknown[] = [null, 7, [], {}, { contents: [] }, { contents: [{}] }, { contents: [{ parts: [3] }] }];
  test.each(hostile)('explains why %j is none', (body) => {
    expect(geminiWire.readRequest(body, WHOLE)).toEqual(expect.any(String));
  });

  test.each(['', '/v1beta/models/', '/v1beta/models/..:generateContent', '/v1beta/models/a/b:generateContent', '/v1beta/models/a%2fb:generateContent'])('finds no model in %j', (target) => {
    expect(geminiWire.readRequest(geminiBody(), target)).toBe('The path names no model, as in /v1beta/models/{model}:generateContent.');
  });

  test('survives content of any shape', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, tools) => {
        const parts = [{ text: value }, { functionResponse: value }, { functionResponse: { response: value } }, { inlineData: value }, { inlineData: { mimeType: value } }];
        const contents = ['user', 'model', value].map((role) => ({ role, parts }));
        expect(geminiWire.readRequest({ contents, tools, systemInstruction: value }, WHOLE)).toEqual(expect.objectContaining({ model: 'gemini-test' }));
      }),
    );
  });
});
