import type { JsonObject } from '../evidence/json.js';
import { BARE_EVENTS, JSON_ARRAY } from './framing.js';
import { readGeminiRequest } from './gemini-request.js';
import { piecesOf } from './pieces.js';
import type { AnswerTurn, TurnError, TurnUsage } from './script.js';
import { DEFAULT_USAGE, type ModelRequest, type Reply, type WholeReply, type Wire, type WireIds } from './wire.js';

/** The Gemini API: `generateContent` and `streamGenerateContent`. */
export const geminiWire: Wire = {
  protocol: 'gemini',
  readRequest: readGeminiRequest,
  answer: geminiAnswer,
  failure: geminiFailure,
};

// A client gives it back with what it signs.
const SIGNATURE = 'c2NyaXB0ZWQ=';

function geminiAnswer(request: ModelRequest, turn: AnswerTurn, ids: WireIds): Reply | string {
  const freeForm = turn.toolCalls?.find(({ input }) => typeof input === 'string');
  if (freeForm !== undefined) {
    return `tool call "${freeForm.name}" has a string as input, which the Gemini API cannot carry. Write an object.`;
  }
  const named = { modelVersion: request.model, responseId: ids.next('resp') };
  const calls = callPartsOf(turn, ids);
  const finishReason = FINISH_REASONS[turn.stopReason ?? 'end_turn'];
  const usage = turn.usage ?? DEFAULT_USAGE;
  const headers = { 'x-request-id': ids.requestId };
  const sayings = sayingsOf(turn, calls, request.stream ? piecesOf : (text) => (text === '' ? [] : [text]));
  if (!request.stream) {
    const content = { parts: sayings.flat(), role: 'model' };
    return { status: 200, headers, json: { candidates: [{ content, finishReason, index: 0 }], usageMetadata: usageOf(usage), ...named } };
  }
  const events = sayings.map((parts, index): JsonObject => {
    const isLast = index === sayings.length - 1;
    const candidate = { content: { parts, role: 'model' }, ...(isLast && { finishReason }), index: 0 };
    return { candidates: [candidate], usageMetadata: isLast ? usageOf(usage) : promptUsageOf(usage), ...named };
  });
  return { status: 200, headers, events, framing: request.asArray === true ? JSON_ARRAY : BARE_EVENTS };
}

const FINISH_REASONS = { end_turn: 'STOP', tool_use: 'STOP', max_tokens: 'MAX_TOKENS', refusal: 'SAFETY' } as const;

/** The parts of each chunk. At least one chunk, so that there is something to finish. */
function sayingsOf(turn: AnswerTurn, calls: readonly JsonObject[], cut: (text: string) => Iterable<string>): readonly (readonly JsonObject[])[] {
  const thoughts = [...cut(turn.thinking ?? '')].map((text) => [{ text, thought: true }]);
  const words = [...cut(turn.text ?? '')].map((text) => [{ text }]);
  const sayings = [...thoughts, ...words, ...calls.map((call) => [call])];
  return sayings.length > 0 ? sayings : [[{ text: '' }]];
}

function callPartsOf({ toolCalls = [] }: AnswerTurn, ids: WireIds): readonly JsonObject[] {
  return toolCalls.map(({ id, name, input }, index): JsonObject => {
    const functionCall = { id: id ?? ids.next('call'), name, args: input };
    // Of calls made together the first carries the signature.
    return index === 0 ? { functionCall, thoughtSignature: SIGNATURE } : { functionCall };
  });
}

function promptOf({ inputTokens, cacheReadTokens = 0, cacheCreationTokens = 0 }: TurnUsage): number {
  return inputTokens + cacheReadTokens + cacheCreationTokens;
}

/** What the service says before the answer is finished. */
function promptUsageOf(usage: TurnUsage): JsonObject {
  const promptTokenCount = promptOf(usage);
  return { promptTokenCount, totalTokenCount: promptTokenCount };
}

function usageOf(usage: TurnUsage): JsonObject {
  const { outputTokens, cacheReadTokens, reasoningTokens } = usage;
  const promptTokenCount = promptOf(usage);
  return {
    promptTokenCount,
    candidatesTokenCount: outputTokens - (reasoningTokens ?? 0),
    totalTokenCount: promptTokenCount + outputTokens,
    ...(cacheReadTokens !== undefined && { cachedContentTokenCount: cacheReadTokens }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokenCount }],
    ...(reasoningTokens !== undefined && { thoughtsTokenCount: reasoningTokens }),
  };
}

const STATUSES: { readonly [status: number]: string } = {
  400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND', 409: 'ABORTED', 429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED', 500: 'INTERNAL', 501: 'UNIMPLEMENTED', 503: 'UNAVAILABLE', 504: 'DEADLINE_EXCEEDED',
};

function geminiFailure(error: TurnError, requestId: string, { final }: { final: boolean } = { final: false }): WholeReply {
  const status = error.type ?? STATUSES[error.status] ?? (error.status < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL');
  const { retryAfterSeconds } = error;
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` }];
  return {
    status: error.status,
    headers: {
      'x-request-id': requestId,
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
      ...(final && { 'x-should-retry': 'false' }),
    },
    json: { error: { code: error.status, message: error.message ?? status, status, ...(retryAfterSeconds !== undefined && { details }) } },
  };
}
