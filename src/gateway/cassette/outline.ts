import { createHash } from 'node:crypto';
import { isJsonObject, parseJson, type JsonValue } from '../../evidence/json.js';
import type { ProtocolName } from '../protocol.js';
import { bodyPartsOf, type BodyPart } from './body-parts.js';
import { canonicalJson } from './canonical.js';
import { cut, excerptOf } from './excerpt.js';
import { createNormaliser, type Author, type Normaliser } from './normalise.js';
import { textWithoutSecrets, withoutSecrets } from './rewrite.js';
import { OPAQUE_KEYS } from './rules.js';

/** What is taken for the same although it differs. */
export interface NormalOptions {
  /** Sources of regular expressions; what they match becomes `<volatile>` in every text. Default: none. */
  readonly volatile?: readonly string[];
  /** Exact texts; each becomes `<secret>`, also where it stands escaped in JSON. Default: none. */
  readonly secrets?: readonly string[];
}

/** A request of a client, as far as it is compared. */
export interface OutlinedRequest {
  /** `null` when the path belongs to no protocol: its body is cut by its top-level keys. */
  readonly protocol: ProtocolName | null;
  readonly method: string;
  /** A query is left out. */
  readonly path: string;
  /** Without a transfer or content coding; at most 64 MB are meant. `null` when there was none. */
  readonly body: Uint8Array | null;
}

/** One piece of a request. */
export interface OutlinePart {
  /** The place, for a person; no two parts of an outline have the same. */
  readonly where: string;
  /** Hexadecimal, of the normalised piece. */
  readonly sha256: string;
  /** The beginning of the normalised piece on one line; at most 200 UTF-16 code units. */
  readonly excerpt: string;
  /** Ids by chance that the piece names, in its order, as they were: what the model may say again. Not part of `sha256`. */
  readonly ids?: readonly string[];
}

/** What identifies a request: two requests with the same `sha256` are equal but for what varies from run to run. */
export interface RequestOutline {
  readonly protocol: ProtocolName | null;
  readonly method: string;
  /** Without the query; at most 500 UTF-16 code units. */
  readonly path: string;
  /** At most 200 UTF-16 code units; absent when the request names none. */
  readonly model?: string;
  /** Settings, system prompts, tools, conversation; at most {@link MOST_PARTS}. */
  readonly parts: readonly OutlinePart[];
  /** Hexadecimal, of all of the above but excerpts and ids. */
  readonly sha256: string;
}

/** So many parts an outline has at most; all further pieces are one part, `rest`. */
export const MOST_PARTS = 5_000;
const MOST_IDS = 200;
const LONGEST_ID = 100;

/**
 * Tells what identifies a request. Pure; the time is linear in the size of the body, and depth costs no stack.
 *
 * @throws CassetteError when a pattern of `volatile` cannot be used or takes too long.
 */
