import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../evidence/json.js';
import { readShape } from './read-shape.js';
import type { ModelRequest } from './wire.js';

const requestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().nullish(),
});

/** Reads the body of `POST /v1/chat/completions`. A string says why it is none. */
export function readChatRequest(value: unknown): ModelRequest | string {
  const read = readShape(requestSchema, value);
  if (typeof read === 'string') return read;
  const body = value as JsonObject;
  const messages = read.messages as readonly JsonObject[];
  const spoken = messages.findIndex(isOfModel);
  const lastPrompt = messages.findLastIndex(isOfUser);
  const runStart = messages.findLastIndex((message, index) => index < lastPrompt && (isOfModel(message) || isToolResult(message))) + 1;
  const newest = messages.findLast((message) => isOfUser(message) || isToolResult(message));
  return {
    model: read.model,
    stream: read.stream === true,
    system: messages.filter(isOfDeveloper).map(({ content }) => textOf(content)).join('\n'),
    firstUser: userText(messages.slice(0, spoken < 0 ? undefined : spoken)),
    lastUser: userText(messages.slice(runStart, lastPrompt + 1)),
    asked: { kind: newest !== undefined && isToolResult(newest) ? 'tool result' : 'message', text: textOf(newest?.content) },
    heard: messages.filter((message) => isOfUser(message) || isToolResult(message)).length,
    toolResults: messages.slice(messages.findLastIndex(isOfModel) + 1).filter(isToolResult).map(({ content }) => textOf(content)).join('\n'),
    tools: [...arrayOf(body.tools), ...arrayOf(body.functions)].flatMap(nameOf),
    hasImage: messages.some((message) => isOfUser(message) && arrayOf(message.content).some((part) => isJsonObject(part) && part.type === 'image_url')),
    body,
  };
}

function nameOf(tool: JsonValue): readonly string[] {
  if (!isJsonObject(tool)) return [];
  // `functions` of old holds the functions themselves.
  const named = tool.function ?? tool.custom ?? tool;
  return isJsonObject(named) && typeof named.name === 'string' ? [named.name] : [];
}

function isOfUser({ role }: JsonObject): boolean {
  return role === 'user';
}

function isOfModel({ role }: JsonObject): boolean {
  return role === 'assistant';
}

function isOfDeveloper({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer';
}

function isToolResult({ role }: JsonObject): boolean {
  return role === 'tool' || role === 'function';
}

function userText(messages: readonly JsonObject[]): string {
  return messages.filter(isOfUser).map(({ content }) => textOf(content)).join('\n');
}

function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  return arrayOf(content).flatMap((part) => (isJsonObject(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n');
}

function arrayOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
