import type { StreamingParser, TranscriptSubject } from '../../../src/agents/conformance/transcript-subject.js';
import type { ParsedTurn, ProcessEnd, TranscriptEnding, Unrecognised, Witness } from '../../../src/agents/transcript.js';
import type { EvidenceCoverage } from '../../../src/evidence/coverage.js';
import type { StreamEvent } from '../../../src/evidence/events.js';
import type { JsonValue } from '../../../src/evidence/json.js';
import type { Usage } from '../../../src/evidence/usage.js';

/** The CLI of nobody: one JSON object a line, of the types hello, say, call, return and done. Its parser is as a stranger would write it. */
export const toySubject: TranscriptSubject = {
  name: 'toy',
  parse(witnesses, end) {
    const parser = createToyParser();
    for (const { kind, bytes } of witnesses) if (kind === 'stdout') parser.push(bytes);
    return parser.end(end);
  },
  createParser: () => createToyParser(),
  transcripts: [
    toyRun('parallel calls', true, [
      { type: 'hello', session: 's1' }, { type: 'say', text: 'I look at the file.' },
      { type: 'call', id: 'call-1', tool: 'sh', input: { argv: ['ls', '-l'] } }, { type: 'call', id: 'call-2', tool: 'read', input: { path: 'a.txt' } },
      { type: 'return', id: 'call-2', ok: true, output: 'text' }, { type: 'return', id: 'call-1', ok: false, output: 'no' },
      { type: 'say', text: 'All done.' }, { type: 'done', ok: true, tokens: { in: 20, out: 7, reasoning: 2 } },
    ]),
    toyRun('words', true, [{ type: 'hello', session: 's2' }, { type: 'say', text: 'Nothing to do here.' }, { type: 'done', ok: true }]),
    toyRun('gave up', false, [{ type: 'hello', session: 's3' }, { type: 'say', text: 'I cannot.' }, { type: 'done', ok: false, tokens: { in: 5, out: 5 } }]),
    toyRun('killed', false, [{ type: 'hello', session: 's4' }, { type: 'call', id: 'call-1', tool: 'sh', input: { argv: ['sleep'] } }], { exitCode: null, signal: 'SIGKILL' }),
  ],
  isEndEvent: (line) => line.includes('"done"'),
};

function toyRun(name: string, completed: boolean, lines: readonly object[], end: ProcessEnd = { exitCode: 0 }): TranscriptSubject['transcripts'][number] {
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return { name, completed, end, witnesses: [{ kind: 'stdout', bytes }] };
}

type Fields = { readonly [key: string]: unknown };

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

