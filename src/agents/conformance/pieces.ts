import type { ParsedTurn } from '../transcript.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { differenceOf } from '../../sandbox/conformance/difference.js';
import { createRandom, type Random } from './random.js';
import { standardPartOf } from './recorded-runs.js';
import { leadOf, wholeOf, withLead, type Given } from './record.js';
import { everyTranscript, faultOf, guarded, tell, told } from './tell.js';
import { withStrangeText } from './texts.js';
import type { StreamingParser, TranscriptSubject } from './transcript-subject.js';

/** A longer record is fed in small pieces only this far. */
const MOST_BYTES = 256 * 1024;
const LONGEST_PIECE = 5_000;
const FEWEST_PIECES = 4;

type SizeOf = (random: Random, totalBytes: number) => number;

const anySize: SizeOf = (random, totalBytes) => random.below(Math.min(LONGEST_PIECE, Math.ceil(totalBytes / FEWEST_PIECES) + 1));

const SIZES: readonly (readonly [string, SizeOf])[] = [['of 1 byte', () => 1], ['of 7 bytes', () => 7], ['of any size', anySize]];

/** What a parser owes that is fed as the output comes in: the same as for the whole. */
export function pieceChecks(subject: TranscriptSubject): readonly ConformanceCheck[] {
  const { createParser } = subject;
  if (createParser === undefined) return [];
  const expectWhole = (given: Given, parsed: ParsedTurn): void => {
    const difference = differenceOf(standardPartOf(tell(subject, given)), standardPartOf(parsed));
    if (difference !== undefined) throw faultOf(subject, given)('the same as when it is read whole', difference);
  };
  const open = (given: Given): StreamingParser => createParser(given.witnesses.filter((witness) => witness !== leadOf(given.witnesses)));
  return [
    ...SIZES.map(([what, sizeOf]) => everyTranscript(subject, `tells the same when it is fed in pieces ${what}`, (transcript, index) => {
      const random = createRandom(index + 1);
      const plain = wholeOf(transcript);
      const strange = withStrangeText(transcript, tell(subject, plain).turn.events)?.given ?? plain;
      const whole = withLead(strange, leadBytesOf(strange).subarray(0, MOST_BYTES), `fed in pieces ${what}`);
      expectWhole(whole, told(faultOf(subject, whole), () => {
        const parser = open(whole);
        for (const piece of piecesOf(leadBytesOf(whole), random, sizeOf)) parser.push(piece);
        return parser.end(whole.end);
      }));
    })),
    everyTranscript(subject, 'keeps two runs apart that are fed at the same time', (transcript, index) => {
      const other = subject.transcripts[(index + 1) % subject.transcripts.length] ?? transcript;
      const runs = [transcript, other].map((run) => {
        const given: Given = { ...wholeOf(run), input: `the recorded run "${run.name}" fed by turns with another` };
        const random = createRandom(index + 1);
        return { given, parser: guarded(faultOf(subject, given), () => open(given)), pieces: [...piecesOf(leadBytesOf(given), random, anySize)] };
      });
      for (let at = 0; runs.some(({ pieces }) => at < pieces.length); at += 1) {
        for (const { given, parser, pieces } of runs) {
          const piece = pieces[at];
          if (piece !== undefined) guarded(faultOf(subject, given), () => parser.push(piece));
        }
      }
      for (const { given, parser } of runs) expectWhole(given, told(faultOf(subject, given), () => parser.end(given.end)));
    }),
  ];
}

function leadBytesOf({ witnesses }: Given): Uint8Array {
  return leadOf(witnesses)?.bytes ?? new Uint8Array(0);
}

/** The bytes in pieces, some of them empty. */
function* piecesOf(bytes: Uint8Array, random: Random, sizeOf: SizeOf): Iterable<Uint8Array> {
  for (let start = 0; start < bytes.length;) {
    const end = start + sizeOf(random, bytes.length);
    yield bytes.slice(start, end);
    start = end;
  }
}
