import { isJsonObject, type JsonObject } from '../evidence/json.js';
import { EVENTS_UNTIL_DONE } from './framing.js';
import { readChatRequest } from './openai-chat-request.js';
import { openaiFailure } from './openai-failure.js';
import { piecesOf } from './pieces.js';
import type { AnswerTurn, TurnUsage } from './script.js';
import { DEFAULT_USAGE, type ModelRequest, type Reply, type Wire, type WireIds } from './wire.js';

/** The OpenAI Chat Completions API, as OpenAI and those who copy it speak it. */
export const chatWire: Wire = {
  protocol: 'openai-chat',
  readRequest: readChatRequest,
  answer: chatAnswer,
  failure: openaiFailure,
};

interface ToolCall extends JsonObject {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message of the model. Reasoning has no place in OpenAI's own format; the CLIs read it by the name that others gave it. */
interface Message extends JsonObject {
  readonly role: 'assistant';
  readonly content: string | null;
}

function chatAnswer(request: ModelRequest, turn: AnswerTurn, ids: WireIds): Reply | string {
  const freeForm = turn.toolCalls?.find(({ input }) => typeof input === 'string');
  if (freeForm !== undefined) {
    return `tool call "${freeForm.name}" has a string as input, which a stream of Chat Completions cannot carry. Write an object.`;
  }
  const head = { id: ids.next('chatcmpl'), created: ids.createdAt, model: request.model, service_tier: 'default', system_fingerprint: null };
  const calls = toolCallsOf(turn, ids);
  const finish_reason = FINISH_REASONS[turn.stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn')];
  const usage = usageOf(turn.usage ?? DEFAULT_USAGE);
  const headers = { 'x-request-id': ids.requestId };
  if (!request.stream) {
    const choices = [{ index: 0, message: messageOf(turn, calls), logprobs: null, finish_reason }];
    return { status: 200, headers, json: { ...head, object: 'chat.completion', choices, usage } };
  }
  const options = request.body.stream_options;
  const counted = isJsonObject(options) && options.include_usage === true ? usage : undefined;
  const chunk = { ...head, object: 'chat.completion.chunk' };
  return { status: 200, headers, events: chunksOf({ chunk, turn, calls, finish_reason, counted }), framing: EVENTS_UNTIL_DONE };
}

const FINISH_REASONS = { end_turn: 'stop', tool_use: 'tool_calls', max_tokens: 'length', refusal: 'content_filter' } as const;

function toolCallsOf({ toolCalls = [] }: AnswerTurn, ids: WireIds): readonly ToolCall[] {
  return toolCalls.map(({ id, name, input }): ToolCall =>
    ({ id: id ?? ids.next('call'), type: 'function', function: { name, arguments: JSON.stringify(input) } }));
}

function messageOf({ thinking, text }: AnswerTurn, calls: readonly ToolCall[]): Message {
  return {
    role: 'assistant',
    content: text ?? null,
    ...(thinking !== undefined && { reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
    refusal: null,
    annotations: [],
  };
}

interface Stream {
  readonly chunk: JsonObject;
  readonly turn: AnswerTurn;
  readonly calls: readonly ToolCall[];
  readonly finish_reason: string;
  /** Absent when the client did not ask for it. */
  readonly counted: JsonObject | undefined;
}

function* chunksOf({ chunk, turn, calls, finish_reason, counted }: Stream): Generator<JsonObject> {
  // Who asked for usage finds it, empty, in every chunk before the last.
  const uncounted = counted === undefined ? {} : { usage: null };
  for (const delta of deltasOf(turn, calls)) {
    yield { ...chunk, choices: [{ index: 0, delta, logprobs: null, finish_reason: null }], ...uncounted };
  }
  yield { ...chunk, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason }], ...uncounted };
  if (counted !== undefined) yield { ...chunk, choices: [], usage: counted };
}

function* deltasOf({ thinking = '', text = '' }: AnswerTurn, calls: readonly ToolCall[]): Generator<JsonObject> {
  yield { role: 'assistant', content: calls.length > 0 && text === '' ? null : '', refusal: null };
  for (const piece of piecesOf(thinking)) yield { reasoning_content: piece };
  for (const piece of piecesOf(text)) yield { content: piece };
  for (const [index, { function: called, ...call }] of calls.entries()) {
    yield { tool_calls: [{ index, ...call, function: { name: called.name, arguments: '' } }] };
    for (const piece of piecesOf(called.arguments)) yield { tool_calls: [{ index, function: { arguments: piece } }] };
  }
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens = 0, cacheCreationTokens, reasoningTokens = 0 }: TurnUsage): JsonObject {
  const prompt_tokens = inputTokens + cacheReadTokens + (cacheCreationTokens ?? 0);
  return {
    prompt_tokens,
    completion_tokens: outputTokens,
    total_tokens: prompt_tokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cacheReadTokens,
      ...(cacheCreationTokens !== undefined && { cache_write_tokens: cacheCreationTokens }),
      audio_tokens: 0,
    },
    completion_tokens_details: { reasoning_tokens: reasoningTokens, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  };
}
