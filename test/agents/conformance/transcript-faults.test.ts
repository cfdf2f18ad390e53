import { describe, expect, it } from 'vitest';
import { ConformanceError } from '../../../src/agents/conformance/errors.js';
import { transcriptConformance } from '../../../src/agents/conformance/transcript-conformance.js';
import type { TranscriptSubject } from '../../../src/agents/conformance/transcript-subject.js';
import type { ParsedTurn } from '../../../src/agents/transcript.js';
import type { StreamEvent } from '../../../src/evidence/events.js';
import type { Usage } from '../../../src/evidence/usage.js';
import { createToyParser, toySubject, withGiven, withTold } from './toy-cli.js';

const withTurn = (parsed: ParsedTurn, more: Partial<ParsedTurn['turn']>): ParsedTurn => ({ ...parsed, turn: { ...parsed.turn, ...more } });
const withEvents = (change: (events: readonly StreamEvent[], parsed: ParsedTurn) => readonly StreamEvent[]): TranscriptSubject =>
  withTold((parsed) => withTurn(parsed, { events: change(parsed.turn.events, parsed) }));
const linesOf = (text: string): readonly string[] => text.split('\n');
const recordOf = (line: string): { [key: string]: unknown } => {
  try {
    return { ...(JSON.parse(line) as object) };
  } catch {
    return {};
  }
};
const KNOWN = ['hello', 'say', 'call', 'return', 'done'];
const isFinished = ({ type }: StreamEvent): boolean => type === 'operation.finished';