export function outlineOf(request: OutlinedRequest, options: NormalOptions = {}): RequestOutline {
  const { volatile, secrets = [] } = options;
  const normaliser = createNormaliser(volatile);
  const { protocol } = request;
  const { body, pieces } = piecesOf(request, secrets);
  const names = namesApart();
  const parts = foldedAt(MOST_PARTS, pieces).map((piece): OutlinePart => {
    const { text, ids } = normalPiece(piece, normaliser);
    return { where: names(piece.where), sha256: typeof text === 'string' ? sha256Of(text) : hashOf(text), excerpt: excerptOf(shownAs(text)), ...(ids.length === 0 ? {} : { ids: ids.slice(0, MOST_IDS).map((id) => cut(id, LONGEST_ID)) }) };
  });
  const method = cut(request.method, 20);
  const path = boundedPath(textWithoutSecrets(request.path.split(/[?#]/, 1)[0] ?? '', secrets));
  const model = modelOf(request, body);
  const sha256 = sha256Of(JSON.stringify([protocol, method, path, parts.map((part) => [part.where, part.sha256])]));
  return { protocol, method, path, ...(model === undefined ? {} : { model: cut(textWithoutSecrets(model, secrets), 200) }), parts, sha256 };
}

/**
 * The whole normalised text of each part, by its place, in the words of {@link outlineOf}: to show where two requests differ.
 *
 * @throws CassetteError as {@link outlineOf} does.
 */
export function partTextsOf(request: OutlinedRequest, options: NormalOptions = {}): ReadonlyMap<string, string> {
  const { volatile, secrets = [] } = options;
  const normaliser = createNormaliser(volatile);
  const names = namesApart();
  const texts = new Map<string, string>();
  for (const piece of foldedAt(MOST_PARTS, piecesOf(request, secrets).pieces)) texts.set(names(piece.where), shownAs(normalPiece(piece, normaliser).text));
  return texts;
}

interface Piece { readonly where: string; readonly author: Author; readonly value: JsonValue | Uint8Array }

function piecesOf({ protocol, body: given }: OutlinedRequest, secrets: readonly string[]): { readonly body?: JsonValue; readonly pieces: readonly Piece[] } {
  if (given === null || given.length === 0) return { pieces: [] };
  const body = withoutSecrets(given, secrets);
  const text = utf8Of(body);
  // Other bytes are compared as they are: as text, different ones would become equal.
  if (text === undefined) return { pieces: [{ where: 'body', author: 'prompt', value: body }] };
  const json = isDeep(text) ? undefined : parseJson(text);
  if (json === undefined) return { pieces: [{ where: 'body', author: 'prompt', value: text }] };
  const parts: readonly BodyPart[] = bodyPartsOf(protocol, json);
  return { body: json, pieces: parts.length === 0 ? [{ where: 'body', author: 'prompt', value: json }] : parts };
}

/** The last of so many pieces holds all that come after it. */
function foldedAt(most: number, pieces: readonly Piece[]): readonly Piece[] {
  if (pieces.length <= most) return pieces;
  const rest = pieces.slice(most - 1).map(({ where, value }): JsonValue => [where, value instanceof Uint8Array ? '' : value]);
  return [...pieces.slice(0, most - 1), { where: 'rest', author: 'output', value: rest }];
}

/** More texts than this in one piece are normalised as one: each for itself costs a look at every rule. */
const MOST_LEAVES = 2_000;

function normalPiece({ value, author }: Piece, normaliser: Normaliser): { readonly text: string | Uint8Array; readonly ids: readonly string[] } {
  if (value instanceof Uint8Array) return { text: value, ids: [] };
  const { spoken, around } = spokenOf(value);
  const ids: string[] = [];
  const texts: string[] = spoken === undefined || isOpaque(spoken.text, spoken.key) ? [] : [spoken.text];
  const plain = canonicalJson(around, (text, key) => {
    if (!isOpaque(text, key)) texts.push(text);
    return text;
  });
  if (texts.length > MOST_LEAVES) {
    const [text = ''] = normaliser.own([spoken === undefined ? plain : `${spoken.text}\n${plain}`]);
    return { text: normaliser.text(text, author, ids), ids };
  }
  const own = normaliser.own(texts);
  let next = 0;
  const leaf = (text: string, key: string): string => {
    if (isOpaque(text, key)) return text;
    next += 1;
    return normaliser.text(own[next - 1] ?? '', author, ids);
  };
  const first = spoken === undefined ? '' : `${leaf(spoken.text, spoken.key)}\n`;
  return { text: first + canonicalJson(around, leaf), ids };
}

function shownAs(text: string | Uint8Array): string {
  return typeof text === 'string' ? text : `${text.length} bytes that are no text`;
}

const SPOKEN = ['text', 'output', 'content', 'arguments', 'input'];

/** Takes the main text out of a value, so that a person reads it without the marks of JSON. What is left shows where it was. */
function spokenOf(value: JsonValue): { readonly spoken?: { readonly text: string; readonly key: string }; readonly around: JsonValue } {
  if (typeof value === 'string') return { spoken: { text: value, key: '' }, around: '' };
  if (!isJsonObject(value)) return { around: value };
  const key = SPOKEN.find((name) => Object.hasOwn(value, name) && typeof value[name] === 'string');
  if (key !== undefined) return { spoken: { text: value[key] as string, key }, around: { ...value, [key]: '' } };
  const list = ['content', 'parts'].find((name) => Object.hasOwn(value, name) && Array.isArray(value[name]) && value[name].length === 1);
  const only = list === undefined ? undefined : (value[list] as readonly JsonValue[])[0];
  if (list === undefined || !isJsonObject(only)) return { around: value };
  const inner = SPOKEN.find((name) => Object.hasOwn(only, name) && typeof only[name] === 'string');
  return inner === undefined ? { around: value } : { spoken: { text: only[inner] as string, key: inner }, around: { ...value, [list]: [{ ...only, [inner]: '' }] } };
}

const LONGEST_PATH = 500;

/** A path that is too long ends with its hash. */
function boundedPath(path: string): string {
  return path.length <= LONGEST_PATH ? path : `${cut(path, LONGEST_PATH - 65)}~${sha256Of(path)}`;
}

const LONG_DATA = 1_000;

function isOpaque(text: string, key: string): boolean {
  return OPAQUE_KEYS.has(key) || (text.length > LONG_DATA && text.startsWith('data:'));
}

function modelOf({ protocol, path }: OutlinedRequest, body: JsonValue | undefined): string | undefined {
  const stated = isJsonObject(body) ? body['model'] : undefined;
  if (typeof stated === 'string') return stated;
  return protocol === 'gemini' ? /\/models\/([^/:?#]{1,200})/.exec(path)?.[1] : undefined;
}

/** A second `tools.Bash` becomes `tools.Bash(2)`. */
function namesApart(): (where: string) => string {
  const counts = new Map<string, number>();
  const taken = new Set<string>();
  return (where) => {
    let own = where;
    for (let count = (counts.get(where) ?? 0) + 1; ; count += 1) {
      if (count > 1) own = `${where}(${count})`;
      counts.set(where, count);
      if (!taken.has(own)) break;
    }
    taken.add(own);
    return own;
  };
}

const DEEPEST = 5_000;

/** True where brackets are open to a depth that no client means: to take such a text for JSON takes long. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) !== QUOTE) index += text.charCodeAt(index) === BACKSLASH ? 2 : 1;
  return index;
}

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

// Half of a surrogate pair would become the same three bytes in UTF-8, whichever it is.
function sha256Of(text: string): string {
  return createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex');
}
