import type { JsonObject } from '../evidence/json.js';
import { readAnthropicRequest } from './anthropic-request.js';
import { NAMED_EVENTS } from './framing.js';
import { piecesOf } from './pieces.js';
import type { AnswerTurn, TurnError, TurnUsage } from './script.js';
import { DEFAULT_USAGE, type ModelRequest, type Reply, type Wire, type WholeReply, type WireEvent, type WireIds } from './wire.js';

/** The Anthropic Messages API. */
export const anthropicWire: Wire = {
  protocol: 'anthropic-messages',
  readRequest: readAnthropicRequest,
  answer: anthropicAnswer,
  failure: anthropicFailure,
};

type Block =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: JsonObject };

interface Message extends JsonObject {
  readonly stop_reason: string;
  readonly usage: JsonObject;
}

function anthropicAnswer(request: ModelRequest, turn: AnswerTurn, ids: WireIds): Reply | string {
  const freeForm = turn.toolCalls?.find(({ input }) => typeof input === 'string');
  if (freeForm !== undefined) {
    return `tool call "${freeForm.name}" has a string as input, which the Messages API cannot carry. Write an object.`;
  }
  const id = ids.next('msg');
  const content = blocksOf(turn, ids);
  const message: Message = {
    id,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: content,
    stop_reason: turn.stopReason ?? (content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: usageOf(turn.usage ?? DEFAULT_USAGE),
  };
  const headers = { 'request-id': ids.requestId };
  if (!request.stream) return { status: 200, headers, json: message };
  return { status: 200, headers, events: eventsOf(message, content), framing: NAMED_EVENTS };
}

function blocksOf(turn: AnswerTurn, ids: WireIds): readonly Block[] {
  const blocks: Block[] = [];
  if (turn.thinking) blocks.push({ type: 'thinking', thinking: turn.thinking, signature: 'c2NyaXB0ZWQ=' });
  if (turn.text) blocks.push({ type: 'text', text: turn.text });
  for (const { id, name, input } of turn.toolCalls ?? []) {
    if (typeof input !== 'string') blocks.push({ type: 'tool_use', id: id ?? ids.next('toolu'), name, input });
  }
  return blocks;
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens = 0, cacheCreationTokens = 0 }: TurnUsage): JsonObject {
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: cacheCreationTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheCreationTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    service_tier: 'standard',
  };
}

function* eventsOf(message: Message, content: readonly Block[]): Generator<WireEvent> {
  const { stop_reason, usage } = message;
  yield { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } };
  if (content.length === 0) yield { type: 'ping' };
  for (const [index, block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block: announced(block) };
    if (index === 0) yield { type: 'ping' };
    for (const delta of deltasOf(block)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  const { cache_creation: _split, service_tier: _tier, ...counted } = usage;
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: counted };
  yield { type: 'message_stop' };
}

function announced(block: Block): JsonObject {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'text':
      return { type: 'text', text: '' };
    case 'tool_use':
      return { ...block, input: {} };
  }
}

function* deltasOf(block: Block): Generator<JsonObject> {
  switch (block.type) {
    case 'thinking':
      for (const piece of piecesOf(block.thinking)) yield { type: 'thinking_delta', thinking: piece };
      yield { type: 'signature_delta', signature: block.signature };
      break;
    case 'text':
      for (const piece of piecesOf(block.text)) yield { type: 'text_delta', text: piece };
      break;
    case 'tool_use':
      yield { type: 'input_json_delta', partial_json: '' };
      for (const piece of piecesOf(JSON.stringify(block.input))) yield { type: 'input_json_delta', partial_json: piece };
  }
}

const ERROR_TYPES: { readonly [status: number]: string } = {
  401: 'authentication_error', 402: 'billing_error', 403: 'permission_error', 404: 'not_found_error', 413: 'request_too_large',
  429: 'rate_limit_error', 504: 'timeout_error', 529: 'overloaded_error',
};

function anthropicFailure(error: TurnError, requestId: string, { final }: { final: boolean } = { final: false }): WholeReply {
  const type = error.type ?? ERROR_TYPES[error.status] ?? (error.status < 500 ? 'invalid_request_error' : 'api_error');
  return {
    status: error.status,
    headers: {
      'request-id': requestId,
      ...(error.retryAfterSeconds !== undefined && { 'retry-after': String(error.retryAfterSeconds) }),
      ...(final && { 'x-should-retry': 'false' }),
    },
    json: { type: 'error', error: { type, message: error.message ?? type }, request_id: requestId },
  };
}