/** What is wrong with the parser, and the check that has to find it. */
const FAULTS: readonly (readonly [fault: string, check: string, make: () => TranscriptSubject])[] = [
  ['leaves a field in an event that no one knows', 'tells a turn of the standard event stream', () => withEvents((events) => events.map((event) => ({ ...event, sequence: 1 })))],
  ['tells a status that does not exist', 'tells a turn of the standard event stream', () => withTold((parsed) => withTurn(parsed, { status: 'done' as 'completed' }))],
  ['finishes an operation twice', 'pairs every end of an operation with one start of its kind', () => withEvents((events) => [...events, ...events.filter(isFinished)])],
  ['loses starts and says that nothing is missing', 'pairs every end of an operation with one start of its kind', () => withEvents((events) => events.filter(({ type }) => type !== 'operation.started'))],
  ['finishes a tool as a subagent', 'pairs every end of an operation with one start of its kind', () => withEvents((events) => events.map((event) => (event.type === 'operation.finished' ? { type: event.type, operationId: event.operationId, kind: 'subagent', status: 'failed' } : event)))],
  ['reports more reasoning than output', 'reports usage that adds up', () => withTold((parsed) => (parsed.turn.usage === undefined ? parsed : withTurn(parsed, { usage: { ...parsed.turn.usage, reasoningTokens: 100 } })))],
  ['splits usage over models that have more than the whole', 'reports usage that adds up', () => withTold((parsed) => (parsed.turn.usage === undefined ? parsed : withTurn(parsed, { usage: { ...parsed.turn.usage, models: { a: { inputTokens: 15 }, b: { inputTokens: 15 } } } })))],
  ['lowers coverage without a word', 'gives a reason for everything below complete', () => withTold((parsed) => withTurn(parsed, { evidenceCoverage: { ...parsed.turn.evidenceCoverage, data: { status: 'partial', reason: ' ' } } }))],
  ['says failed of a turn that completed', 'says the same in its ending and in the status of the turn', () => withTold((parsed) => withTurn(parsed, { status: 'failed' }))],
  ['waits for nothing', 'says the same in its ending and in the status of the turn', () => withTold((parsed) => ({ ...withTurn(parsed, { status: 'waiting' }), ending: { kind: 'waiting' } }))],
  ['takes a run that gave up for one that completed', 'knows the runs that completed from those that did not', () => withTold((parsed) => (parsed.ending.kind === 'failed' ? { ...withTurn(parsed, { status: 'completed' }), ending: { kind: 'completed' } } : parsed))],
  ['remembers operations from run to run', 'tells the same of one record again, whatever it read in between', () => {
    const seen = new Set<string>();
    return withEvents((events) => events.filter((event) => event.type !== 'operation.started' || (!seen.has(event.operationId) && seen.add(event.operationId))));
  }],
  ['writes into the bytes that it is given', 'tells the same of one record again, whatever it read in between', () => ({ ...withTold((parsed, witnesses) => {
    for (const { bytes } of witnesses) bytes.subarray(-1).fill(0x20);
    return parsed;
  }), transcripts: structuredClone(toySubject.transcripts) })],
  ['counts a killed run as completed', 'never counts a run as completed or waiting that the harness stopped', () => ({ ...toySubject, parse: (witnesses) => toySubject.parse(witnesses, { exitCode: 0 }) })],
  ['takes exit code 0 for an end event', 'never counts a run as completed whose end event is missing', () => withTold((parsed, _witnesses, { exitCode }) => (
    parsed.ending.kind === 'incomplete' && exitCode === 0 ? { ...parsed, ending: { kind: 'completed' }, turn: { events: parsed.turn.events, status: 'completed' } } : parsed))],
  ['fills in zeros for tokens that nobody told', 'tells nothing of an empty record', () => withTold((parsed) => withTurn(parsed, { usage: { inputTokens: 0, outputTokens: 0, ...parsed.turn.usage } satisfies Usage }))],
  ['calls an empty record complete', 'tells nothing of an empty record', () => withTold((parsed) => (parsed.ending.kind === 'nothing' ? { ...parsed, turn: { events: [], status: 'failed' } } : parsed))],
  ['tells an error of its own when a record is cut', 'invents nothing when its record is cut', () => withEvents((events, { ending }) => (ending.kind === 'incomplete' ? [...events, { type: 'error', message: 'the stream ended early' }] : events))],
  ['takes a byte order mark for a part of the first line', 'reads past a byte order mark and carriage returns', () => withGiven((text) => text.replace(/^\uFEFF/, '\uFEFF?'))],
  ['throws at a line that is no JSON', 'keeps everything around a line that cannot be read, and counts it', () => withGiven((text) => {
    for (const line of linesOf(text)) if (line.trim() !== '') JSON.parse(line.replace(/^\uFEFF/, ''));
    return text;
  })],
  ['gives up at the first line that it cannot read', 'keeps everything around a line that cannot be read, and counts it', () => withGiven((text) => {
    const lines = linesOf(text);
    const bad = lines.findIndex((line) => line !== '' && Object.keys(recordOf(line)).length === 0);
    return lines.slice(0, bad === -1 ? lines.length : bad + 1).join('\n');
  })],
  ['drops a last line that has no line feed', 'keeps everything before a last line that is cut, and counts it', () => withGiven((text) => text.slice(0, text.lastIndexOf('\n') + 1))],
  ['swallows a line of a type that it does not know', 'counts a line of an unknown type, and lowers coverage for it', () => withGiven((text) => linesOf(text).filter((line) => recordOf(line)['type'] === undefined || KNOWN.includes(String(recordOf(line)['type']))).join('\n'))],
  ['counts unknown lines and calls its record complete', 'counts a line of an unknown type, and lowers coverage for it', () => withTold((parsed) => (parsed.ending.kind === 'completed' ? withTurn(parsed, { evidenceCoverage: {} }) : parsed))],
  ['merges what it reads into one object', 'takes fields with the names of object properties for what they are', () => withTold((parsed, witnesses) => {
    const merge = (into: { [key: string]: unknown }, from: object): void => {
      for (const [key, value] of Object.entries(from)) {
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) merge((into[key] ??= {}) as { [key: string]: unknown }, value as object);
        else into[key] = value;
      }
    };
    const all = {};
    for (const { bytes } of witnesses) for (const line of linesOf(Buffer.from(bytes).toString('utf8'))) if (line.includes('niceevalPolluted')) merge(all, recordOf(line));
    return parsed;
  })],
  ['keeps operations in a plain object', 'pairs operations whose ids are names of object properties', () => withEvents((events) => {
    const known: Record<string, StreamEvent> = {};
    return events.filter((event) => {
      if (event.type !== 'operation.started') return true;
      if (known[event.operationId] !== undefined) return false;
      known[event.operationId] = event;
      return true;
    });
  })],
  ['walks values without a limit', 'survives values that nest very deep', () => withGiven((text) => {
    const depth = (value: unknown): number => (typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0);
    for (const line of linesOf(text)) depth(recordOf(line));
    return text;
  })],
  ['throws at bytes that are not UTF-8', 'makes a turn of a record with damaged bytes', () => withTold((parsed, witnesses) => {
    for (const { bytes } of witnesses) new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return parsed;
  })],
  ['trusts that every return has a call before it', 'makes a turn of a record with lines lost, doubled and out of order', () => withGiven((text) => {
    const calls = new Map<unknown, string>();
    for (const record of linesOf(text).map(recordOf)) {
      if (record['type'] === 'call') calls.set(record['id'], 'open');
      if (record['type'] === 'return') (calls.get(record['id']) as string).trim();
    }
    return text;
  })],
  ['trusts that a text is a text', 'makes a turn of a record whose values are of other types', () => withGiven((text) => {
    for (const record of linesOf(text).map(recordOf)) if (record['type'] === 'say') (record['text'] as string).trim();
    return text;
  })],
  ['splits lines at U+2028', 'keeps every character of what was said', () => withGiven((text) => text.split(/[\n\u2028\u2029]/).join('\n'))],
  ['decodes each piece by itself', 'tells the same when it is fed in pieces of 1 byte', () => ({ ...toySubject, createParser: () => {
    const parser = createToyParser();
    return { push: (bytes) => parser.push(Buffer.from(Buffer.from(bytes).toString('utf8'))), end: (end) => parser.end(end) };
  } })],
  ['takes the end of a piece for the end of a line', 'tells the same when it is fed in pieces of any size', () => ({ ...toySubject, createParser: () => {
    const parser = createToyParser();
    return { push: (bytes) => { parser.push(bytes); parser.push(Buffer.from('\n')); }, end: (end) => parser.end(end) };
  } })],
  ['has one parser for all', 'keeps two runs apart that are fed at the same time', () => {
    let parser = createToyParser();
    return { ...toySubject, createParser: () => {
      parser = createToyParser();
      return { push: (bytes) => parser.push(bytes), end: (end) => parser.end(end) };
    } };
  }],
];

