import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '../../evidence/json.js';
import { patternOf, secretsAs, type Replacement } from './replace.js';

/** The same body without the secrets: as they are, escaped in JSON, and cut in two over the events of a stream. `<secret>` takes their place. */
export function withoutSecrets(body: Uint8Array, secrets: readonly string[]): Uint8Array {
  const masks = secretsAs('<secret>', secrets);
  if (masks.length === 0) return body;
  const text = utf8Of(body);
  if (text !== undefined) return rewritten(body, text, patternOf(masks), () => '<secret>');
  // Bytes that are no text stay as they are: each is one character here.
  const bytewise = masks.map(({ from, to }) => ({ from: Buffer.from(from).toString('latin1'), to }));
  const given = Buffer.from(body).toString('latin1');
  const masked = given.replace(patternOf(bytewise), '<secret>');
  return masked === given ? body : Buffer.from(masked, 'latin1');
}

/** A text without the secrets. */
export function textWithoutSecrets(text: string, secrets: readonly string[]): string {
  const masks = secretsAs('<secret>', secrets);
  return masks.length === 0 ? text : text.replace(patternOf(masks), '<secret>');
}

/**
 * The same answer with ids of this run in the place of those of the recorded one, where they stand alone. A number is replaced only where a call
 * names it as its `session_id`; another number may mean something else.
 */
export function withRenames(body: Uint8Array, renames: readonly Replacement[]): Uint8Array {
  const given = renames.filter(({ from }) => from !== '');
  const text = given.length === 0 ? undefined : utf8Of(body);
  if (text === undefined) return body;
  const becomes = new Map(given.map(({ from, to }) => [from, to]));
  const alternatives = given.map((rename) => {
    const own = patternOf([rename]).source;
    return /^\d+$/.test(rename.from) ? `(?<=session_id\\\\{0,3}["']?\\s{0,3}:\\s{0,3})${own}` : own;
  });
  const pattern = new RegExp(`(?<![0-9A-Za-z])(?:${alternatives.join('|')})(?![0-9A-Za-z])`, 'g');
  return rewritten(body, text, pattern, (found) => becomes.get(found) ?? found);
}

function rewritten(body: Uint8Array, text: string, pattern: RegExp, becomes: (found: string) => string): Uint8Array {
  const whole = text.replace(pattern, becomes);
  const joined = /^(?:data|event|id|retry|):/m.test(whole) ? inEvents(whole, pattern, becomes) : whole;
  return joined === text ? body : Buffer.from(joined);
}

interface Leaf { readonly line: number; readonly holder: { [key: string]: JsonValue }; readonly key: string; readonly text: string }

/** What runs over the pieces of one text of a stream goes to the first of them; events that it does not touch stay byte for byte. */
function inEvents(text: string, pattern: RegExp, becomes: (found: string) => string): string {
  const lines = text.split('\n');
  const events = new Map<number, JsonObject>();
  const lanes = new Map<string, Leaf[]>();
  for (const [line, content] of lines.entries()) {
    const event = content.startsWith('data:') ? parseJson(content.slice('data:'.length)) : undefined;
    if (!isJsonObject(event)) continue;
    events.set(line, event);
    for (const [lane, leaf] of leavesOf(event, line)) {
      const leaves = lanes.get(lane);
      if (leaves === undefined) lanes.set(lane, [leaf]);
      else leaves.push(leaf);
    }
  }
  const changed = new Set<number>();
  for (const leaves of lanes.values()) for (const line of changeLane(leaves, pattern, becomes)) changed.add(line);
  for (const line of changed) lines[line] = `data: ${JSON.stringify(events.get(line))}${lines[line]?.endsWith('\r') === true ? '\r' : ''}`;
  return lines.join('\n');
}

// Which text of a stream a piece belongs to: Anthropic's and OpenAI's numbers of blocks and items.
const NUMBERS = ['index', 'output_index', 'item_id', 'content_index', 'summary_index'];
const DEEPEST = 10;
const MOST_LEAVES = 300;

function leavesOf(event: JsonObject, line: number): readonly (readonly [lane: string, leaf: Leaf])[] {
  const own = NUMBERS.map((name) => (typeof event[name] === 'object' ? '' : String(event[name] ?? ''))).join('/');
  const leaves: (readonly [string, Leaf])[] = [];
  const open: { readonly holder: { [key: string]: JsonValue }; readonly path: string; readonly depth: number }[] = [{ holder: event, path: '', depth: 0 }];
  for (let next = open.pop(); next !== undefined && leaves.length < MOST_LEAVES; next = open.pop()) {
    const { holder, path, depth } = next;
    for (const key of Object.keys(holder)) {
      const value = holder[key];
      if (typeof value === 'string') leaves.push([`${own} ${path}.${key}`, { line, holder, key, text: value }]);
      else if (typeof value === 'object' && value !== null && depth < DEEPEST) open.push({ holder: value as { [key: string]: JsonValue }, path: `${path}.${key}`, depth: depth + 1 });
    }
  }
  return leaves;
}

function changeLane(leaves: readonly Leaf[], pattern: RegExp, becomes: (found: string) => string): readonly number[] {
  const whole = leaves.map(({ text }) => text).join('');
  const found = leaves.length < 2 ? [] : [...whole.matchAll(pattern)];
  if (found.length === 0) return [];
  const lines: number[] = [];
  let start = 0;
  let next = 0;
  for (const { line, holder, key, text } of leaves) {
    const end = start + text.length;
    let at = start;
    let own = '';
    while (next < found.length) {
      const match = found[next];
      if (match === undefined || match.index >= end) break;
      const matchEnd = match.index + match[0].length;
      if (match.index >= start) own += whole.slice(at, match.index) + becomes(match[0]);
      at = Math.min(matchEnd, end);
      if (matchEnd > end) break;
      next += 1;
    }
    own += whole.slice(at, end);
    // An array is written to as the object that it is.
    if (own !== text) {
      Object.defineProperty(holder, key, { value: own, enumerable: true, configurable: true, writable: true });
      lines.push(line);
    }
    start = end;
  }
  return lines;
}

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
