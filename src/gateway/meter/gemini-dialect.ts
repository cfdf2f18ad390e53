import { isJsonObject, type JsonObject, type JsonValue } from '../../evidence/json.js';
import type { Usage } from '../../evidence/usage.js';
import type { AnswerFacts, Dialect } from './answer-facts.js';
import { countOf, errorOf, objectOf, withNews, wordOf } from './said.js';
import { weighedByKeys } from './weigh.js';

/** Answers of the Gemini API. Every chunk counts from the start of the answer, so that the last one's usage counts. */
export const geminiDialect: Dialect = {
  read(facts: AnswerFacts, said: JsonObject): AnswerFacts {
    const [candidate] = Array.isArray(said.candidates) ? (said.candidates as readonly JsonValue[]) : [];
    const stopReason = wordOf(objectOf(candidate).finishReason) ?? wordOf(objectOf(said.promptFeedback).blockReason);
    return withNews(facts, {
      model: wordOf(said.modelVersion),
      messageId: wordOf(said.responseId),
      stopReason,
      usage: usageOf(said.usageMetadata),
      ...(isJsonObject(said.error) && { error: errorOf(said.error) }),
      // A stream of events has no other end.
      ...(stopReason !== undefined && { complete: true }),
    });
  },
  isWithoutUsage: () => false,
  weigh: weighedByKeys('usageMetadata', 'finishReason', 'blockReason', 'error'),
  usageInPieces: false,
  endsWithDone: false,
};

/** The service counts cached tokens into the prompt, and thoughts and the prompts of its own tools beside everything else. */
function usageOf(value: JsonValue | undefined): Usage | undefined {
  const told = objectOf(value);
  const prompt = countOf(told.promptTokenCount);
  const toolUse = countOf(told.toolUsePromptTokenCount);
  const cached = countOf(told.cachedContentTokenCount);
  const candidates = countOf(told.candidatesTokenCount);
  const thoughts = countOf(told.thoughtsTokenCount);
  if (prompt === undefined && candidates === undefined && thoughts === undefined) return undefined;
  return {
    ...(prompt !== undefined && { inputTokens: Math.max(0, prompt - (cached ?? 0)) + (toolUse ?? 0) }),
    ...((candidates !== undefined || thoughts !== undefined) && { outputTokens: (candidates ?? 0) + (thoughts ?? 0) }),
    ...(cached !== undefined && { cacheReadTokens: cached }),
    ...(thoughts !== undefined && { reasoningTokens: thoughts }),
  };
}
