import type { ProcessEnd, TranscriptEnding } from '../transcript.js';

/** The end event of a Codex turn, as far as one was seen. */
export interface EndingFacts {
  readonly understood: number;
  readonly completed: boolean;
  readonly failure: string | undefined;
  /** The error class that a rollout or app-server states beside the message. */
  readonly errorClass?: string;
  readonly httpStatus?: number;
  readonly interrupted: boolean;
  /** An answer began, and the turn ended without anything of it. */
  readonly answerLost: boolean;
  /** A question or an approval stands unanswered. */
  readonly asking: boolean;
  readonly stderr: string;
  readonly wantsData: boolean;
  readonly hasData: boolean;
}

/** How a process came out. The exit code never overrules the end event. */
export function endingOf(facts: EndingFacts, end: ProcessEnd): TranscriptEnding {
  if (facts.understood === 0) {
    const said = facts.stderr.trim().slice(-500);
    return { kind: 'nothing', reason: `not one line of the record was understood; ${processOf(end)}${said === '' ? '' : `; stderr ends: ${said}`}` };
  }
  if (facts.asking && end.exitCode === null && end.signal === undefined && end.stoppedByHarness !== true) return { kind: 'waiting' };
  if (end.stoppedByHarness === true) {
    return { kind: 'incomplete', reason: `the harness stopped the CLI${end.signal === undefined ? '' : ` (${end.signal})`} before it was done` };
  }
  if (facts.failure !== undefined) return failureEndingOf(facts.failure, facts);
  if (facts.interrupted) return { kind: 'failed', reason: 'the turn was interrupted' };
  if (!facts.completed) return { kind: 'incomplete', reason: `no turn.completed and no turn.failed on record; ${processOf(end)}` };
  if (facts.answerLost) return { kind: 'api-error', reason: 'an answer began, and the turn ended without anything of it: what came could not be read' };
  if (facts.wantsData && !facts.hasData) return { kind: 'failed', reason: 'structured output was asked for and the last message is not JSON' };
  return { kind: 'completed' };
}

function failureEndingOf(message: string, facts: EndingFacts): TranscriptEnding {
  const room = facts.errorClass === 'context_window_exceeded' || facts.errorClass === 'contextWindowExceeded' || /ran out of room in the model's context window/.test(message);
  const reason = message.trim() === '' ? 'the turn failed without a message' : message;
  if (room) return { kind: 'failed', reason };
  const stated = /(?:status|HTTP(?: error)?:?) (\d{3})\b/i.exec(message)?.[1];
  const httpStatus = facts.httpStatus ?? (stated === undefined ? undefined : Number(stated));
  return { kind: 'api-error', reason, ...(httpStatus === undefined ? {} : { httpStatus }) };
}

/** How the process ended, in words. */
export function processOf(end: ProcessEnd): string {
  if (end.signal !== undefined) return `the process was ended by ${end.signal}`;
  return end.exitCode === null ? 'its exit code is not known' : `the process exited with ${end.exitCode}`;
}
