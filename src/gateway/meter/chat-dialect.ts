import { isJsonObject, type JsonObject, type JsonValue } from '../../evidence/json.js';
import type { AnswerFacts, Dialect } from './answer-facts.js';
import { openaiUsageOf } from './openai-usage.js';
import { errorOf, objectOf, withNews, wordOf } from './said.js';
import { weighedByKeys } from './weigh.js';

const NAMES = {
  input: 'prompt_tokens', inputDetails: 'prompt_tokens_details', output: 'completion_tokens', outputDetails: 'completion_tokens_details',
};

/** Answers of the OpenAI Chat Completions API. Where usage comes more than once, the last one counts. */
export const chatDialect: Dialect = {
  read: (facts: AnswerFacts, said: JsonObject): AnswerFacts =>
    withNews(facts, {
      model: wordOf(said.model),
      messageId: wordOf(said.id),
      stopReason: finishReasonOf(said.choices),
      usage: openaiUsageOf(said.usage, NAMES),
      ...(isJsonObject(said.error) && { error: errorOf(said.error) }),
    }),
  // Its events have no names.
  isWithoutUsage: () => false,
  weigh: weighedByKeys('usage', 'finish_reason', 'error'),
  usageInPieces: false,
  endsWithDone: true,
};

function finishReasonOf(choices: JsonValue | undefined): string | undefined {
  const [first] = Array.isArray(choices) ? (choices as readonly JsonValue[]) : [];
  return wordOf(objectOf(first).finish_reason);
}
