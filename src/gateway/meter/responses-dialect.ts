import { isJsonObject, type JsonObject } from '../../evidence/json.js';
import type { AnswerFacts, Dialect } from './answer-facts.js';
import { beginsWithType, isBraced } from './bytes.js';
import { openaiUsageOf } from './openai-usage.js';
import { errorOf, objectOf, withNews, wordOf } from './said.js';

const ENDINGS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);

const IDLE = /^response\..*\.(?:delta|done|added)$/;

/** Answers of the OpenAI Responses API. */
export const responsesDialect: Dialect = {
  read,
  isWithoutUsage: (event) => event.startsWith('response.') && !ENDINGS.has(event),
  weigh: (event, name) => (name !== undefined && IDLE.test(name) && beginsWithType(event, name) && isBraced(event) ? 'nothing' : 'all'),
  usageInPieces: false,
  endsWithDone: false,
};

function read(facts: AnswerFacts, said: JsonObject): AnswerFacts {
  // As an event an error is flat; as a body it is held by `error`.
  if (said.type === 'error') return withNews(facts, { error: isJsonObject(said.error) ? errorOf(said.error) : errorOf({ ...said, type: said.code ?? null }) });
  if (isJsonObject(said.response)) {
    const isEnding = ENDINGS.has(said.type);
    return withResponse(facts, said.response, { isEnding, complete: isEnding });
  }
  if (said.type !== undefined) return facts;
  if (said.object === 'response' || said.object === 'response.compaction') return withResponse(facts, said, { isEnding: true });
  return isJsonObject(said.error) ? withNews(facts, { error: errorOf(said.error) }) : facts;
}

const NAMES = { input: 'input_tokens', inputDetails: 'input_tokens_details', output: 'output_tokens', outputDetails: 'output_tokens_details' };

function withResponse(facts: AnswerFacts, response: JsonObject, { isEnding, complete }: { isEnding: boolean; complete?: boolean }): AnswerFacts {
  const { error, status, usage } = response;
  const reason = wordOf(objectOf(response.incomplete_details).reason) ?? wordOf(status);
  return withNews(facts, {
    model: wordOf(response.model),
    messageId: wordOf(response.id),
    ...(isEnding && { stopReason: reason, usage: openaiUsageOf(usage, NAMES) }),
    ...(isJsonObject(error) && { error: errorOf(error) }),
    ...(complete === true && { complete }),
  });
}
