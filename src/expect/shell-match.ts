import type { ToolOccurrence } from '../evidence/occurrence.js';
import { createMatch, MATCHED, mismatchInWords, unavailable, type MatchOutcome, type ToolMatch } from './match.js';
import { compareArguments, type ArgumentConditions } from './shell/arguments.js';
import { couldRun } from './shell/invoke.js';
import { readingOf } from './shell/read.js';
import { shorten, showWords, type Reading, type StatedCommand } from './shell/reading.js';
import { statusOf, startedFor } from './shell/status.js';
import { fits } from './shell/word.js';
import { checkStatus, type ToolStatus } from './tool.js';

/** Further conditions of {@link shellMatch}. */
export interface ShellConditions extends ArgumentConditions {
  /**
   * How the command itself ended. `pending` and `rejected` are those of the whole call. Of a source with several
   * commands, the status of the call belongs to one of them only where the source proves it; elsewhere the match is
   * unavailable. Absent: however it ended, also a call that was rejected, since its source states the command all the same.
   */
  readonly status?: ToolStatus;
  /**
   * Asks whether the source guarantees that the command is started: not only behind `&&` or `||`, in an `if`, a loop or
   * a `case`, or after a possible end of the shell. An exit status of the call that proves it counts. Default false.
   */
  readonly unconditional?: boolean;
}

const KNOWN = ['argsStart', 'argsInclude', 'excludes', 'status', 'unconditional'];
const SHOWN_COMMANDS = 8;
const SHOWN_CHARACTERS = 200;

/**
 * A simple command that the shell text or the words of a call state. It looks through shells with literal code, through
 * wrappers such as `env`, `sudo`, `timeout` and `xargs`, and through package runners such as `npx`. It does not ask
 * what a program does inside: `npm test` states npm. Unavailable wherever the source leaves open what is run.
 *
 * @param executable Without a slash: the last part of the command word. With one: the command word as typed.
 * @throws TypeError for conditions that are not known.
 */
export function shellMatch(executable: string, conditions: ShellConditions = {}): ToolMatch {
  if (typeof executable !== 'string' || executable === '') throw new TypeError('shellMatch needs the name of an executable.');
  const unknown = Object.keys(conditions).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) throw new TypeError(`shellMatch does not know the condition "${unknown}". It knows argsStart, argsInclude, excludes, status and unconditional.`);
  for (const key of ['argsStart', 'argsInclude', 'excludes'] as const) {
    const words: unknown = conditions[key];
    if (words !== undefined && !(Array.isArray(words) && words.every((word) => typeof word === 'string'))) {
      throw new TypeError(`shellMatch needs a list of words as \`${key}\`, for instance ["test"].`);
    }
  }
  if (conditions.unconditional !== undefined && typeof conditions.unconditional !== 'boolean') throw new TypeError('shellMatch needs true or false as `unconditional`.');
  checkStatus('shellMatch', conditions.status);
  const query: Query = {
    ...structuredClone(conditions), executable, name: executable.slice(executable.lastIndexOf('/') + 1), description: describe(executable, conditions),
  };
  return createMatch({
    domain: 'tool',
    description: query.description,
    concerns: ({ operation }) => operation.command?.classification !== 'not-command',
    evaluate: (call) => matchCall(query, call),
  });
}

interface Query extends ShellConditions {
  readonly executable: string;
  readonly name: string;
  readonly description: string;
}

function describe(executable: string, { argsStart = [], argsInclude = [], excludes = [], status, unconditional }: ShellConditions): string {
  return [
    `shell command ${[executable, ...argsStart].join(' ')}`,
    ...(argsInclude.length === 0 ? [] : [`including ${argsInclude.join(', ')}`]),
    ...(excludes.length === 0 ? [] : [`without ${excludes.join(', ')}`]),
    ...(status === undefined ? [] : [`with status ${status}`]),
    ...(unconditional === true ? ['that is run unconditionally'] : []),
  ].join(' ');
}

