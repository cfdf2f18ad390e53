import { z } from 'zod';
import { messageOf } from '../../lifetime/error.js';
import type { ParsedTurn } from '../transcript.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { ConformanceError } from './errors.js';
import type { Given } from './record.js';
import type { RecordedTranscript, TranscriptSubject } from './transcript-subject.js';

const reason = z.string().trim().min(1);

/** Everything of a parsed turn but the turn itself. */
const aroundSchema = z.looseObject({
  turn: z.looseObject({}),
  ending: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('completed') }),
    z.strictObject({ kind: z.literal('waiting') }),
    z.strictObject({ kind: z.literal('failed'), reason }),
    z.strictObject({ kind: z.literal('api-error'), reason, httpStatus: z.number().int().exactOptional() }),
    z.strictObject({ kind: z.literal('incomplete'), reason }),
    z.strictObject({ kind: z.literal('nothing'), reason }),
  ]),
  sessionId: z.string().exactOptional(),
  cliVersion: z.string().exactOptional(),
  model: z.string().exactOptional(),
  exitCode: z.number().nullable().exactOptional(),
  unrecognised: z.array(z.strictObject({ source: z.string().min(1), line: z.number().int().min(1), why: reason })),
  unrecognisedCount: z.number().int().nonnegative(),
  problems: z.array(z.string()),
});

/** The failure of a subject, made where its input is known. */
export type Fault = (expected: string, received: string, cause?: unknown) => ConformanceError;

export function faultOf(subject: TranscriptSubject, { input }: Given): Fault {
  return (expected, received, cause) => new ConformanceError({ subject: subject.name, expected, input, received }, { cause });
}

/** Lets the subject tell a record. @throws ConformanceError when it throws, or answers with something else than a parsed turn. */
export function tell(subject: TranscriptSubject, given: Given): ParsedTurn {
  return told(faultOf(subject, given), () => subject.parse(given.witnesses, given.end));
}

/** As {@link tell}, for any call that gives a parsed turn. */
export function told(fault: Fault, call: () => ParsedTurn): ParsedTurn {
  const parsed = guarded(fault, call);
  const read = aroundSchema.safeParse(parsed);
  if (read.success) return parsed;
  const issue = read.error.issues[0];
  throw fault('a ParsedTurn: turn, ending, unrecognised, unrecognisedCount, problems', `\`${issue?.path.join('.') || 'the answer'}\`: ${issue?.message ?? 'it does not fit'}`);
}

/** Calls the parser. @throws ConformanceError when it throws. */
export function guarded<T>(fault: Fault, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw fault('a parsed turn, whatever the record holds; a parser never throws', `it threw "${messageOf(error)}"`, error);
  }
}

/** A check over every recorded run. The event loop goes on between two runs, so that a runner can watch its time. */
export function everyTranscript(subject: TranscriptSubject, title: string, look: (transcript: RecordedTranscript, index: number) => void): ConformanceCheck {
  return {
    title: `${subject.name}: ${title}`,
    run: async () => {
      for (const [index, transcript] of subject.transcripts.entries()) {
        look(transcript, index);
        await new Promise((resolve) => { setImmediate(resolve); });
      }
    },
  };
}
