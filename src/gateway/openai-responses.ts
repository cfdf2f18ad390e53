import type { JsonObject, JsonValue } from '../evidence/json.js';
import { NAMED_EVENTS } from './framing.js';
import { openaiFailure } from './openai-failure.js';
import { offeredTools, readOpenaiRequest } from './openai-request.js';
import { piecesOf } from './pieces.js';
import type { AnswerTurn, ScriptedToolCall, TurnUsage } from './script.js';
import { DEFAULT_USAGE } from './wire.js';
import type { ModelRequest, Reply, Wire, WireEvent, WireIds } from './wire.js';

/** The OpenAI Responses API. */
export const openaiWire: Wire = {
  protocol: 'openai-responses',
  readRequest: readOpenaiRequest,
  answer: openaiAnswer,
  failure: openaiFailure,
};

interface TextPart extends JsonObject {
  readonly text: string;
}

/** An output item: the fields that its events are made of, beside what the protocol says more. */
type Item = JsonObject & { readonly id: string } & (
    | { readonly type: 'reasoning'; readonly summary: readonly TextPart[] }
    | { readonly type: 'message'; readonly content: readonly TextPart[] }
    | { readonly type: 'function_call'; readonly arguments: string }
    | { readonly type: 'custom_tool_call'; readonly input: string }
  );

type Numbered = readonly [type: string, fields: JsonObject];

function openaiAnswer(request: ModelRequest, turn: AnswerTurn, ids: WireIds): Reply {
  const response = emptyResponse(request, ids);
  const items = itemsOf(request, turn, ids);
  const reason = INCOMPLETE[turn.stopReason ?? 'end_turn'];
  const status = reason === null ? 'completed' : 'incomplete';
  const finished = {
    ...response,
    status,
    incomplete_details: reason === null ? null : { reason },
    output: items,
    usage: usageOf(turn.usage ?? DEFAULT_USAGE),
  };
  const headers = { 'x-request-id': ids.requestId };
  if (!request.stream) return { status: 200, headers, json: finished };
  return { status: 200, headers, events: eventsOf(response, items, finished), framing: NAMED_EVENTS };
}

const INCOMPLETE = { max_tokens: 'max_output_tokens', refusal: 'content_filter', end_turn: null, tool_use: null } as const;

function emptyResponse({ model, body }: ModelRequest, ids: WireIds): JsonObject {
  const echoed = (key: string, otherwise: JsonValue) => body[key] ?? otherwise;
  return {
    id: ids.next('resp'),
    object: 'response',
    created_at: ids.createdAt,
    status: 'in_progress',
    model,
    output: [],
    usage: null,
    error: null,
    incomplete_details: null,
    max_output_tokens: echoed('max_output_tokens', null),
    parallel_tool_calls: echoed('parallel_tool_calls', true),
    reasoning: echoed('reasoning', { effort: null, summary: null }),
    store: echoed('store', true),
    text: echoed('text', { format: { type: 'text' } }),
    tool_choice: echoed('tool_choice', 'auto'),
    ...UNASKED,
  };
}

// The real service repeats instructions and tools here, which no client reads and which are most of a request.
const UNASKED = {
  background: false, instructions: null, metadata: {}, previous_response_id: null, temperature: 1, tools: [], top_p: 1,
  truncation: 'disabled', user: null,
};

function itemsOf(request: ModelRequest, turn: AnswerTurn, ids: WireIds): readonly Item[] {
  const items: Item[] = [];
  const calls = turn.toolCalls ?? [];
  if (turn.thinking) {
    const wanted = Array.isArray(request.body.include) && request.body.include.includes('reasoning.encrypted_content');
    const summary = [{ type: 'summary_text', text: turn.thinking }];
    items.push({ type: 'reasoning', id: ids.next('rs'), summary, ...(wanted && { encrypted_content: 'c2NyaXB0ZWQ=' }) });
  }
  if (turn.text) {
    const content = [{ type: 'output_text', text: turn.text, annotations: [], logprobs: [] }];
    const phase = calls.length > 0 ? 'commentary' : 'final_answer';
    items.push({ type: 'message', id: ids.next('msg'), status: 'completed', role: 'assistant', phase, content });
  }
  return [...items, ...calls.map((call) => callItem(request, call, ids))];
}

