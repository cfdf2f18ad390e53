import { commandProjection, opaqueCommandProjection, type CommandProjection, type ShellSource } from '../../src/evidence/command-projection.js';
import type { ToolOccurrence } from '../../src/evidence/occurrence.js';
import type { MatchOutcome } from '../../src/expect/match.js';
import { shellMatch, type ShellConditions } from '../../src/expect/shell-match.js';

/** A call of a shell tool that ran a source. Default: completed, with an exit code that is not known. */
export function shellCall(source: string, facts: Partial<Pick<ToolOccurrence, 'status' | 'exitCode'>> & Omit<ShellSource, 'source'> = {}): ToolOccurrence {
  const { status = 'completed', exitCode, ...shell } = facts;
  return callOf(opaqueCommandProjection('unsupported-protocol', { source, ...shell }), { status, ...(exitCode === undefined ? {} : { exitCode }) });
}

/** A call whose protocol states the words. */
export function wordsCall(executable: string, ...args: readonly string[]): ToolOccurrence {
  return callOf(commandProjection({ state: 'available', executable, args }), {});
}

/** A call with a projection. */
export function callOf(command: CommandProjection | undefined, facts: Partial<Pick<ToolOccurrence, 'status' | 'exitCode'>>): ToolOccurrence {
  return {
    operationId: 'call_1', startedIndex: 0, status: 'completed', ...facts,
    operation: { kind: 'tool', name: 'Bash', input: {}, tool: 'shell', ...(command === undefined ? {} : { command }) },
  };
}

/** What shellMatch says at once about a call. */
export function outcomeFor(call: ToolOccurrence, executable: string, conditions: ShellConditions = {}): MatchOutcome {
  const outcome = shellMatch(executable, conditions).evaluate(call);
  if (outcome instanceof Promise) throw new TypeError('shellMatch answers at once.');
  return outcome;
}

/** Only the status of the answer about a source. */
export function ask(source: string, executable: string, conditions: ShellConditions = {}): MatchOutcome['status'] {
  return outcomeFor(shellCall(source), executable, conditions).status;
}
