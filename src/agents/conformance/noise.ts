import type { ParsedTurn } from '../transcript.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { differenceOf } from '../../sandbox/conformance/difference.js';
import { bytesOf, joined, leadLinesOf, linesOf, spread, wholeOf, withLead, type Given } from './record.js';
import { isComplete, withPlainIds } from './rules.js';
import { everyTranscript, faultOf, tell } from './tell.js';
import type { RecordedTranscript, TranscriptSubject } from './transcript-subject.js';

const PLACES = 4;
const LINE_FEED = bytesOf('\n');
const UNKNOWN_LINE = '{"type":"niceeval.conformance/unknown","id":"niceeval-conformance","payload":{"text":"from a version that is not out yet"}}';
const GARBAGE: readonly (readonly [string, Uint8Array])[] = [
  ['a line of a log', bytesOf('npm warn deprecated left@1.0.0: use right')],
  ['a log line with a record in it', bytesOf('[INFO] {"type":"result"}')],
  ['half a line of JSON', bytesOf('{"type":"assist')],
  ['a line of NUL bytes', new Uint8Array(16)],
  ['a line that is not UTF-8', Uint8Array.of(0xff, 0xfe, 0x80, 0xc3, 0x28)],
  ['a JSON value that is no object', bytesOf('42')],
];

/** What a parser owes for a record with something in it that does not belong there. */
export function noiseChecks(subject: TranscriptSubject): readonly ConformanceCheck[] {
  return [
    everyTranscript(subject, 'reads past a byte order mark and carriage returns', (transcript) => {
      const whole = wholeOf(transcript);
      const lines = leadLinesOf(whole);
      const clean = tell(subject, whole);
      const crlf = joined(lines.map((line) => (line.at(-1) === 0x0a ? joined([line.subarray(0, -1), bytesOf('\r\n')]) : line)));
      for (const given of [withLead(whole, crlf, 'with CRLF line ends'), withLead(whole, joined([bytesOf('\uFEFF'), ...lines]), 'behind a byte order mark')]) {
        expectSame(subject, given, clean, tell(subject, given), 0);
      }
    }),
    everyTranscript(subject, 'keeps everything around a line that cannot be read, and counts it', (transcript) => {
      const clean = tell(subject, wholeOf(transcript));
      for (const [index, [what, line]] of GARBAGE.entries()) {
        const places = insertionsOf(transcript, line, what);
        // One place for each, another one each time; the first kind goes everywhere.
        for (const given of index === 0 ? places : places.slice(index % places.length, (index % places.length) + 1)) expectSame(subject, given, clean, tell(subject, given), 1);
      }
    }),
    everyTranscript(subject, 'keeps everything before a last line that is cut, and counts it', (transcript) => {
      const whole = wholeOf(transcript);
      const lines = leadLinesOf(whole);
      const first = lines.find((line) => line.length >= 8);
      if (first === undefined) return;
      const given = withLead(whole, joined([endedOf(joined(lines)), first.subarray(0, Math.floor(first.length / 2))]), 'with half a line behind it');
      expectSame(subject, given, tell(subject, whole), tell(subject, given), 1);
    }),
    everyTranscript(subject, 'counts a line of an unknown type, and lowers coverage for it', (transcript) => {
      const clean = tell(subject, wholeOf(transcript));
      for (const given of insertionsOf(transcript, bytesOf(subject.unknownLine ?? UNKNOWN_LINE), 'a line of an unknown type')) {
        const parsed = tell(subject, given);
        expectSame(subject, given, clean, parsed, 1);
        if (isComplete(parsed.turn, 'events')) throw faultOf(subject, given)('events coverage below complete: nobody knows what the line says', 'complete events coverage');
      }
    }),
  ];
}

/** Expects what the clean record told, and at least `more` unrecognised pieces more; none more for 0. */
function expectSame(subject: TranscriptSubject, given: Given, clean: ParsedTurn, parsed: ParsedTurn, more: number): void {
  const fault = faultOf(subject, given);
  const difference = differenceOf(withPlainIds(clean.turn.events), withPlainIds(parsed.turn.events), 'events') ?? differenceOf(clean.ending, parsed.ending, 'ending') ?? differenceOf(clean.turn.usage, parsed.turn.usage, 'usage');
  if (difference !== undefined) throw fault('the same events, ending and usage as without it', difference);
  const grown = parsed.unrecognisedCount - clean.unrecognisedCount;
  if (more === 0 ? grown !== 0 : grown < more) throw fault(`an unrecognisedCount that ${more === 0 ? 'stays the same' : 'grows'}`, `${parsed.unrecognisedCount} after ${clean.unrecognisedCount}`);
}

/** The run with one more line, at several places of its leading record. */
function insertionsOf(transcript: RecordedTranscript, line: Uint8Array, what: string): readonly Given[] {
  const whole = wholeOf(transcript);
  const lines = linesOf(endedOf(joined(leadLinesOf(whole))));
  return spread(lines.length, PLACES).map((at) => withLead(
    whole, joined([...lines.slice(0, at), line, LINE_FEED, ...lines.slice(at)]), `with ${what} before its line ${at + 1} of ${lines.length}`,
  ));
}

/** The bytes with a line feed at their end. */
function endedOf(bytes: Uint8Array): Uint8Array {
  return bytes.length === 0 || bytes.at(-1) === 0x0a ? bytes : joined([bytes, LINE_FEED]);
}
