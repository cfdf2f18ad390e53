import type { ProcessEnd, Witness } from '../transcript.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { show } from '../../sandbox/conformance/difference.js';
import { bytesOf, firstEndOf, joined, leadAlone, leadLinesOf, leadOf, spread, wholeOf, withLead, type Given } from './record.js';
import { channelsNotUnavailable, isComplete } from './rules.js';
import { everyTranscript, faultOf, tell } from './tell.js';
import type { TranscriptSubject } from './transcript-subject.js';

const CUTS = 8;
const KILLED: ProcessEnd = { exitCode: null, signal: 'SIGKILL' };
const STOPPED: readonly ProcessEnd[] = [
  { exitCode: null, signal: 'SIGKILL', stoppedByHarness: true },
  { exitCode: null, stoppedByHarness: true },
  // A CLI that catches the signal may end as if nothing had happened.
  { exitCode: 0, signal: 'SIGTERM', stoppedByHarness: true },
  { exitCode: 0, stoppedByHarness: true },
];

/** What a parser owes for runs that did not come to their end. */
export function endingChecks(subject: TranscriptSubject): readonly ConformanceCheck[] {
  return [
    everyTranscript(subject, 'never counts a run as completed or waiting that the harness stopped', (transcript) => {
      for (const part of [wholeOf(transcript), ...beginningsOf(wholeOf(transcript))]) {
        for (const end of STOPPED) {
          const given: Given = { ...part, end, input: `${part.input} and the process end ${show(end)}` };
          const { turn, ending } = tell(subject, given);
          const fine = turn.status === 'failed' && ending.kind !== 'completed' && ending.kind !== 'waiting';
          if (!fine) throw faultOf(subject, given)('a turn that neither completed nor waits for anybody, whatever the record says', `the ending ${show(ending)} and the status ${show(turn.status)}`);
        }
      }
    }),
    everyTranscript(subject, 'never counts a run as completed whose end event is missing', (transcript) => {
      for (const cut of withoutEnd(subject, leadAlone(wholeOf(transcript)))) {
        for (const end of [transcript.end, { exitCode: null }, KILLED]) {
          const given: Given = { ...cut, end, input: `${cut.input} and the process end ${show(end)}` };
          const { turn, ending } = tell(subject, given);
          if (turn.status === 'completed' && isComplete(turn, 'status')) throw faultOf(subject, given)('a status that is not completed, or status coverage below complete', `the ending ${show(ending)} with complete status coverage`);
        }
      }
    }),
    everyTranscript(subject, 'tells nothing of an empty record', (transcript) => {
      for (const [what, witnesses] of emptyOf(leadOf(transcript.witnesses)?.kind ?? 'stdout')) {
        const given: Given = { input: what, witnesses, end: transcript.end };
        const { turn, ending, unrecognisedCount } = tell(subject, given);
        const fault = faultOf(subject, given);
        if (ending.kind !== 'nothing') throw fault('the ending nothing, with a reason', `the ending ${show(ending)}`);
        const channels = channelsNotUnavailable(turn);
        if (channels.length > 0) throw fault('every channel unavailable', `${channels.join(', ')} of ${show(turn.evidenceCoverage)}`);
        if (turn.events.length > 0 || turn.usage !== undefined || turn.data !== undefined) throw fault('no events, no usage and no data, not even zeros', show(turn));
        if (unrecognisedCount > 0) throw fault('nothing that was not understood', `${unrecognisedCount} unrecognised pieces`);
      }
    }),
  ];
}

function beginningsOf(whole: Given): readonly Given[] {
  const lines = leadLinesOf(whole);
  return spread(lines.length, CUTS).slice(1, -1).map((count) => withLead(whole, joined(lines.slice(0, count)), `cut after ${count} of ${lines.length} lines`));
}

/** Beginnings of the leading record before its end event, and of the line that holds it. */
function withoutEnd(subject: TranscriptSubject, given: Given): readonly Given[] {
  const lines = leadLinesOf(given);
  const end = firstEndOf(subject, lines);
  return spread(end, CUTS).flatMap((count) => {
    const before = joined(lines.slice(0, count));
    const next = lines[count];
    const cut = (length: number): Given => withLead(given, joined([before, (next as Uint8Array).subarray(0, length)]), `cut after ${count} of ${lines.length} lines and ${length} bytes`);
    const whole = withLead(given, before, `cut after ${count} of ${lines.length} lines`);
    if (next === undefined || next.length < 3) return [whole];
    // The line feed, and the character before it: what is left is no whole line.
    return [whole, cut(Math.floor(next.length / 2)), cut(next.length - 2)];
  });
}

function emptyOf(kind: Witness['kind']): readonly (readonly [string, readonly Witness[]])[] {
  const path = kind === 'stdout' ? {} : { path: 'empty.jsonl' };
  return [
    ['no witness at all', []],
    ['an empty record', [{ kind, ...path, bytes: new Uint8Array(0) }]],
    ['a record of blank lines', [{ kind, ...path, bytes: bytesOf('\n\r\n \n') }]],
  ];
}
