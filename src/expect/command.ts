import type { CommandProjection } from '../evidence/command-projection.js';
import type { ToolOccurrence } from '../evidence/occurrence.js';
import { createMatch, MATCHED, show, type MatchOutcome, type ToolMatch } from './match.js';
import type { ToolStatus } from './tool.js';

/** Further conditions of {@link commandMatch}. */
export interface CommandConditions {
  /** The first arguments, word by word. */
  readonly argsStart?: readonly string[];
  /** Words that no argument may equal. */
  readonly excludes?: readonly string[];
  readonly status?: ToolStatus;
}

// Programs that start, or may start, another one that the words of the call do not name for certain.
const LAUNCHERS = new Set([
  'pnpm', 'npx', 'npm', 'yarn', 'bunx', 'sudo', 'doas', 'env', 'timeout', 'nice', 'nohup', 'time', 'xargs', 'ssh', 'docker', 'find',
]);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);

/**
 * A command whose words the protocol states: the original ones or those behind a transparent wrapper
 * (`logical-command/v1`). It never looks at shell text; most coding CLIs state nothing else, and then this match is
 * unavailable.
 */
export function commandMatch(executable: string, conditions: CommandConditions = {}): ToolMatch {
  if (typeof executable !== 'string' || executable === '') throw new TypeError('commandMatch needs the name of an executable.');
  const unknown = Object.keys(conditions).find((key) => !['argsStart', 'excludes', 'status'].includes(key));
  if (unknown !== undefined) throw new TypeError(`commandMatch does not know the condition "${unknown}". It knows argsStart, excludes and status.`);
  const description = `command ${[executable, ...conditions.argsStart ?? []].join(' ')}${conditions.status === undefined ? '' : ` with status ${conditions.status}`}`;
  return createMatch({
    domain: 'tool',
    description,
    evaluate: (call) => withStatus(matchWords(executable, conditions, call, description), conditions.status, call),
  });
}

function matchWords(executable: string, conditions: CommandConditions, call: ToolOccurrence, description: string): MatchOutcome {
  const projection = call.operation.command;
  if (projection === undefined) return { status: 'unavailable', reason: `${call.operation.name} was not classified as a command or not` };
  if (projection.classification === 'not-command') return { status: 'mismatched', expected: description, received: `${call.operation.name}, which is no command` };
  const { original } = projection;
  if (original.state === 'opaque') return { status: 'unavailable', reason: `the words of ${call.operation.name} (${call.operationId}) are not stated: ${original.reason}` };
  const candidates = [original, ...(projection.logical.state === 'available' ? [projection.logical] : [])];
  if (candidates.some((words) => words.executable === executable && argsFit(words.args, conditions))) return MATCHED;
  if (original.executable !== executable && mayLaunchOther(projection)) {
    return { status: 'unavailable', reason: `${original.executable} starts another program that its words do not name for certain` };
  }
  return { status: 'mismatched', expected: description, received: [original.executable, ...original.args].join(' ') };
}

function argsFit(args: readonly string[], { argsStart = [], excludes = [] }: CommandConditions): boolean {
  return argsStart.every((word, index) => args[index] === word) && !excludes.some((word) => args.includes(word));
}

function mayLaunchOther(projection: CommandProjection & { classification: 'command' }): boolean {
  const { original, logical } = projection;
  if (original.state === 'opaque' || (logical.state === 'available' && logical.normalization !== 'identity')) return false;
  const name = original.executable.slice(original.executable.lastIndexOf('/') + 1);
  return LAUNCHERS.has(name) || (SHELLS.has(name) && original.args.length > 0);
}

function withStatus(outcome: MatchOutcome, status: ToolStatus | undefined, call: ToolOccurrence): MatchOutcome {
  if (status === undefined || outcome.status === 'mismatched') return outcome;
  if (call.status === 'undecidable') return { status: 'unavailable', reason: `the status of ${show(call.operationId)} is not known` };
  return call.status === status ? outcome : { status: 'mismatched', expected: `status ${status}`, received: call.status };
}
