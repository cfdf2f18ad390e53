import { z } from 'zod';
import { jsonValueSchema } from '../evidence/json.js';
import type { Lane, Script, Turn } from './script.js';
import { laneRules, scriptRules, turnRules, usageRules } from './script-rules.js';

const HOUR_MS = 3_600_000;
const phrase = z.string().min(1);
const count = z.number().int().nonnegative();
const pause = z.number().nonnegative().max(HOUR_MS);

const whenSchema = z.strictObject({
  firstUserIncludes: phrase.exactOptional(),
  lastUserIncludes: phrase.exactOptional(),
  systemIncludes: phrase.exactOptional(),
  hasTool: phrase.exactOptional(),
  lacksTool: phrase.exactOptional(),
  hasImage: z.boolean().exactOptional(),
  model: phrase.exactOptional(),
  agent: phrase.exactOptional(),
});

const expectsSchema = whenSchema.extend({ toolResultIncludes: phrase.exactOptional() });

const toolCallSchema = z.strictObject({
  id: z.string().regex(/^[\w-]{1,64}$/).exactOptional(),
  name: z.string().regex(/^[\w.-]{1,128}$/),
  input: z.union([z.string(), z.record(z.string(), jsonValueSchema)]),
});

const usageSchema = z
  .strictObject({
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count.exactOptional(),
    cacheCreationTokens: count.exactOptional(),
    reasoningTokens: count.exactOptional(),
  })
  .superRefine(usageRules);

const errorSchema = z.strictObject({
  status: z.number().int().min(400).max(599),
  type: phrase.exactOptional(),
  message: phrase.exactOptional(),
  retryAfterSeconds: z.number().nonnegative().exactOptional(),
});

const turnFields = z.strictObject({
  thinking: phrase.exactOptional(),
  text: z.string().exactOptional(),
  toolCalls: z.array(toolCallSchema).min(1).exactOptional(),
  usage: usageSchema.exactOptional(),
  stopReason: z.enum(['end_turn', 'tool_use', 'max_tokens', 'refusal']).exactOptional(),
  error: errorSchema.exactOptional(),
  delayMs: pause.exactOptional(),
  chunkDelayMs: pause.exactOptional(),
  cutAfterEvents: count.exactOptional(),
  stall: z.boolean().exactOptional(),
  repeat: z.number().int().min(1).exactOptional(),
  expects: expectsSchema.exactOptional(),
});

const turnSchema = turnFields.superRefine(turnRules).transform(({ error, ...answer }): Turn => {
  if (error === undefined) return answer;
  const { delayMs, repeat, expects } = answer;
  return { error, ...(delayMs !== undefined && { delayMs }), ...(repeat !== undefined && { repeat }), ...(expects !== undefined && { expects }) };
});

const turnsSchema = z.array(turnSchema).min(1);
const laneFields = z.strictObject({ name: phrase.exactOptional(), when: whenSchema.exactOptional(), turns: turnsSchema });

const scriptFields = z.strictObject({
  format: z.literal('niceeval.script/v1'),
  lanes: z.array(laneFields.superRefine(laneRules)).min(1).exactOptional(),
  turns: turnsSchema.exactOptional(),
});

/** Accepts both forms of a script file and gives the form with lanes. */
export const scriptSchema = scriptFields.superRefine(scriptRules).transform(({ format, lanes, turns }): Script => {
  const written = lanes ?? [{ turns: turns ?? [] }];
  const nameOf = (index: number): string => (written.length === 1 ? 'main' : `lane ${index + 1}`);
  return { format, lanes: written.map((lane, index): Lane => ({ ...lane, name: lane.name ?? nameOf(index) })) };
});

/** The keys that may stand in an object of a script, by the key that holds the object; `''` is the file itself. */
export const SCRIPT_KEYS: { readonly [holder: string]: readonly string[] } = {
  '': Object.keys(scriptFields.shape),
  lanes: Object.keys(laneFields.shape),
  when: Object.keys(whenSchema.shape),
  expects: Object.keys(expectsSchema.shape),
  turns: Object.keys(turnFields.shape),
  toolCalls: Object.keys(toolCallSchema.shape),
  usage: Object.keys(usageSchema.shape),
  error: Object.keys(errorSchema.shape),
};
