import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../evidence/json.js';
import { sampleOf } from './sample-json.js';
import { readShape } from './read-shape.js';
import type { ModelRequest, SideRequest } from './wire.js';

const requestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().optional(),
});

/** Reads the body of `POST /v1/messages`. A string says why it is none. */
export function readAnthropicRequest(value: unknown): ModelRequest | string {
  const read = readShape(requestSchema, value);
  if (typeof read === 'string') return read;
  const body = value as JsonObject;
  const messages = read.messages as readonly JsonObject[];
  const spoken = messages.findIndex(({ role }) => role === 'assistant');
  const users = messages.filter(({ role }) => role === 'user');
  const prompts = users.map((message) => promptOf(message.content));
  const newest = users.at(-1)?.content;
  const newestPrompt = promptOf(newest);
  const toolSpoke = newestPrompt === '';
  const facts = {
    model: read.model,
    stream: read.stream === true,
    system: [body.system, ...messages.filter(({ role }) => role === 'system').map(({ content }) => content)].map(textOf).join('\n'),
    firstUser: messages
      .slice(0, spoken < 0 ? undefined : spoken)
      .filter(({ role }) => role === 'user')
      .map(({ content }) => textOf(content))
      .join('\n'),
    lastUser: prompts.findLast((prompt) => prompt !== '') ?? '',
    asked: { kind: toolSpoke ? 'tool result' : 'message', text: toolSpoke ? toolResultOf(newest) : newestPrompt } as const,
    heard: users.length,
    toolResults: toolResultOf(newest),
    tools: arrayOf(body.tools).flatMap((tool) => (isJsonObject(tool) && typeof tool.name === 'string' ? [tool.name] : [])),
    hasImage: users.some(({ content }) => arrayOf(content).some((block) => isJsonObject(block) && block.type === 'image')),
    body,
  };
  const side = sideOf(facts);
  return side === undefined ? facts : { ...facts, side };
}

// claude-code 2.1.197: housekeeping (titles, topics, digests, classifiers) names the client in its system prompt but has no
// tools, no context management and no thinking, all of which the conversation has even under `--tools ""`.
const CLIENT_MARK = /x-anthropic-billing-header: cc_version|You are Claude Code\b|You are a Claude agent\b/;
const COMPACTION = 'Your task is to create a detailed summary of';
const SMALL = { inputTokens: 1, outputTokens: 1 };

function sideOf({ body, system, lastUser }: ModelRequest): SideRequest | undefined {
  // The quota and model probes ask for a single token, which no conversation does.
  if (body.max_tokens === 1) return { quotesUser: false, answer: { text: '#', stopReason: 'max_tokens', usage: SMALL } };
  if (!CLIENT_MARK.test(system)) return undefined;
  if (lastUser.includes(COMPACTION)) {
    return { quotesUser: false, answer: { text: '<summary>Scripted summary of the conversation so far.</summary>', usage: SMALL } };
  }
  const ownTools = arrayOf(body.tools).filter((tool) => !isJsonObject(tool) || !String(tool.type ?? '').startsWith('web_search_'));
  const thinking = isJsonObject(body.thinking) && body.thinking.type !== 'disabled';
  if (ownTools.length > 0 || thinking || body.context_management !== undefined) return undefined;
  const format = isJsonObject(body.output_config) ? body.output_config.format : undefined;
  const text = isJsonObject(format) && format.type === 'json_schema' ? JSON.stringify(sampleOf(format.schema)) : 'Scripted';
  return { quotesUser: true, answer: { text, usage: SMALL } };
}

/** The user's words of one message: its text without tool results and without the reminders that the client adds. */
function promptOf(content: JsonValue | undefined): string {
  return textsOf(content).filter((text) => !isReminder(text.trim())).join('\n');
}

function isReminder(text: string): boolean {
  return text.startsWith('<system-reminder>') && text.endsWith('</system-reminder>');
}

function toolResultOf(content: JsonValue | undefined): string {
  const results = arrayOf(content).filter((block) => isJsonObject(block) && block.type === 'tool_result') as readonly JsonObject[];
  return results.map((result) => textOf(result.content)).join('\n');
}

function textOf(content: JsonValue | undefined): string {
  return textsOf(content).join('\n');
}

function textsOf(content: JsonValue | undefined): readonly string[] {
  if (typeof content === 'string') return [content];
  return arrayOf(content).flatMap((block) => (isJsonObject(block) && typeof block.text === 'string' ? [block.text] : []));
}

function arrayOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
