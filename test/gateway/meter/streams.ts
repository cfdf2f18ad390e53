/** Events as their vendors publish them: each a name and its data. A name that is empty has no line of its own. */
export function sse(...events: readonly (readonly [name: string, data: object | string])[]): string {
  return events.map(([name, data]) => `${name && `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`).join('');
}

/** Events that are named by the type in their data. */
export function named(...events: readonly { readonly type: string }[]): string {
  return sse(...events.map((event) => [event.type, event] as const));
}

// https://platform.claude.com/docs/en/build-with-claude/streaming, "Basic streaming request" and "Streaming request with web search tool use".
const claude = { type: 'message', role: 'assistant', content: [], stop_reason: null, stop_sequence: null };
export const anthropicText = named(
  { type: 'message_start', message: { id: 'msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGZszyy', model: 'claude-opus-4-7', ...claude, usage: { input_tokens: 25, output_tokens: 1 } } } as never,
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never,
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } } as never,
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '! 👋' } } as never,
  { type: 'content_block_stop', index: 0 } as never,
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 15 } } as never,
  { type: 'message_stop' },
);
export const anthropicSearch = named(
  {
    type: 'message_start',
    message: {
      id: 'msg_01G', model: 'claude-opus-4-7', ...claude,
      usage: { input_tokens: 2679, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 3 },
    },
  } as never,
  { type: 'content_block_start', index: 1, content_block: { type: 'server_tool_use', id: 'srvtoolu_014', name: 'web_search', input: {} } } as never,
  {
    type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { input_tokens: 10682, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 510, server_tool_use: { web_search_requests: 1 } },
  } as never,
  { type: 'message_stop' },
);

// https://platform.openai.com/docs/api-reference/responses/create, "Streaming".
const response = {
  id: 'resp_67c9fdcecf488190bdd9a0409de3a1ec07b8b0ad4e5eb654', object: 'response', created_at: 1741290958, error: null, incomplete_details: null,
  model: 'gpt-4.1-2025-04-14',
};
export const responsesText = named(
  { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } } as never,
  { type: 'response.in_progress', response: { ...response, status: 'in_progress', output: [], usage: null } } as never,
  { type: 'response.output_text.delta', item_id: 'msg_67', output_index: 0, content_index: 0, delta: 'Hi' } as never,
  {
    type: 'response.completed',
    response: {
      ...response, status: 'completed', output: [{ id: 'msg_67', type: 'message', content: [{ type: 'output_text', text: 'Hi there! "}' }] }],
      usage: { input_tokens: 37, output_tokens: 11, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 48 },
    },
  } as never,
);

// https://platform.openai.com/docs/api-reference/chat-streaming, with the last chunk that `include_usage` adds.
const chunk = { id: 'chatcmpl-123', object: 'chat.completion.chunk', created: 1694268190, model: 'gpt-4o-mini', system_fingerprint: 'fp_44709d6fcb' };
const choice = (delta: object, finish_reason: string | null = null): object => ({ index: 0, delta, logprobs: null, finish_reason });
export const chatText = sse(
  ['', { ...chunk, choices: [choice({ role: 'assistant', content: '' })], usage: null }],
  ['', { ...chunk, choices: [choice({ content: 'Hello' })], usage: null }],
  ['', { ...chunk, choices: [choice({}, 'stop')], usage: null }],
  ['', {
    ...chunk, choices: [],
    usage: {
      prompt_tokens: 2006, completion_tokens: 300, total_tokens: 2306, prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 192, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
    },
  }],
  ['', '[DONE]'],
);

// https://ai.google.dev/api/generate-content: GenerateContentResponse, UsageMetadata.
const gemini = { modelVersion: 'gemini-2.5-flash', responseId: 'fVdWaP2x' };
const candidate = (text: string, finish: object = {}): object => ({ content: { parts: [{ text }], role: 'model' }, index: 0, ...finish });
const geminiChunks = [
  { candidates: [candidate('AI works "]} \\')], usageMetadata: { promptTokenCount: 9, totalTokenCount: 509, thoughtsTokenCount: 500 }, ...gemini },
  { candidates: [candidate(' by learning.')], usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 514, thoughtsTokenCount: 500 }, ...gemini },
  {
    candidates: [candidate('', { finishReason: 'STOP' })],
    usageMetadata: {
      promptTokenCount: 2009, candidatesTokenCount: 24, totalTokenCount: 2557, thoughtsTokenCount: 514, cachedContentTokenCount: 1500, toolUsePromptTokenCount: 10,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 2009 }],
    },
    ...gemini,
  },
];
export const geminiText = sse(...geminiChunks.map((data) => ['', data] as const));
export const geminiArray = `[${geminiChunks.map((data) => JSON.stringify(data, undefined, 2)).join('\n,\r\n')}\n]\n`;
