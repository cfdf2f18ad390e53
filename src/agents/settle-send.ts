import type { Turn } from '../evidence/turn.js';
import { messageOf } from '../lifetime/error.js';
import { AgentSendError, type SendFailureKind } from './errors.js';
import type { CliEnd } from './running-cli.js';
import type { ParsedTurn } from './transcript.js';

const STDERR_TAIL_CHARACTERS = 1_500;

/** Who was sent to, and how its process ended. */
export interface SentTo {
  readonly agent: string;
  readonly program: string;
  /** Absent: it is alive and waits. */
  readonly ended?: CliEnd;
}

/**
 * Turns a parsed transcript into a turn, or into the reason why there is none: a CLI that said nothing, no end, or
 * whose model failed did not do its work badly, it did not do it.
 *
 * @throws AgentSendError with everything that was seen.
 */
export function settleSend({ agent, program, ended }: SentTo, parsed: ParsedTurn): Turn {
  const { ending } = parsed;
  if (ended === undefined && ending.kind === 'waiting') return parsed.turn;
  const launched = ended ?? { end: { exitCode: null }, stderr: '' };
  const fail = (kind: SendFailureKind, message: string, cause?: unknown): AgentSendError => {
    const stderrTail = launched.stderr.trim().slice(-STDERR_TAIL_CHARACTERS);
    const told = stderrTail === '' ? message : `${message} Its standard error ends: ${stderrTail}`;
    const httpStatus = ending.kind === 'api-error' ? ending.httpStatus : undefined;
    return new AgentSendError(told, {
      kind, agent, turn: parsed.turn, exitCode: launched.end.exitCode, ...(httpStatus === undefined ? {} : { httpStatus }), ...(stderrTail === '' ? {} : { stderrTail }),
    }, { cause });
  };
  if (launched.stopped !== undefined) throw fail('stopped', `${agent} was ended: ${messageOf(launched.stopped)}`, launched.stopped);
  const exit = `exit code ${launched.end.exitCode ?? 'unknown'}`;
  if (launched.end.exitCode === 127 && parsed.turn.events.length === 0) {
    throw fail('not-started', `${agent} could not be started: the image has no program "${program}".`);
  }
  switch (ending.kind) {
    case 'completed':
    case 'waiting':
      return parsed.turn;
    case 'failed':
      return withReason(parsed.turn, ending.reason);
    case 'api-error':
      throw fail('api-error', `${agent}: the model service failed: ${ending.reason}`);
    case 'incomplete':
    case 'nothing':
      throw fail('no-end', `${agent} ended with ${exit} but did not finish: ${ending.reason}`);
  }
}

/** A turn that failed says why, also where the record has no error of its own. */
function withReason(turn: Turn, reason: string): Turn {
  const says = turn.events.some((event) => event.type === 'error' && event.recovered !== true && event.parentOperationId === undefined);
  return says ? turn : { ...turn, events: [...turn.events, { type: 'error', message: reason }] };
}
