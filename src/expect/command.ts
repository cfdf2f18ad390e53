import type { ToolOccurrence } from '../evidence/occurrence.js';
import { createMatch, MATCHED, show, type MatchOutcome, type ToolMatch } from './match.js';
import { checkStatus, type ToolStatus } from './tool.js';

/** Further conditions of {@link commandMatch}. */
export interface CommandConditions {
  /** The first arguments, word by word. */
  readonly argsStart?: readonly string[];
  /** Words that no argument may equal. */
  readonly excludes?: readonly string[];
  readonly status?: ToolStatus;
}

// Programs that start, or may start, another one that the words of the call do not name for certain.
const LAUNCHERS = new Set(['pnpm', 'npx', 'npm', 'yarn', 'bunx', 'sudo', 'doas', 'env', 'timeout', 'nice', 'nohup', 'time', 'xargs', 'ssh']);
/** Programs that do so only with one of these words. */
const LAUNCHING_WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['docker', ['exec', 'run']],
  ['find', ['-exec', '-execdir', '-ok', '-okdir']],
]);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);

/**
 * A command whose words the protocol states: the original ones or those behind a transparent wrapper
 * (`logical-command/v1`). It never looks at shell text; most coding CLIs state nothing else, and then this match is
 * unavailable.
 */
export function commandMatch(executable: string, given: CommandConditions = {}): ToolMatch {
  const conditions = structuredClone(given);
  if (typeof executable !== 'string' || executable === '') throw new TypeError('commandMatch needs the name of an executable.');
  const unknown = Object.keys(conditions).find((key) => !['argsStart', 'excludes', 'status'].includes(key));
  if (unknown !== undefined) throw new TypeError(`commandMatch does not know the condition "${unknown}". It knows argsStart, excludes and status.`);
  for (const key of ['argsStart', 'excludes'] as const) {
    const words: unknown = conditions[key];
    if (words !== undefined && !(Array.isArray(words) && words.every((word) => typeof word === 'string'))) {
      throw new TypeError(`commandMatch needs a list of words as \`${key}\`, for instance ["test"].`);
    }
  }
  checkStatus('commandMatch', conditions.status);
  const description = describe(executable, conditions);
  return createMatch({
    domain: 'tool',
    description,
    concerns: ({ operation }) => operation.command?.classification !== 'not-command',
    evaluate: (call) => withStatus(matchWords(executable, conditions, call, description), conditions.status, call),
  });
}

function describe(executable: string, { argsStart = [], excludes = [], status }: CommandConditions): string {
  const without = excludes.length === 0 ? '' : ` without ${excludes.join(', ')}`;
  return `command ${[executable, ...argsStart].join(' ')}${without}${status === undefined ? '' : ` with status ${status}`}`;
}

function matchWords(executable: string, conditions: CommandConditions, call: ToolOccurrence, description: string): MatchOutcome {
  const projection = call.operation.command;
  if (projection === undefined) return { status: 'unavailable', reason: `${call.operation.name} was not classified as a command or not` };
  if (projection.classification === 'not-command') return { status: 'mismatched', expected: description, received: `${call.operation.name}, which is no command` };
  const { original } = projection;
  if (original.state === 'opaque') return { status: 'unavailable', reason: `the words of ${call.operation.name} (${call.operationId}) are not stated: ${original.reason}` };
  const inner = projection.logical.state === 'available' ? projection.logical : original;
  if ([original, inner].some((words) => words.executable === executable && argsFit(words.args, conditions))) return MATCHED;
  if (original.executable !== executable && inner.executable !== executable && mayLaunchOther(inner)) {
    return { status: 'unavailable', reason: `${inner.executable} starts another program that its words do not name for certain` };
  }
  return { status: 'mismatched', expected: description, received: [original.executable, ...original.args].join(' ') };
}

function argsFit(args: readonly string[], { argsStart = [], excludes = [] }: CommandConditions): boolean {
  return argsStart.every((word, index) => args[index] === word) && !excludes.some((word) => args.includes(word));
}

function mayLaunchOther({ executable, args }: { readonly executable: string; readonly args: readonly string[] }): boolean {
  const name = executable.slice(executable.lastIndexOf('/') + 1);
  const launchingWords = LAUNCHING_WORDS.get(name) ?? [];
  return LAUNCHERS.has(name) || (SHELLS.has(name) && args.length > 0) || args.some((word) => launchingWords.includes(word));
}

function withStatus(outcome: MatchOutcome, status: ToolStatus | undefined, call: ToolOccurrence): MatchOutcome {
  if (status === undefined || outcome.status === 'mismatched') return outcome;
  if (call.status === 'undecidable') return { status: 'unavailable', reason: `the status of ${show(call.operationId)} is not known` };
  return call.status === status ? outcome : { status: 'mismatched', expected: `status ${status}`, received: call.status };
}
