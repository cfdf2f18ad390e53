import { isJsonObject, type JsonObject, type JsonValue } from '../../evidence/json.js';
import type { ProtocolName } from '../protocol.js';
import type { Author } from './normalise.js';
import { VOLATILE_FIELDS } from './rules.js';
import { cut, shown } from './excerpt.js';

/** One piece of a body. Every piece of a body is in exactly one. */
export interface BodyPart {
  /** Names the place for a person. Two parts may have the same name. */
  readonly where: string;
  readonly author: Author;
  readonly value: JsonValue;
}

/** Cuts a JSON body into parts: settings, system prompts, tools by name, and the conversation in its order. */
export function bodyPartsOf(protocol: ProtocolName | null, body: JsonValue): readonly BodyPart[] {
  if (!isJsonObject(body)) return [{ where: 'body', author: 'prompt', value: body }];
  const cutter = protocol === null ? undefined : CUTTERS[protocol];
  const own = new Set(cutter?.keys ?? []);
  const params = Object.keys(body).filter((key) => !own.has(key)).sort();
  return [...params.map((key) => paramPart(key, body[key] ?? null)), ...(cutter?.parts(body) ?? [])];
}

interface Cutter {
  /** Keys of the body that `parts` covers. */
  readonly keys: readonly string[];
  parts(body: JsonObject): readonly BodyPart[];
}

const CUTTERS: { readonly [protocol in ProtocolName]: Cutter } = {
  'anthropic-messages': {
    keys: ['system', 'tools', 'messages'],
    parts: (body) => [...listParts('system', body['system']), ...toolParts(body['tools']), ...messageParts('messages', body['messages'])],
  },
  'openai-responses': {
    keys: ['instructions', 'tools', 'input'],
    parts: (body) => [...listParts('instructions', body['instructions']), ...toolParts(body['tools']), ...messageParts('input', body['input'])],
  },
  'openai-chat': {
    keys: ['tools', 'messages'],
    parts: (body) => [...toolParts(body['tools']), ...messageParts('messages', body['messages'])],
  },
  gemini: {
    keys: ['systemInstruction', 'system_instruction', 'tools', 'contents'],
    parts: (body) => [
      ...listParts('systemInstruction', body['systemInstruction']), ...listParts('system_instruction', body['system_instruction']),
      ...toolParts(body['tools']), ...messageParts('contents', body['contents']),
    ],
  },
};

function paramPart(key: string, value: JsonValue): BodyPart {
  return { where: `params.${named(key)}`, author: 'prompt', value: { [key]: settled(key, value) } };
}

function settled(key: string, value: JsonValue): JsonValue {
  if (Object.hasOwn(VOLATILE_FIELDS, key)) return '<volatile>';
  if (!isJsonObject(value)) return value;
  const fields = Object.keys(value).filter((field) => Object.hasOwn(VOLATILE_FIELDS, `${key}.${field}`));
  return fields.length === 0 ? value : { ...value, ...Object.fromEntries(fields.map((field) => [field, '<volatile>'])) };
}

function listParts(name: string, value: JsonValue | undefined): readonly BodyPart[] {
  if (value === undefined) return [];
  if (!isList(value) || value.length === 0) return [{ where: name, author: 'prompt', value }];
  return value.map((item, index) => ({ where: `${name}[${index}]`, author: 'prompt', value: item }));
}

/** By name and not by place: servers of tools answer in any order. */
function toolParts(value: JsonValue | undefined): readonly BodyPart[] {
  if (value === undefined) return [];
  if (!isList(value) || value.length === 0) return [{ where: 'tools', author: 'prompt', value }];
  const parts = value.flatMap((tool): readonly BodyPart[] => {
    const declared = isJsonObject(tool) ? tool['functionDeclarations'] : undefined;
    if (!isJsonObject(tool) || !isList(declared) || Object.keys(tool).length !== 1) return [toolPart(tool, tool)];
    return declared.length === 0 ? [toolPart(tool, tool)] : declared.map((one) => toolPart(one, { functionDeclarations: [one] }));
  });
  return parts.map((part) => ({ part, key: part.where })).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ part }) => part);
}

function toolPart(tool: JsonValue, value: JsonValue): BodyPart {
  const fields = isJsonObject(tool) ? tool : {};
  const called = isJsonObject(fields['function']) ? fields['function']['name'] : undefined;
  const name = [fields['name'], called, fields['type'], Object.keys(fields)[0]].find((candidate) => typeof candidate === 'string');
  return { where: `tools.${named(typeof name === 'string' ? name : 'unnamed')}`, author: 'prompt', value };
}

function messageParts(list: string, value: JsonValue | undefined): readonly BodyPart[] {
  if (value === undefined) return [];
  if (!isList(value) || value.length === 0) return [{ where: list, author: 'prompt', value }];
  return value.flatMap((message, index) => (isJsonObject(message) ? partsOfMessage(`${list}[${index}]`, message) : [{ where: `${list}[${index}]`, author: 'prompt' as const, value: message }]));
}

/** One part for each block; the first one has what else the message holds, its role too. */
function partsOfMessage(place: string, message: JsonObject): readonly BodyPart[] {
  const { role, type } = message;
  const speaker = typeof role === 'string' ? role : typeof type === 'string' ? type : 'item';
  const author = authorOf(role, type);
  const held = ['content', 'parts'].find((key) => isList(message[key]) && message[key].length > 0);
  const where = `${place}.${named(speaker)}`;
  if (held === undefined || author === 'output') return [{ where, author, value: message }];
  return (message[held] as readonly JsonValue[]).map((block, index): BodyPart => ({
    where: `${where}.${kindOf(block)}`,
    author: author === 'model' ? author : isOutput(block) ? 'output' : author,
    value: index === 0 ? { ...message, [held]: [block] } : block,
  }));
}

function authorOf(role: JsonValue | undefined, type: JsonValue | undefined): Author {
  if (role === 'assistant' || role === 'model') return 'model';
  if (role === 'tool' || role === 'function') return 'output';
  if (typeof type !== 'string') return 'prompt';
  if (type.endsWith('_output')) return 'output';
  return type === 'reasoning' || type.endsWith('_call') ? 'model' : 'prompt';
}

function isOutput(block: JsonValue): boolean {
  return isJsonObject(block) && ((typeof block['type'] === 'string' && block['type'].endsWith('tool_result')) || block['functionResponse'] !== undefined);
}

function kindOf(block: JsonValue): string {
  if (typeof block === 'string') return 'text';
  if (!isJsonObject(block)) return 'value';
  if (typeof block['type'] === 'string') return named(block['type']);
  // Gemini's parts have no type: the key that is there says it.
  return named(Object.keys(block).find((key) => key !== 'thoughtSignature' && key !== 'thought') ?? 'empty');
}

const LONGEST_NAME = 80;

function named(name: string): string {
  if (name.length <= LONGEST_NAME && /^[\w.-]+$/.test(name)) return name;
  return cut(shown(cut(name, LONGEST_NAME)).replace(/\s/g, '_'), LONGEST_NAME);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
