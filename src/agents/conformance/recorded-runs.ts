import { EVIDENCE_CHANNELS } from '../../evidence/coverage.js';
import type { ParsedTurn } from '../transcript.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { differenceOf, show } from '../../sandbox/conformance/difference.js';
import { lostFieldOf, turnProblem } from './fits.js';
import { joined, leadAlone, leadLinesOf, spread, wholeOf, withLead, type Given } from './record.js';
import { isComplete, pairingProblem, usageProblem, waitingProblem } from './rules.js';
import { everyTranscript, faultOf, tell } from './tell.js';
import type { RecordedTranscript, TranscriptSubject } from './transcript-subject.js';

/** How many beginnings of a run are looked at. */
const BEGINNINGS = 6;

/** What a parser owes for runs as they were recorded, whole or with a part lost. */
export function recordedRunChecks(subject: TranscriptSubject): readonly ConformanceCheck[] {
  // Several checks look at the same; reading is what costs.
  const read = new Map<RecordedTranscript, readonly (readonly [Given, ParsedTurn])[]>();
  const readingsOf = (transcript: RecordedTranscript): readonly (readonly [Given, ParsedTurn])[] => {
    const readings = read.get(transcript) ?? variantsOf(transcript).map((given) => [given, tell(subject, given)] as const);
    read.set(transcript, readings);
    return readings;
  };
  const onEvery = (title: string, problemOf: (parsed: ParsedTurn) => string | undefined, expected: string): ConformanceCheck =>
    everyTranscript(subject, title, (transcript) => {
      for (const [given, parsed] of readingsOf(transcript)) {
        const problem = problemOf(parsed);
        if (problem !== undefined) throw faultOf(subject, given)(expected, problem);
      }
    });
  return [
    onEvery('tells a turn of the standard event stream', ({ turn }) => turnProblem(turn) ?? lostFieldOf(turn.events), 'a turn that fits turnSchema, with events that fit streamEventSchema'),
    onEvery('pairs every end of an operation with one start of its kind', ({ turn }) => pairingProblem(turn.events, isComplete(turn, 'actions')), 'operations that are started once, finished at most once, and as what they were started'),
    onEvery('reports usage that adds up', ({ turn }) => usageProblem(turn.usage, turn.evidenceCoverage), 'buckets that do not contradict each other'),
    onEvery('gives a reason for everything below complete', reasonProblem, 'a reason of at least one word for each channel below complete'),
    onEvery('says the same in its ending and in the status of the turn', statusProblem, 'the status "completed" for the ending completed, "waiting" for waiting, and "failed" for every other; a request in a waiting turn'),
    everyTranscript(subject, 'knows the runs that completed from those that did not', (transcript) => {
      const given = wholeOf(transcript);
      const { ending } = tell(subject, given);
      if ((ending.kind === 'completed') === transcript.completed) return;
      throw faultOf(subject, given)(transcript.completed ? 'the ending completed' : 'any ending but completed', `the ending ${show(ending)}`);
    }),
    everyTranscript(subject, 'tells the same of one record again, whatever it read in between', (transcript, index) => {
      const given = wholeOf(transcript);
      const bytes = given.witnesses.map((witness) => Buffer.from(witness.bytes));
      const first = standardPartOf(tell(subject, given));
      const next = subject.transcripts[(index + 1) % subject.transcripts.length];
      if (next !== undefined) tell(subject, wholeOf(next));
      const difference = differenceOf(first, standardPartOf(tell(subject, given)));
      const fault = faultOf(subject, given);
      if (difference !== undefined) throw fault('the same as when it was read first; a parser keeps nothing from call to call', difference);
      if (bytes.some((before, at) => !before.equals(given.witnesses[at]?.bytes ?? new Uint8Array(0)))) throw fault('bytes that are left as they are', 'the parser changed the bytes that it was given');
    }),
  ];
}

/** A parsed turn without what an adapter adds for itself. */
export function standardPartOf({ turn, ending, sessionId, cliVersion, model, exitCode, unrecognised, unrecognisedCount, problems }: ParsedTurn): object {
  return { turn, ending, sessionId, cliVersion, model, exitCode, unrecognised, unrecognisedCount, problems };
}

/** The run, its leading record alone, and beginnings of it. */
function variantsOf(transcript: RecordedTranscript): readonly Given[] {
  const whole = wholeOf(transcript);
  const lines = leadLinesOf(whole);
  const beginnings = spread(lines.length, BEGINNINGS).slice(0, -1).map((count) => withLead(whole, joined(lines.slice(0, count)), `cut after ${count} of ${lines.length} lines`));
  return [whole, leadAlone(whole), ...beginnings];
}

function reasonProblem({ turn }: ParsedTurn): string | undefined {
  const bare = EVIDENCE_CHANNELS.find((channel) => {
    const entry = turn.evidenceCoverage?.[channel];
    return entry !== undefined && entry.status !== 'complete' && (typeof entry.reason !== 'string' || entry.reason.trim() === '');
  });
  return bare === undefined ? undefined : `evidenceCoverage.${bare} is ${show(turn.evidenceCoverage?.[bare])}`;
}

function statusProblem({ turn, ending }: ParsedTurn): string | undefined {
  const expected = ending.kind === 'completed' || ending.kind === 'waiting' ? ending.kind : 'failed';
  if (turn.status !== expected) return `the ending ${show(ending)} with the status ${show(turn.status)}`;
  return waitingProblem(turn);
}
