// What the parse benchmark reads: the recorded runs in fixtures/agents as they are, and long runs put together from them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../fixtures/agents');

/** The runs of a CLI that came to their end: `{ name, id, stdout, files }`. `files` are what the CLI kept, by path. */
export function recordedRuns(cli) {
  return readdirSync(join(ROOT, cli)).flatMap((version) => readdirSync(join(ROOT, cli, version)).sort().flatMap((name) => {
    const folder = join(ROOT, cli, version, name);
    const stdout = join(folder, 'input.jsonl');
    const { ending, sessionId } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
    if (ending.kind !== 'completed' || !existsSync(stdout)) return [];
    return [{ name, id: sessionId, stdout: readFileSync(stdout), files: [...filesBelow(join(folder, 'sessions')), ...filesBelow(join(folder, 'rollouts'))] }];
  }));
}

/**
 * One long run of about `sizeBytes`, from copies of short ones of one turn each: the opening lines of the first copy, what
 * lies between in every copy, the closing lines of the last. Every copy gets ids of its own, save those of the session and
 * the turn, and times after the one before. Files of subagents are copied beside. Texts are brought to the length that
 * real ones have: see `lengthened`.
 */
export function longRun(runs, sizeBytes) {
  const single = runs.filter(isOneTurn);
  const stdout = [];
  const conversation = [];
  const beside = [];
  let size = 0;
  for (let copy = 0; size < sizeBytes; copy += 1) {
    const run = single[copy % single.length];
    const rename = renaming(run, copy);
    const told = (bytes, isWhole) => bytes.toString('utf8').split('\n')
      .filter((line) => line !== '' && (isWhole || ((copy === 0 || !opens(line, run)) && !closes(line, run))))
      .map((line) => { const text = `${JSON.stringify(lengthened(JSON.parse(rename(line))))}\n`; size += text.length; return text; });
    stdout.push(...told(run.stdout, false));
    for (const { path, bytes } of run.files) {
      if (isConversation(path, run)) conversation.push(...told(bytes, false));
      else beside.push({ path: rename(path), bytes: path.endsWith('.jsonl') ? Buffer.from(told(bytes, true).join('')) : Buffer.from(rename(bytes.toString('utf8'))) });
    }
  }
  const [first] = single;
  const rename = renaming(first, 0);
  const end = (bytes) => bytes.toString('utf8').split('\n').filter((line) => closes(line, first)).map((line) => `${rename(line)}\n`);
  stdout.push(...end(first.stdout));
  for (const { path, bytes } of first.files) if (isConversation(path, first)) conversation.push(...end(bytes));
  const files = conversation.length === 0 ? [] : [{ path: `${SESSION}.jsonl`, bytes: Buffer.from(conversation.join('')) }, ...beside];
  return { name: 'one long run', id: SESSION, stdout: Buffer.from(stdout.join('')), files };
}

const SESSION = '01a229e7-0000-7000-8000-000000000001';
const TURN = '01a229e7-0000-7000-8000-000000000002';

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort()
    .map((path) => ({ path: path.slice(folder.length + 1), bytes: readFileSync(path) }));
}

function isOneTurn(run) {
  const records = [run.stdout, ...run.files.filter(({ path }) => isConversation(path, run)).map(({ bytes }) => bytes)];
  const counts = records.map((bytes) => bytes.toString('utf8').split('\n').filter((line) => closes(line, run)).length);
  return counts.every((count) => count <= 1) && run.stdout.length > 0;
}

/** The file of the session itself, not a subagent's. */
function isConversation(path, run) {
  return path.endsWith(`${run.id}.jsonl`);
}

function opens(line, run) {
  return /^\{"type":"(?:system","subtype":"init"|thread\.started|turn\.started)|"type":"session_meta"|"payload":\{"type":"task_started"/.test(line)
    // What the CLI tells the model before the first prompt.
    || /"attachment":\{"type":"(?:skill|agent)_listing|"role":"developer"|<environment_context>|"type":"world_state"/.test(line)
    || line.startsWith(`{"method":"turn/started","params":{"threadId":"${run.id}"`);
}

function closes(line, run) {
  return /^\{"type":"(?:result"|turn\.completed)|"payload":\{"type":"task_complete"/.test(line)
    || line.startsWith(`{"method":"turn/completed","params":{"threadId":"${run.id}"`);
}

function renaming(run, copy) {
  const mark = copy.toString(16).padStart(8, '0');
  const kept = run.files.find(({ path }) => isConversation(path, run))?.bytes.toString('utf8');
  const turn = /"root_turn_id":"([^"]+)"/.exec(kept ?? '')?.[1];
  const began = Date.parse(/"timestamp":"([^"]+)"/.exec(kept ?? '')?.[1] ?? '2026-01-01T00:00:00Z');
  const begins = Date.parse('2026-01-01T00:00:00Z') + copy * 60_000;
  return (text) => text
    .replace(/\b[0-9a-f]{8}(-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\b/g, (id, tail) => (id === run.id ? SESSION : id === turn ? TURN : `${mark}${tail}`))
    .replace(/\b(toolu_fake|msg_fake|req_fake|call|fc|ctc|msg|resp|ws|item)_(\d+)\b/g, (_id, kind, number) => `${kind}_${copy * 1000 + Number(number)}`)
    .replace(/\ba[0-9a-f]{8}([0-9a-f]{8})\b/g, (_id, tail) => `a${mark}${tail}`)
    .replace(/"timestamp":"([^"]+)"/g, (_field, at) => `"timestamp":"${new Date(begins + Date.parse(at) - began).toISOString()}"`);
}

// The scripted runs print and say a few words at a time. These lengths have the medians and means of what public
// transcripts of both CLIs hold: 300 and 2,500 characters in an output, 150 and 570 in a message, 600 and 2,300 in a thought.
const LENGTHS = {
  output: [50, 100, 300, 1_500, 10_500],
  message: [50, 100, 150, 500, 2_000],
  thought: [100, 300, 600, 2_500, 8_000],
};
const FILLER = readFileSync(import.meta.filename, 'utf8');

/** The record with texts as long as real ones, the same text everywhere as long; and those that were cut for the fixture at their length again. */
function lengthened(value, key, owner) {
  if (typeof value === 'string') {
    const kind = kindOf(key, owner);
    const length = kind === undefined || value === '' ? value.length : LENGTHS[kind][[...value].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 5];
    return filled(value.replace(/<(\d+) characters left out>$/, (_note, count) => filled('', Number(count))), length);
  }
  if (Array.isArray(value)) return value.map((item) => lengthened(item, key, value));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, lengthened(inner, name, value)]));
}

function kindOf(key, owner) {
  const { type } = owner;
  if (key === 'aggregated_output' || key === 'aggregatedOutput' || key === 'originalFile' || (key === 'stdout' && 'interrupted' in owner)) return 'output';
  if (key === 'content' && (type === 'tool_result' || 'filePath' in owner)) return 'output';
  if (key === 'output' && /_call_output$/.test(type)) return 'output';
  if (key === 'thinking' || key === 'summary_text' || (key === 'text' && type === 'reasoning')) return 'thought';
  return key === 'text' && /^(?:text|Text|output_text|agent_message|agentMessage)$/.test(type) ? 'message' : undefined;
}

function filled(text, length) {
  return text + FILLER.repeat(Math.ceil(length / FILLER.length)).slice(0, Math.max(0, length - text.length));
}