function matchCall(query: Query, call: ToolOccurrence): MatchOutcome {
  const { operation } = call;
  const projection = operation.command;
  if (projection?.classification === 'not-command') return { status: 'mismatched', expected: query.description, received: `${operation.name}, which is no command` };
  if (isOtherCall(query.status, call)) return { status: 'mismatched', expected: `status ${query.status}`, received: call.status };
  if (projection === undefined) return undecidedCall(call, 'it was not classified as a command or not');
  const reading = readingOf(projection);
  if (reading === undefined) return undecidedCall(call, `what it ran is not stated${projection.original.state === 'opaque' ? `: ${projection.original.reason}` : ''}`);
  // Most sources are understood and run other programs.
  if (reading.unreadable === undefined && reading.unknowns.length === 0 && !reading.byName.has(query.name)) return mismatch(query, reading, undefined);
  let undecided: string | undefined;
  let near: Near | undefined;
  for (const command of reading.byName.get(query.name) ?? []) {
    const outcome = matchCommand(query, command, call);
    if (outcome.status === 'matched') return outcome.note === undefined ? MATCHED : outcome;
    if (outcome.status === 'unavailable') undecided ??= outcome.reason;
    else near ??= { command, ...outcome };
  }
  if (undecided !== undefined) return undecidedCall(call, undecided);
  if (reading.unreadable !== undefined) return undecidedCall(call, reading.unreadable);
  const hidden = reading.unknowns.find((unknown) => couldRun(unknown, query.name));
  return hidden === undefined ? mismatch(query, reading, near) : undecidedCall(call, hidden.reason);
}

function undecidedCall({ operation, operationId }: ToolOccurrence, reason: string): MatchOutcome {
  return unavailable('shell-undecidable', `${operation.name} (${operationId}): ${reason}`);
}

/** The command that came nearest, and why it is not the one. */
interface Near {
  readonly command: StatedCommand;
  readonly why: string;
}

type CommandOutcome =
  | { readonly status: 'matched'; readonly note?: string }
  | { readonly status: 'mismatched'; readonly why: string }
  | { readonly status: 'unavailable'; readonly reason: string };

function matchCommand(query: Query, command: StatedCommand, call: ToolOccurrence): CommandOutcome {
  const [word, first] = command.words;
  const wanted = query.argsStart?.[0];
  // Most commands of a name differ in their first argument.
  if (wanted !== undefined && (first === undefined || (first.literal !== undefined && first.literal !== wanted))) return OTHER_ARGUMENTS;
  const shown = (): string => shorten(showWords(command.words));
  let undecided: string | undefined;
  if (query.executable.includes('/') && command.typed !== query.executable) {
    if (command.typed !== undefined || (word !== undefined && !fits(word.pieces, query.executable))) return OTHER_FOLDER;
    undecided = `the command word of \`${shown()}\` is decided by expansion`;
  }
  const fit = compareArguments(command.words.slice(1), query);
  if (fit === 'no') return OTHER_ARGUMENTS;
  if (fit !== 'yes') undecided ??= `\`${shorten(fit.undecided)}\` in \`${shown()}\` is decided by expansion`;
  const started = query.unconditional === true ? startedFor(command, call) : 'yes';
  if (started === 'no') return { status: 'mismatched', why: 'not run unconditionally' };
  const status = query.status === undefined ? 'yes' : statusOf(query.status, command, call);
  if (typeof status === 'object' && 'undecided' in status) undecided ??= `${status.undecided} \`${shown()}\``;
  else if (status === 'no') return { status: 'mismatched', why: `not ${query.status}` };
  if (undecided !== undefined) return { status: 'unavailable', reason: undecided };
  const proof = [started, status].find((answer) => typeof answer === 'object' && 'evidence' in answer);
  const version = command.version === undefined ? undefined : `version ${command.version} was asked for`;
  const note = typeof proof === 'object' && 'evidence' in proof ? proof.evidence : version;
  return { status: 'matched', ...(note === undefined ? {} : { note: `${shown()}: ${note}` }) };
}

const OTHER_FOLDER: CommandOutcome = { status: 'mismatched', why: 'other folder' };
const OTHER_ARGUMENTS: CommandOutcome = { status: 'mismatched', why: 'other arguments' };

/** Whether the status of the whole call rules out what is asked for, whatever the call ran. */
function isOtherCall(wanted: ToolStatus | undefined, { status }: ToolOccurrence): boolean {
  if (wanted === undefined || status === 'undecidable' || status === wanted) return false;
  return wanted === 'pending' || wanted === 'rejected' || status === 'rejected';
}

/** Put into words when somebody reads it: most mismatches are never read. */
function mismatch(query: Query, reading: Reading, near: Near | undefined): MatchOutcome {
  return mismatchInWords(query.description, () => listOf(reading, near));
}

function listOf({ commands }: Reading, near: Near | undefined): string {
  const others = commands.filter((command) => command !== near?.command).slice(0, SHOWN_COMMANDS).map(({ words }) => shorten(showWords(words)));
  const shown = [...(near === undefined ? [] : [`${shorten(showWords(near.command.words))} (${near.why})`]), ...others].slice(0, SHOWN_COMMANDS);
  const more = commands.length - shown.length;
  const text = shown.length === 0 ? 'no command' : `${shown.join('; ')}${more > 0 ? `; ${more} more` : ''}`;
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}...`;
}
