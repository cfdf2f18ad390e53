import { isJsonObject, type JsonObject, type JsonValue } from '../../evidence/json.js';
import type { Usage } from '../../evidence/usage.js';
import type { AnswerFacts, Dialect } from './answer-facts.js';
import { beginsWithType, isBraced } from './bytes.js';
import { countOf, errorOf, objectOf, withNews, wordOf } from './said.js';

const IDLE: ReadonlySet<string> = new Set(['content_block_start', 'content_block_delta', 'content_block_stop', 'ping']);

/** Answers of the Anthropic Messages API. */
export const anthropicDialect: Dialect = {
  read,
  isWithoutUsage: (event) => event.startsWith('content_block_') || event === 'ping' || event === 'message_stop' || event === 'error',
  weigh: (event, name) => (name !== undefined && IDLE.has(name) && beginsWithType(event, name) && isBraced(event) ? 'nothing' : 'all'),
  usageInPieces: true,
  endsWithDone: false,
};

function read(facts: AnswerFacts, said: JsonObject): AnswerFacts {
  switch (said.type) {
    case 'message':
      return withMessage(facts, said);
    case 'message_start':
      return withMessage(facts, objectOf(said.message));
    case 'message_delta':
      return withNews(facts, { stopReason: wordOf(objectOf(said.delta).stop_reason), usage: usageAfter(facts.usage, said.usage) });
    case 'message_stop':
      return withNews(facts, { complete: true });
    case 'error':
      return withNews(facts, { error: errorOf(said.error) });
    default:
      return facts;
  }
}

function withMessage(facts: AnswerFacts, message: JsonObject): AnswerFacts {
  return withNews(facts, {
    model: wordOf(message.model),
    messageId: wordOf(message.id),
    stopReason: wordOf(message.stop_reason),
    usage: usageAfter(facts.usage, message.usage),
  });
}

const BUCKETS = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadTokens: 'cache_read_input_tokens',
  cacheCreationTokens: 'cache_creation_input_tokens',
} as const;

/**
 * Every event counts from the start of the message, so that a number takes the place of the one before. What an event leaves out stays;
 * a bucket whose number cannot be is unknown from then on.
 */
function usageAfter(before: Usage | undefined, value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return before;
  const usage: { -readonly [key in keyof Usage]: Usage[key] } = { ...before };
  for (const bucket of Object.keys(BUCKETS) as (keyof typeof BUCKETS)[]) {
    const told = value[BUCKETS[bucket]];
    if (told === undefined || told === null) continue;
    const count = countOf(told);
    if (count === undefined) delete usage[bucket];
    else usage[bucket] = count;
  }
  const thinking = countOf(objectOf(value.output_tokens_details).thinking_tokens);
  if (thinking !== undefined) usage.reasoningTokens = thinking;
  if ((usage.reasoningTokens ?? 0) > (usage.outputTokens ?? 0)) delete usage.reasoningTokens;
  return usage;
}
