import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../evidence/json.js';
import { geminiTargetOf } from './gemini-target.js';
import { readShape } from './read-shape.js';
import type { ModelRequest } from './wire.js';

const requestSchema = z.looseObject({ contents: z.array(z.looseObject({ parts: z.array(z.looseObject({})) })).min(1) });

/** Reads the body of a `generateContent` or `streamGenerateContent`, whose path names the model. A string says why it is none. */
export function readGeminiRequest(value: unknown, target = ''): ModelRequest | string {
  const [path = '', query] = target.split('?', 2);
  const called = geminiTargetOf(path);
  if (called === undefined) return 'The path names no model, as in /v1beta/models/{model}:generateContent.';
  const read = readShape(requestSchema, value);
  if (typeof read === 'string') return read;
  const body = value as JsonObject;
  const contents = read.contents as readonly JsonObject[];
  const spoken = contents.findIndex(isOfModel);
  const users = contents.filter((content) => !isOfModel(content));
  const lastPrompt = contents.findLastIndex((content) => !isOfModel(content) && textOf(content) !== '');
  const runStart = contents.findLastIndex((content, index) => index < lastPrompt && (isOfModel(content) || holdsResult(content))) + 1;
  const newest = users.at(-1);
  const toolSpoke = newest !== undefined && holdsResult(newest) && textOf(newest) === '';
  return {
    model: called.model,
    stream: called.method === 'streamGenerateContent',
    ...(new URLSearchParams(query).get('alt') !== 'sse' && { asArray: true }),
    system: textOf(either(body, 'systemInstruction', 'system_instruction')),
    firstUser: contents.slice(0, spoken < 0 ? undefined : spoken).map(textOf).join('\n'),
    lastUser: contents.slice(runStart, lastPrompt + 1).map(textOf).filter((text) => text !== '').join('\n'),
    asked: { kind: toolSpoke ? 'tool result' : 'message', text: toolSpoke ? resultOf(newest) : textOf(newest) },
    heard: users.length,
    toolResults: contents.slice(contents.findLastIndex(isOfModel) + 1).filter(holdsResult).map(resultOf).join('\n'),
    tools: arrayOf(body.tools).flatMap(namesOf),
    hasImage: users.some((content) => partsOf(content).some(isImage)),
    body,
  };
}

function isOfModel({ role }: JsonObject): boolean {
  return role === 'model';
}

/** Declared functions by their names, tools of the service (`googleSearch`) by the key that turns them on. */
function namesOf(tool: JsonValue): readonly string[] {
  if (!isJsonObject(tool)) return [];
  const declared = arrayOf(either(tool, 'functionDeclarations', 'function_declarations'));
  const names = declared.flatMap((entry) => (isJsonObject(entry) && typeof entry.name === 'string' ? [entry.name] : []));
  return [...names, ...Object.keys(tool).filter((key) => key !== 'functionDeclarations' && key !== 'function_declarations')];
}

function isImage(part: JsonObject): boolean {
  return [either(part, 'inlineData', 'inline_data'), either(part, 'fileData', 'file_data')].some((data) => {
    const mime = isJsonObject(data) ? either(data, 'mimeType', 'mime_type') : undefined;
    return typeof mime === 'string' && mime.startsWith('image/');
  });
}

function holdsResult(content: JsonObject): boolean {
  return partsOf(content).some((part) => isJsonObject(either(part, 'functionResponse', 'function_response')));
}

function resultOf(content: JsonObject): string {
  const results = partsOf(content).map((part) => either(part, 'functionResponse', 'function_response')).filter(isJsonObject);
  return results.map(({ response }) => {
    const told = isJsonObject(response) ? response.output ?? response.error ?? response : response;
    return typeof told === 'string' ? told : JSON.stringify(told ?? null);
  }).join('\n');
}

/** The words of a content, or of a system prompt that is a bare string. */
function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  return partsOf(content).flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}

function partsOf(content: JsonValue | undefined): readonly JsonObject[] {
  return isJsonObject(content) ? arrayOf(content.parts).filter(isJsonObject) : [];
}

/** The service takes its fields in both spellings. */
function either(object: JsonObject, camel: string, snake: string): JsonValue | undefined {
  return object[camel] ?? object[snake];
}

function arrayOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