describe('the suite for parsers', () => {
  for (const { title, run } of transcriptConformance(toySubject)) it(`passes a sound parser: ${title}`, run);

  it.each(FAULTS)('finds the parser that %s', async (_fault, title, make) => {
    const check = transcriptConformance(make()).find((candidate) => candidate.title === `toy: ${title}`);
    await expect(check?.run()).rejects.toBeInstanceOf(ConformanceError);
  });

  it('has for each of its checks a fault that it finds', () => {
    const found = new Set(FAULTS.map(([, check]) => `toy: ${check}`));
    expect(transcriptConformance(toySubject).map(({ title }) => title).filter((title) => !found.has(title))).toStrictEqual(['toy: tells the same when it is fed in pieces of 7 bytes']);
  });

  it('tells what was expected, of which input, and what came', async () => {
    const [, , check] = transcriptConformance(withTold((parsed) => (parsed.turn.usage === undefined ? parsed : withTurn(parsed, { usage: { inputTokens: 1, outputTokens: 2, reasoningTokens: 3 } }))));
    await expect(check?.run()).rejects.toThrow(
      'toy does not conform. Expected: buckets that do not contradict each other. Input: the recorded run "parallel calls". '
        + 'Received: usage has 3 reasoningTokens, more than its 2 outputTokens, of which they are a part.',
    );
  });

  it('does without checks of pieces for a parser that takes only whole records', () => {
    const { createParser: _none, ...whole } = toySubject;
    expect(transcriptConformance(toySubject).length - transcriptConformance(whole).length).toBe(4);
  });

  it.each([
    ['a name', { ...toySubject, name: ' ' }, 'transcriptConformance() needs a `name` that is not empty.'],
    ['a recorded run', { ...toySubject, transcripts: [] }, 'transcriptConformance() needs at least one recorded run; "toy" has none.'],
  ])('refuses a subject without %s', (_what, subject, message) => {
    expect(() => transcriptConformance(subject)).toThrow(new TypeError(message));
  });
});
