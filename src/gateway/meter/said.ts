import { isJsonObject, type JsonObject, type JsonValue } from '../../evidence/json.js';
import type { AnswerError, AnswerFacts } from './answer-facts.js';

const LONGEST_WORD = 200;
const LONGEST_MESSAGE = 1000;

/** A count of tokens. `undefined`: none, or one that cannot be. */
export function countOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A name or a word, cut short. `undefined`: no text, or an empty one. */
export function wordOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_WORD) : undefined;
}

/** An object under a key. Anything else is an object that says nothing. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** What an error object of any of the vendors says. Gemini words the kind as `status`; OpenAI may give only a `code`. */
export function errorOf(value: JsonValue | undefined): AnswerError {
  const { type, status, code, message } = objectOf(value);
  const kind = wordOf(type) ?? wordOf(status) ?? wordOf(code);
  return {
    ...(kind !== undefined && { type: kind }),
    ...(typeof message === 'string' && message !== '' && { message: message.slice(0, LONGEST_MESSAGE) }),
  };
}

/** Facts with news over them. What is `undefined` in the news stays as it was; without news the facts are the same object. */
export function withNews(facts: AnswerFacts, news: { readonly [key in keyof AnswerFacts]?: AnswerFacts[key] | undefined }): AnswerFacts {
  const told = Object.entries(news).filter(([key, value]) => value !== undefined && value !== facts[key as keyof AnswerFacts]);
  return told.length === 0 ? facts : { ...facts, ...Object.fromEntries(told) };
}
