import { z } from 'zod';
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '../evidence/json.js';
import { readShape } from './read-shape.js';
import type { ModelRequest, SideRequest } from './wire.js';

const requestSchema = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(z.looseObject({})).min(1)]),
  stream: z.boolean().nullish(),
});

/** Reads the body of `POST /v1/responses`. A string says why it is none. */
export function readOpenaiRequest(value: unknown): ModelRequest | string {
  const read = readShape(requestSchema, value);
  if (typeof read === 'string') return read;
  const body = value as JsonObject;
  const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (read.input as readonly JsonObject[]);
  const spoken = items.findIndex(isOfModel);
  const lastPrompt = items.findLastIndex(isOfUser);
  const runStart = items.findLastIndex((item, index) => index < lastPrompt && (isOfModel(item) || isToolResult(item))) + 1;
  const newest = items.findLast((item) => isOfUser(item) || isToolResult(item));
  const toolSpoke = newest !== undefined && isToolResult(newest);
  const facts = {
    model: read.model,
    stream: read.stream === true,
    system: [textOf(body.instructions), ...items.filter(isOfDeveloper).map(({ content }) => textOf(content))].join('\n'),
    firstUser: [userText(items.slice(0, spoken < 0 ? undefined : spoken)), ...tasksOf(items.slice(0, spoken < 0 ? undefined : spoken))].join('\n'),
    lastUser: userText(items.slice(runStart, lastPrompt + 1)),
    asked: { kind: toolSpoke ? 'tool result' : 'message', text: textOf(toolSpoke ? newest.output : newest?.content) } as const,
    heard: items.filter((item) => isOfUser(item) || isToolResult(item)).length,
    toolResults: items.slice(items.findLastIndex(isOfModel) + 1).filter(isToolResult).map(({ output }) => textOf(output)).join('\n'),
    tools: offeredTools(body).map(({ name }) => name),
    hasImage: items.some((item) => isOfUser(item) && arrayOf(item.content).some((part) => isJsonObject(part) && part.type === 'input_image')),
    body,
  };
  const side = sideOf(body);
  return side === undefined ? facts : { ...facts, side };
}

/** A tool that a request offers, with the namespace it lives in. */
export interface OfferedTool {
  readonly name: string;
  readonly namespace?: string;
}

/**
 * Every tool that a request offers: in `tools`, in namespaces, and in items of type `additional_tools`, where Codex puts them
 * for models of its lite protocol.
 */
export function offeredTools(body: JsonObject): readonly OfferedTool[] {
  const items = arrayOf(body.input).filter((item) => isJsonObject(item)) as readonly JsonObject[];
  const added = items.flatMap(({ type, tools }) => (type === 'additional_tools' ? arrayOf(tools) : []));
  return [...arrayOf(body.tools), ...added].flatMap((tool): readonly OfferedTool[] => {
    if (!isJsonObject(tool)) return [];
    if (tool.type === 'namespace' && typeof tool.name === 'string') {
      const namespace = tool.name;
      const inside = arrayOf(tool.tools).filter((inner) => isJsonObject(inner)) as readonly JsonObject[];
      return inside.flatMap(({ name }) => (typeof name === 'string' ? [{ name, namespace }] : []));
    }
    const name = tool.name ?? tool.type;
    return typeof name === 'string' ? [{ name }] : [];
  });
}

// codex 0.171: `request_kind` is `turn` for the conversation; anything else (`compaction`) is the client's own.
function sideOf(body: JsonObject): SideRequest | undefined {
  const metadata = isJsonObject(body.client_metadata) ? body.client_metadata['x-codex-turn-metadata'] : undefined;
  const turn = typeof metadata === 'string' ? parseJson(metadata) : undefined;
  if (!isJsonObject(turn) || typeof turn.request_kind !== 'string' || turn.request_kind === 'turn') return undefined;
  const usage = { inputTokens: 1, outputTokens: 1 };
  return { quotesUser: false, answer: { text: 'Scripted summary of the conversation so far.', usage } };
}

function isOfUser(item: JsonObject): boolean {
  return item.role === 'user';
}

function isOfDeveloper({ role, type }: JsonObject): boolean {
  return (role === 'developer' || role === 'system') && type !== 'additional_tools';
}

function isToolResult({ type }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('_call_output');
}

function isOfModel({ role, type }: JsonObject): boolean {
  return role === 'assistant' || type === 'reasoning' || (typeof type === 'string' && type.endsWith('_call'));
}

function userText(items: readonly JsonObject[]): string {
  return items.filter(isOfUser).map(({ content }) => textOf(content)).join('\n');
}

// codex 0.171: a subagent is told its task by an item of its own, with the task's name in front; the service would seal the rest.
function tasksOf(items: readonly JsonObject[]): readonly string[] {
  return items.filter(({ type }) => type === 'agent_message').flatMap(({ content }) => arrayOf(content).flatMap((part) => {
    const text = isJsonObject(part) ? part.text ?? part.encrypted_content : undefined;
    return typeof text === 'string' ? [text] : [];
  }));
}

function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  const texts = arrayOf(content).map((part) => (isJsonObject(part) ? part.text : undefined));
  return texts.filter((text) => typeof text === 'string').join('\n');
}

function arrayOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
