import { z } from 'zod';
import type { JsonValue } from '../evidence/json.js';
import type { Usage } from '../evidence/usage.js';
import type { JudgeForm, JudgeWire } from './protocol.js';
import type { JudgeChoice } from './question.js';
import { readAnswer, readAnswerText, replySchemaFor, unreadable, VERDICT_TOOL, type JudgeReply } from './reply.js';

const MOST_TOKENS = 4096;

// Some servers that offer this protocol, and some models, refuse that a tool is forced on them.
const FORMS: readonly JudgeForm[] = [
  {
    body: (model, { system, user, choices }) => ({
      model,
      max_tokens: MOST_TOKENS,
      system,
      messages: [{ role: 'user', content: user }],
      tools: [{ name: VERDICT_TOOL, description: 'Gives the verdict.', input_schema: replySchemaFor(choices) }],
      tool_choice: { type: 'tool', name: VERDICT_TOOL, disable_parallel_tool_use: true },
      stream: false,
    }),
    isRefusedBy: (message) => /\btools?\b|tool.?choice/i.test(message),
  },
  {
    body: (model, { system, user }) => ({ model, max_tokens: MOST_TOKENS, system, messages: [{ role: 'user', content: user }], stream: false }),
    isRefusedBy: () => false,
  },
];

/** Anthropic's Messages, with the answer as the input of a tool that the model must call. */
export const anthropicMessages: JudgeWire = {
  forms: FORMS,
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  read(body, choices) {
    const parsed = messageSchema.safeParse(body);
    if (!parsed.success) return { reply: unreadable('it is no message with content'), usage: usageOf(body) };
    const { model } = parsed.data;
    return { reply: replyOf(parsed.data, choices), usage: usageOf(body), ...(typeof model === 'string' && { model }) };
  },
};

const messageSchema = z.object({
  model: z.unknown().optional(),
  stop_reason: z.string().nullish(),
  // Other kinds of blocks, such as thinking, are no answer.
  content: z.array(z.looseObject({ type: z.string() })),
});

const toolUseSchema = z.object({ name: z.string(), input: z.unknown().optional() });
const textSchema = z.object({ text: z.string() });

function replyOf({ stop_reason: stop, content }: z.infer<typeof messageSchema>, choices: readonly JudgeChoice[]): JudgeReply {
  if (stop === 'refusal') return { kind: 'refused', reason: 'the model stopped with a refusal' };
  if (stop === 'max_tokens' || stop === 'model_context_window_exceeded') return unreadable('the answer was cut off at the limit of tokens');
  const calls = content.filter(({ type }) => type === 'tool_use').map((block) => toolUseSchema.safeParse(block).data);
  if (calls.length > 1) return unreadable(`it called ${calls.length} tools, and only one answer counts`);
  if (calls.length === 1) return calls[0]?.name === VERDICT_TOOL ? readAnswer(calls[0].input, choices) : unreadable('it called a tool that it does not have');
  const text = content.filter(({ type }) => type === 'text').map((block) => textSchema.safeParse(block).data?.text ?? '').join('');
  return readAnswerText(text, choices);
}

const count = z.number().int().nonnegative().optional().catch(undefined);

const usageSchema = z.object({
  usage: z.object({ input_tokens: count, output_tokens: count, cache_read_input_tokens: count, cache_creation_input_tokens: count }),
});

/** The buckets exclude each other on the wire already. */
function usageOf(body: JsonValue): Usage {
  const parsed = usageSchema.safeParse(body);
  if (!parsed.success) return {};
  const { input_tokens: input, output_tokens: output, cache_read_input_tokens: read, cache_creation_input_tokens: created } = parsed.data.usage;
  return {
    ...(input !== undefined && { inputTokens: input }),
    ...(output !== undefined && { outputTokens: output }),
    ...(read !== undefined && { cacheReadTokens: read }),
    ...(created !== undefined && { cacheCreationTokens: created }),
  };
}
