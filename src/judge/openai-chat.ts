import { z } from 'zod';
import { parseJson, type JsonValue } from '../evidence/json.js';
import type { Usage } from '../evidence/usage.js';
import type { JudgePrompt } from './material.js';
import type { JudgeForm, JudgeReading, JudgeWire } from './protocol.js';
import type { JudgeChoice } from './question.js';
import { readAnswer, readAnswerText, replySchemaFor, unreadable, VERDICT_TOOL, type JudgeReply } from './reply.js';

const asked = (model: string, { system, user }: JudgePrompt): object => ({
  model,
  messages: [{ role: 'system', content: system }, { role: 'user', content: user }],
  stream: false,
});

const FORMS: readonly JudgeForm[] = [
  {
    body: (model, prompt) => ({
      ...asked(model, prompt),
      response_format: { type: 'json_schema', json_schema: { name: 'verdict', strict: true, schema: replySchemaFor(prompt.choices) } },
    }),
    isRefusedBy: (message) => /response.?format|json.?schema|structured.?output/i.test(message),
  },
  {
    body: (model, prompt) => ({
      ...asked(model, prompt),
      tools: [{ type: 'function', function: { name: VERDICT_TOOL, description: 'Gives the verdict.', parameters: replySchemaFor(prompt.choices) } }],
      tool_choice: { type: 'function', function: { name: VERDICT_TOOL } },
    }),
    isRefusedBy: (message) => /\btools?\b|tool.?choice|function/i.test(message),
  },
  { body: asked, isRefusedBy: () => false },
];

/**
 * Chat Completions of OpenAI and of the many servers that offer the same. `temperature` and limits of tokens are left out:
 * some models refuse them, and servers do not agree on their names.
 */
export const openaiChat: JudgeWire = {
  forms: FORMS,
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  read(body, choices) {
    const parsed = completionSchema.safeParse(body);
    if (!parsed.success) return { reply: unreadable('it is no chat completion with a message'), usage: usageOf(body) };
    const { choices: [first], model } = parsed.data;
    return { reply: replyOf(first, choices), usage: usageOf(body), ...(typeof model === 'string' && { model }) };
  },
};

const messageSchema = z.object({
  finish_reason: z.string().nullish(),
  message: z.object({
    content: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) })).nullish(),
  }),
});

const completionSchema = z.object({
  model: z.unknown().optional(),
  // One answer is asked for. Of more, none is the one that counts.
  choices: z.tuple([messageSchema]),
});

function replyOf({ finish_reason: finish, message }: z.infer<typeof messageSchema>, choices: readonly JudgeChoice[]): JudgeReply {
  if (finish === 'content_filter') return { kind: 'refused', reason: 'a content filter of the endpoint stopped the answer' };
  if (typeof message.refusal === 'string' && message.refusal !== '') return { kind: 'refused', reason: message.refusal };
  if (finish === 'length') return unreadable('the answer was cut off at the limit of tokens');
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) return readAnswerText(message.content ?? '', choices);
  const [call] = calls;
  if (calls.length > 1 || call?.function.name !== VERDICT_TOOL) return unreadable(`it must call ${VERDICT_TOOL} once, and called ${calls.map(({ function: { name } }) => name).join(', ')}`);
  const value = parseJson(call.function.arguments);
  return value === undefined ? unreadable('the arguments of the tool call are not JSON') : readAnswer(value, choices);
}

const count = z.number().int().nonnegative().optional().catch(undefined);

const usageSchema = z.object({
  usage: z.object({
    prompt_tokens: count,
    completion_tokens: count,
    prompt_tokens_details: z.object({ cached_tokens: count }).optional().catch(undefined),
    completion_tokens_details: z.object({ reasoning_tokens: count }).optional().catch(undefined),
  }),
});

function usageOf(body: JsonValue): JudgeReading['usage'] {
  const parsed = usageSchema.safeParse(body);
  if (!parsed.success) return {};
  const { prompt_tokens: prompt, completion_tokens: output, prompt_tokens_details: prompted, completion_tokens_details: completed } = parsed.data.usage;
  const cached = prompted?.cached_tokens;
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = {};
  // `prompt_tokens` counts what came from the cache, too.
  if (prompt !== undefined) usage.inputTokens = Math.max(0, prompt - (cached ?? 0));
  if (output !== undefined) usage.outputTokens = output;
  if (cached !== undefined) usage.cacheReadTokens = cached;
  if (completed?.reasoning_tokens !== undefined) usage.reasoningTokens = completed.reasoning_tokens;
  return usage;
}