export function createToyParser(): StreamingParser {
  const events: StreamEvent[] = [];
  const open = new Set<string>();
  const seen = new Set<string>();
  const unrecognised: Unrecognised[] = [];
  let pending: Uint8Array = new Uint8Array(0);
  let line = 0;
  let understood = 0;
  let session: string | undefined;
  let done: { readonly ok: boolean; readonly usage: Usage | undefined } | undefined;

  const take = (record: Fields): boolean => {
    const { type, id } = record;
    if (type === 'hello') {
      if (isText(record['session'])) session = record['session'];
    } else if (type === 'say' && typeof record['text'] === 'string') {
      events.push({ type: 'message', role: 'assistant', text: record['text'] });
    } else if (type === 'call' && isText(id) && isText(record['tool']) && !seen.has(id)) {
      open.add(id);
      seen.add(id);
      events.push({ type: 'operation.started', operationId: id, operation: { kind: 'tool', name: record['tool'], input: shallow(record['input']), command: { classification: 'not-command' } } });
    } else if (type === 'return' && isText(id) && open.delete(id)) {
      events.push({ type: 'operation.finished', operationId: id, kind: 'tool', status: record['ok'] === true ? 'completed' : 'failed', output: shallow(record['output']) });
    } else if (type === 'done') {
      done = { ok: record['ok'] === true, usage: usageOf(record['tokens']) };
    } else {
      return false;
    }
    return true;
  };

  const takeLine = (bytes: Uint8Array): void => {
    line += 1;
    const text = Buffer.from(bytes).toString('utf8').replace(/^\uFEFF/, line === 1 ? '' : '\uFEFF').replace(/\r$/, '');
    if (text.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    if (isFields(value) && take(value)) understood += 1;
    else unrecognised.push({ source: 'stdout', line, why: 'not a line of this CLI' });
  };

  return {
    push(bytes) {
      pending = Buffer.concat([pending, bytes]);
      for (let feed = pending.indexOf(0x0a); feed !== -1; feed = pending.indexOf(0x0a)) {
        takeLine(pending.subarray(0, feed));
        pending = pending.subarray(feed + 1);
      }
    },
    end(end) {
      if (pending.length > 0) takeLine(pending);
      const ending = endingOf(end, understood, done?.ok);
      const evidenceCoverage = coverageOf(ending, unrecognised.length, done?.usage !== undefined);
      return {
        turn: {
          events, status: ending.kind === 'completed' ? 'completed' : 'failed', evidenceCoverage,
          ...(done?.usage === undefined ? {} : { usage: done.usage }),
        },
        ending, unrecognised, unrecognisedCount: unrecognised.length, problems: [],
        ...(session === undefined ? {} : { sessionId: session }),
      };
    },
  };
}

function endingOf(end: ProcessEnd, understood: number, ok: boolean | undefined): TranscriptEnding {
  if (understood === 0) return { kind: 'nothing', reason: 'no line was understood' };
  if (end.stoppedByHarness === true) return { kind: 'incomplete', reason: 'it was stopped' };
  if (ok === undefined) return { kind: 'incomplete', reason: 'it never said done' };
  return ok ? { kind: 'completed' } : { kind: 'failed', reason: 'it gave up' };
}

function coverageOf(ending: TranscriptEnding, unrecognisedCount: number, usageIsKnown: boolean): Partial<EvidenceCoverage> {
  const lowered = (status: 'partial' | 'unavailable', reason: string): EvidenceCoverage['events'] => ({ status, reason });
  if (ending.kind === 'nothing') return Object.fromEntries(['events', 'actions', 'messages', 'usage', 'status', 'data'].map((channel) => [channel, lowered('unavailable', ending.reason)]));
  const cut = ending.kind === 'incomplete' ? lowered('partial', ending.reason) : unrecognisedCount > 0 ? lowered('partial', `${unrecognisedCount} lines were not understood`) : undefined;
  return {
    ...(cut === undefined ? {} : { events: cut, actions: cut, messages: cut, status: cut }),
    ...(usageIsKnown ? {} : { usage: lowered('unavailable', 'it told no tokens') }),
  };
}

function usageOf(tokens: unknown): Usage | undefined {
  if (!isFields(tokens)) return undefined;
  const { in: input, out, reasoning } = tokens;
  if (!isCount(input) || !isCount(out)) return undefined;
  return { inputTokens: input, outputTokens: out, ...(isCount(reasoning) && reasoning <= out ? { reasoningTokens: reasoning } : {}) };
}

/** The value, without anything that nests deeper than this CLI ever does. */
function shallow(value: unknown, levels = 20): JsonValue {
  if (typeof value !== 'object' || value === null) return (value ?? null) as JsonValue;
  if (levels === 0) return 'left out';
  if (Array.isArray(value)) return value.map((item) => shallow(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shallow(item, levels - 1)]));
}

/** A change to what the toy's parser tells of a record as a whole. */
export function withTold(change: (parsed: ParsedTurn, witnesses: readonly Witness[], end: ProcessEnd) => ParsedTurn): TranscriptSubject {
  return { ...toySubject, parse: (witnesses, end) => change(toySubject.parse(witnesses, end), witnesses, end) };
}

/** A change to what the toy's parser is given. */
export function withGiven(change: (text: string) => string | Uint8Array): TranscriptSubject {
  return {
    ...toySubject,
    parse: (witnesses, end) => toySubject.parse(witnesses.map((witness) => ({ ...witness, bytes: Buffer.from(change(Buffer.from(witness.bytes).toString('utf8'))) })), end),
  };
}
