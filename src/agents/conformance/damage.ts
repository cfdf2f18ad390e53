import type { Witness } from '../transcript.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { turnProblem } from './fits.js';
import { mutatedLine } from './mutation.js';
import { createRandom, type Random } from './random.js';
import { bytesOf, joined, linesOf, textOf, wholeOf, type Given } from './record.js';
import { everyTranscript, faultOf, tell } from './tell.js';
import type { TranscriptSubject } from './transcript-subject.js';

/** Damaged records of one check, over all runs together. */
const VARIANTS = 500;
const FEWEST_OF_A_RUN = 4;
const MOST_OF_A_RUN = 50;

/** What a parser owes for any record: a turn that fits, and no throw. */
export function damageChecks(subject: TranscriptSubject): readonly ConformanceCheck[] {
  const onDamage = (title: string, what: string, damage: (bytes: Uint8Array, random: Random) => Uint8Array): ConformanceCheck =>
    everyTranscript(subject, title, (transcript, index) => {
      const random = createRandom(index + 1);
      const count = Math.min(MOST_OF_A_RUN, Math.max(FEWEST_OF_A_RUN, Math.floor(VARIANTS / subject.transcripts.length)));
      const whole = wholeOf(transcript);
      for (let variant = 0; variant < count; variant += 1) {
        const hit = random.pickAny(whole.witnesses.filter(({ kind, bytes }) => kind !== 'stderr' && bytes.length > 0));
        if (hit === undefined) return;
        const given: Given = {
          ...whole, input: `${whole.input} with ${what} in its ${hit.kind} (variant ${variant + 1})`,
          witnesses: whole.witnesses.map((witness): Witness => (witness === hit ? { ...witness, bytes: damage(witness.bytes, random) } : witness)),
        };
        const { turn } = tell(subject, given);
        const problem = turnProblem(turn);
        if (problem !== undefined) throw faultOf(subject, given)('a turn that fits turnSchema', problem);
      }
    });
  return [
    onDamage('makes a turn of a record with damaged bytes', 'damaged bytes', damagedBytes),
    onDamage('makes a turn of a record with lines lost, doubled and out of order', 'lines lost, doubled and out of order', damagedLines),
    onDamage('makes a turn of a record whose values are of other types', 'values of other types', (bytes, random) => {
      const lines = [...linesOf(bytes)];
      for (let times = 1 + random.below(4); times > 0; times -= 1) {
        const at = random.below(lines.length);
        const line = lines[at];
        if (line !== undefined) lines[at] = bytesOf(mutatedLine(textOf(line), random));
      }
      return joined(lines);
    }),
  ];
}

function damagedBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (let times = 1 + random.below(6); times > 0; times -= 1) {
    const at = random.below(copy.length);
    if (random.below(2) === 0) copy[at] = random.below(256);
    else copy.fill(random.pick([0x00, 0x20, 0x22, 0x0a]), at, at + random.below(40));
  }
  return copy;
}

function damagedLines(bytes: Uint8Array, random: Random): Uint8Array {
  const lines = [...linesOf(bytes)];
  for (let times = 1 + random.below(4); times > 0 && lines.length > 0; times -= 1) {
    const at = random.below(lines.length);
    const [line] = lines.splice(at, 1);
    const kind = random.below(3);
    if (line === undefined || kind === 0) continue;
    lines.splice(random.below(lines.length + 1), 0, line);
    if (kind === 1) lines.splice(at, 0, line);
  }
  return joined(lines);
}
