import type { StreamEvent } from '../../evidence/events.js';
import type { ParsedTurn } from '../transcript.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { differenceOf } from '../../sandbox/conformance/difference.js';
import { turnProblem } from './fits.js';
import { lineWith } from './mutation.js';
import { createRandom } from './random.js';
import { bytesOf, joined, leadLinesOf, textOf, wholeOf, withLead, type Given } from './record.js';
import { withPlainIds } from './rules.js';
import { everyTranscript, faultOf, tell, type Fault } from './tell.js';
import type { TranscriptSubject } from './transcript-subject.js';

/** Deep enough to end the stack of a reader that recurses, shallow enough to be read fast. */
const DEPTH = 20_000;
const DEEP = `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`;
const DEEP_PLACES = 5;
const POLLUTION = 'niceevalPolluted';
const HOSTILE_FIELDS = `"__proto__":{"${POLLUTION}":true},"constructor":{"prototype":{"${POLLUTION}":true}},`;
const HOSTILE_LINE = `{${HOSTILE_FIELDS}"type":"niceeval.conformance/unknown","toString":1,"hasOwnProperty":null}`;
const HOSTILE_IDS = ['__proto__', 'constructor', 'toString'];

/** What a parser owes for names and values that are chosen to break it. */
export function hostileValueChecks(subject: TranscriptSubject): readonly ConformanceCheck[] {
  return [
    everyTranscript(subject, 'takes fields with the names of object properties for what they are', (transcript) => {
      const whole = wholeOf(transcript);
      const lines = leadLinesOf(whole);
      const clean = tell(subject, whole);
      const spoiled = lines.map((line) => (line[0] === OPENING_BRACE && line[1] === QUOTE ? joined([bytesOf(`{${HOSTILE_FIELDS}`), line.subarray(1)]) : line));
      const inserted = joined([bytesOf(`${HOSTILE_LINE}\n`), ...lines]);
      for (const given of [withLead(whole, inserted, 'behind a line with the fields __proto__ and constructor'), withLead(whole, joined(spoiled), 'with the fields __proto__ and constructor in every line')]) {
        expectUnpolluted(subject, given, () => expectSameEvents(subject, given, clean, tell(subject, given)));
      }
    }),
    everyTranscript(subject, 'pairs operations whose ids are names of object properties', (transcript) => {
      const whole = wholeOf(transcript);
      const clean = tell(subject, whole);
      const ids = [...new Set(clean.turn.events.flatMap((event) => (event.type === 'operation.started' ? [event.operationId] : [])))];
      const free = ids.filter((id) => whole.witnesses.every(({ bytes }) => standsAlone(id, textOf(bytes)))).slice(0, HOSTILE_IDS.length);
      if (free.length === 0) return;
      const given: Given = {
        ...whole, input: `${whole.input} with the operation ids ${HOSTILE_IDS.slice(0, free.length).join(', ')}`,
        witnesses: whole.witnesses.map((witness) => ({ ...witness, bytes: renamedIn(witness.bytes, free) })),
      };
      const names = new Map(free.map((id, index) => [id, HOSTILE_IDS[index] ?? id]));
      expectUnpolluted(subject, given, () => {
        const difference = differenceOf(pairsOf(clean.turn.events, names), pairsOf(tell(subject, given).turn.events), 'operations');
        if (difference !== undefined) throw faultOf(subject, given)('the same starts and ends with the other ids', difference);
      });
    }),
    everyTranscript(subject, 'survives values that nest very deep', (transcript, index) => {
      const whole = wholeOf(transcript);
      const lines = leadLinesOf(whole);
      const clean = tell(subject, whole);
      const deep = bytesOf(`{"type":"niceeval.conformance/unknown","value":${DEEP}}\n`);
      const alone = withLead(whole, joined([deep, ...lines]), `behind a line that nests ${DEPTH} levels deep`);
      expectSameEvents(subject, alone, clean, tell(subject, alone));
      const random = createRandom(index + 1);
      for (let times = 0; times < DEEP_PLACES && lines.length > 0; times += 1) {
        const at = random.below(lines.length);
        const line = bytesOf(lineWith(DEEP, textOf(lines[at] ?? new Uint8Array(0)), random));
        const given = withLead(whole, joined([...lines.slice(0, at), line, ...lines.slice(at + 1)]), `with a value in its line ${at + 1} that nests ${DEPTH} levels deep`);
        const problem = turnProblem(tell(subject, given).turn);
        if (problem !== undefined) throw faultOf(subject, given)('a turn that fits turnSchema and can be written as JSON', problem);
      }
    }),
  ];
}

const OPENING_BRACE = 0x7b;
const QUOTE = 0x22;

function expectSameEvents(subject: TranscriptSubject, given: Given, clean: ParsedTurn, parsed: ParsedTurn): void {
  const difference = differenceOf(withPlainIds(clean.turn.events), withPlainIds(parsed.turn.events), 'events');
  if (difference !== undefined) throw faultOf(subject, given)('the same events as without it, apart from ids', difference);
}

/** Runs a part and expects that no object has got a new property by it. */
function expectUnpolluted(subject: TranscriptSubject, given: Given, part: () => void): void {
  try {
    part();
  } catch (error) {
    // What spoils every object of the process comes before a wrong event.
    takePollution(faultOf(subject, given));
    throw error;
  }
  takePollution(faultOf(subject, given));
}

function takePollution(fault: Fault): void {
  if (!(POLLUTION in {})) return;
  delete (Object.prototype as Record<string, unknown>)[POLLUTION];
  throw fault('objects without new properties', 'Object.prototype was changed');
}

/** Starts and ends of operations. Anything else may be made from an id, as its CLI makes it. */
function pairsOf(events: readonly StreamEvent[], names: ReadonlyMap<string, string> = new Map()): readonly object[] {
  return events.flatMap((event) => {
    if (event.type !== 'operation.started' && event.type !== 'operation.finished') return [];
    const id = names.get(event.operationId) ?? event.operationId;
    return [event.type === 'operation.started' ? { id, started: event.operation.kind } : { id, finished: event.kind, status: event.status }];
  });
}

/** Whether an id stands in a record only as a string of its own: then it can be replaced, and nothing that was made from it remains. */
function standsAlone(id: string, text: string): boolean {
  return text.split(id).length === text.split(JSON.stringify(id)).length;
}

function renamedIn(bytes: Uint8Array, ids: readonly string[]): Uint8Array {
  return bytesOf(ids.reduce((text, id, index) => text.replaceAll(JSON.stringify(id), JSON.stringify(HOSTILE_IDS[index])), textOf(bytes)));
}