/** The name that every CLI understands for a tool of an MCP server. */
const MCP_TOOL = /^(mcp__.+?)__(.+)$/;

function callItem({ body }: ModelRequest, { id, name, input }: ScriptedToolCall, ids: WireIds): Item {
  const call_id = id ?? ids.next('call');
  const done = { status: 'completed', call_id, name };
  if (typeof input === 'string') return { type: 'custom_tool_call', id: ids.next('ctc'), ...done, input };
  const call = { type: 'function_call', id: ids.next('fc'), ...done, arguments: JSON.stringify(input) } as const;
  const offered = offeredTools(body).filter((tool) => tool.name === name);
  if (offered.length === 1 && offered[0]?.namespace !== undefined) return { ...call, namespace: offered[0].namespace };
  // codex 0.171 offers the tools of MCP servers only to those who search for them, and knows them by a namespace for each server.
  const [, namespace, tool] = (offered.length === 0 ? MCP_TOOL.exec(name) : null) ?? [];
  return namespace === undefined || tool === undefined ? call : { ...call, namespace, name: tool };
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens = 0, cacheCreationTokens, reasoningTokens = 0 }: TurnUsage): JsonObject {
  const input = inputTokens + cacheReadTokens + (cacheCreationTokens ?? 0);
  const cached = { cached_tokens: cacheReadTokens };
  return {
    input_tokens: input,
    input_tokens_details: cacheCreationTokens === undefined ? cached : { ...cached, cache_write_tokens: cacheCreationTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: input + outputTokens,
  };
}

function* eventsOf(response: JsonObject, items: readonly Item[], finished: JsonObject): Generator<WireEvent> {
  let sequence_number = 0;
  for (const [type, fields] of unnumbered(response, items, finished)) yield { type, sequence_number: sequence_number++, ...fields };
}

function* unnumbered(response: JsonObject, items: readonly Item[], finished: JsonObject): Generator<Numbered> {
  yield ['response.created', { response }];
  yield ['response.in_progress', { response }];
  for (const [output_index, item] of items.entries()) {
    yield ['response.output_item.added', { output_index, item: announced(item) }];
    for (const [type, fields] of partsOf(item)) yield [`response.${type}`, { item_id: item.id, output_index, ...fields }];
    yield ['response.output_item.done', { output_index, item }];
  }
  yield [`response.${String(finished.status)}`, { response: finished }];
}

function announced(item: Item): JsonObject {
  switch (item.type) {
    case 'reasoning':
      return { ...item, summary: [] };
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
  }
}

function* partsOf(item: Item): Generator<Numbered> {
  switch (item.type) {
    case 'reasoning':
      for (const [summary_index, part] of item.summary.entries()) {
        yield ['reasoning_summary_part.added', { summary_index, part: { ...part, text: '' } }];
        for (const delta of piecesOf(part.text)) yield ['reasoning_summary_text.delta', { summary_index, delta }];
        yield ['reasoning_summary_text.done', { summary_index, text: part.text }];
        yield ['reasoning_summary_part.done', { summary_index, part }];
      }
      break;
    case 'message':
      for (const [content_index, part] of item.content.entries()) {
        yield ['content_part.added', { content_index, part: { ...part, text: '' } }];
        for (const delta of piecesOf(part.text)) yield ['output_text.delta', { content_index, delta, logprobs: [] }];
        yield ['output_text.done', { content_index, text: part.text, logprobs: [] }];
        yield ['content_part.done', { content_index, part }];
      }
      break;
    case 'function_call':
      for (const delta of piecesOf(item.arguments)) yield ['function_call_arguments.delta', { delta }];
      yield ['function_call_arguments.done', { arguments: item.arguments }];
      break;
    case 'custom_tool_call':
      for (const delta of piecesOf(item.input)) yield ['custom_tool_call_input.delta', { delta }];
      yield ['custom_tool_call_input.done', { input: item.input }];
  }
}
