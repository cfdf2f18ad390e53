import type { ToolOccurrence } from '../../evidence/occurrence.js';
import type { ToolStatus } from '../tool.js';
import type { StatedCommand } from './reading.js';

// From here on, an exit status may mean that the shell itself was killed.
const KILLED = 128;

/** What the exit status of the call says about the shell. Absent: it says nothing. */
function exitOf({ status, exitCode }: ToolOccurrence): 'zero' | 'non-zero' | undefined {
  if (exitCode === undefined || (status !== 'completed' && status !== 'failed')) return undefined;
  if (exitCode === 0) return 'zero';
  return exitCode > 0 && exitCode < KILLED ? 'non-zero' : undefined;
}

/** Whether a command was started for certain: by the source alone, or as the exit status proves. */
export function startedFor(command: StatedCommand, call: ToolOccurrence): 'yes' | 'no' | { readonly evidence: string } {
  if (command.always) return 'yes';
  const exit = exitOf(call);
  const proven = (exit === 'zero' && command.ranOnZero) || (exit === 'non-zero' && command.ranOnNonZero);
  return proven ? { evidence: `the exit status ${call.exitCode} proves that it was started` } : 'no';
}

/** Whether a command itself ended in a way. A text: it did, and what proves it. */
export function statusOf(wanted: ToolStatus, command: StatedCommand, call: ToolOccurrence): 'yes' | 'no' | { readonly undecided: string } | { readonly evidence: string } {
  const { status } = call;
  if (status === 'undecidable') return { undecided: 'calls that overlap used one id, so nobody knows the status of' };
  if (wanted === 'pending' || wanted === 'rejected') return status === wanted ? 'yes' : 'no';
  if (command.sole && status === 'pending') return 'no';
  if (command.sole && !command.background) {
    const own = status === 'completed' ? command.zero : command.nonZero;
    if (own !== undefined) return own === wanted ? 'yes' : 'no';
  }
  const exit = exitOf(call);
  const ended = exit === 'zero' ? command.zero : exit === 'non-zero' ? command.nonZero : undefined;
  if (ended === undefined) return { undecided: 'the status of the call is not that of' };
  return ended === wanted ? { evidence: `the exit status ${call.exitCode} proves that it ${ended}` } : 'no';
}
