import { z } from 'zod';
import { isJsonObject, parseJson } from '../evidence/json.js';
import type { JudgeChoice } from './question.js';

/** What a model replied, once read. The texts are the model's own, of any length, and may hold anything. */
export type JudgeReply =
  | { readonly kind: 'chosen'; readonly choice: string; readonly rationale: string }
  /** It would not judge. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It says no choice that can be relied on. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** The name of the tool that gives the answer, where a protocol has tools. */
export const VERDICT_TOOL = 'give_verdict';

/** The form of the answer as JSON Schema. The reasons come first, so that the choice follows from them. */
export function replySchemaFor(choices: readonly JudgeChoice[]): object {
  return {
    type: 'object',
    properties: {
      rationale: { type: 'string', description: 'The reasons for the choice.' },
      choice: { type: 'string', enum: choices.map(({ name }) => name), description: 'The name of the choice.' },
    },
    required: ['rationale', 'choice'],
    additionalProperties: false,
  };
}

export function unreadable(reason: string): JudgeReply {
  return { kind: 'unreadable', reason };
}

const answerSchema = z.object({ rationale: z.string(), choice: z.string() });

/** Reads the answer as a value, such as the input of a tool call. */
export function readAnswer(value: unknown, choices: readonly JudgeChoice[]): JudgeReply {
  const parsed = answerSchema.safeParse(value);
  if (!parsed.success) return unreadable(isJsonObject(value) ? 'the answer lacks a `rationale` or a `choice` that is text' : 'the answer is no JSON object');
  const choice = parsed.data.choice.trim();
  if (!choices.some(({ name }) => name === choice)) {
    return unreadable(`its choice is none of ${choices.map(({ name }) => `"${name}"`).join(', ')}: "${choice}"`);
  }
  return { kind: 'chosen', choice, rationale: parsed.data.rationale };
}

/**
 * Reads the answer as text: a JSON object, or one in a fenced block, with nothing around it. An answer that is looked for in
 * prose could be one that the judge only quotes.
 */
export function readAnswerText(text: string, choices: readonly JudgeChoice[]): JudgeReply {
  const trimmed = text.trim();
  if (trimmed === '') return unreadable('the answer is empty');
  const json = /^```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n?```$/.exec(trimmed)?.[1] ?? trimmed;
  const value = parseJson(json);
  if (value === undefined) return unreadable('the answer is not JSON');
  // JSON.parse keeps the last of two members of one name. A quote inside a string is escaped, so this sees members only.
  if ((json.match(/(?<!\\)"choice"\s*:/g) ?? []).length > 1) return unreadable('the answer has more than one `choice`');
  return readAnswer(value, choices);
}
