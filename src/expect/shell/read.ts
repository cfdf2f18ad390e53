import { parse, type AndOr, type ParsedScript, type Statement } from 'unbash';
import type { CommandProjection, OriginalOpaqueReason, ShellSource } from '../../evidence/command-projection.js';
import { outermost } from './here.js';
import type { Collected } from './invoke.js';
import { CONDITIONAL, WHOLE_SOURCE, withoutStatus } from './place.js';
import type { Reading, StatedCommand, Unknown } from './reading.js';
import { SHELL_NAMES } from './shells.js';
import { errorOf } from './syntax.js';
import { createWalk } from './walk.js';
import { literalWord } from './word.js';

const MAX_CHARACTERS = 1_000_000;
const MAX_INVOCATIONS = 20_000;
const KEPT_READINGS = 5_000;
// Long sources are rare and cost memory.
const KEPT_CHARACTERS = 20_000;

const byText = new Map<string, Reading>();
const byProjection = new WeakMap<CommandProjection, Reading>();

/** Reads what a call ran: its words when the protocol states them, else its shell text. Absent: neither is there. */
export function readingOf(projection: CommandProjection & { readonly classification: 'command' }): Reading | undefined {
  const known = byProjection.get(projection);
  if (known !== undefined) return known;
  const { original, shell } = projection;
  const reading = original.state === 'available' ? readWords([original.executable, ...original.args]) : shell === undefined ? undefined : readOpaque(original.reason, shell);
  if (reading !== undefined) byProjection.set(projection, reading);
  return reading;
}

function readOpaque(reason: OriginalOpaqueReason, shell: ShellSource): Reading {
  if (reason === 'redacted') return unread('parts of its source were taken out');
  return readSource(reason === 'truncated' ? { ...shell, truncated: true } : shell);
}

/** Reads words that a program was started with, without a shell. */
export function readWords(words: readonly string[]): Reading {
  return collect(words.some((word) => word.includes('pipefail')), (collected) => {
    const { words: walkWords } = createWalk(collected);
    walkWords(words.map((word) => literalWord(word)), outermost(WHOLE_SOURCE));
    return undefined;
  });
}

/** Reads shell text. Never throws; what it cannot read it says. */
export function readSource({ source, shell, truncated = false }: ShellSource): Reading {
  const name = shell === undefined ? 'sh' : shell.slice(shell.lastIndexOf('/') + 1);
  if (!SHELL_NAMES.includes(name)) return unread(`it is the source of ${name}, whose grammar is not read`);
  if (source.length > MAX_CHARACTERS) return unread(`the source is longer than ${MAX_CHARACTERS} characters`);
  const key = `${truncated ? 'cut' : 'all'}:${source}`;
  const known = byText.get(key);
  if (known !== undefined) return known;
  const reading = readText(source, truncated);
  if (source.length <= KEPT_CHARACTERS) {
    const [oldest] = byText.keys();
    if (byText.size >= KEPT_READINGS && oldest !== undefined) byText.delete(oldest);
    byText.set(key, reading);
  }
  return reading;
}

function readText(written: string, truncated: boolean): Reading {
  // A carriage return before a line feed comes from the tool that wrote the text, not from the one who wants to pass it on.
  const source = written.replaceAll('\r\n', '\n');
  return collect(source.includes('pipefail'), (collected) => {
    const script = parse(source);
    const { statements } = createWalk(collected);
    const error = errorOf(script);
    if (error === undefined && !truncated) {
      statements(script.commands, outermost(WHOLE_SOURCE));
      return undefined;
    }
    statements(sureStatements(script, source, { truncated, limit: error?.pos ?? source.length }), outermost(withoutStatus(WHOLE_SOURCE)));
    return truncated ? 'the source is cut' : `the source could not be read: ${error?.message ?? ''}`;
  });
}

/** The statements that end before what could not be read. */
function sureStatements({ commands }: ParsedScript, source: string, cut: { readonly truncated: boolean; readonly limit: number }): readonly Statement[] {
  const { truncated } = cut;
  // A shell reads line by line: of the line with the error it runs nothing.
  const limit = truncated ? cut.limit : source.lastIndexOf('\n', Math.max(0, cut.limit - 1));
  const sure: Statement[] = [];
  for (const statement of commands) {
    const rest = source.slice(statement.end, limit + 1);
    const isEnded = statement.end <= limit && (statement.background === true || /^[ \t]*[;&\n]/.test(rest)) && hereDocumentsClosed(source, statement, limit);
    if (isEnded) {
      sure.push(statement);
      continue;
    }
    // Of a list that is cut, what stands before the last operator is there whole.
    const { command } = statement;
    if (truncated && command.type === 'AndOr') {
      const parts = command.commands.filter((part, index) => part.end < limit && index < command.operators.length && hereDocumentsClosed(source, part, limit));
      if (parts.length > 0) sure.push({ ...statement, command: partOf(command, parts), background: true });
    }
    break;
  }
  return sure;
}

function partOf(list: AndOr, commands: AndOr['commands']): AndOr | AndOr['commands'][number] {
  const [only] = commands;
  return commands.length === 1 && only !== undefined ? only : { ...list, commands, operators: list.operators.slice(0, commands.length - 1) };
}

// The body of a here-document stands behind the statement; a rough look suffices, since a cut is rare.
function hereDocumentsClosed(source: string, { pos, end }: { readonly pos: number; readonly end: number }, limit: number): boolean {
  const marks = [...source.slice(pos, end).matchAll(/<<-?\s*(['"]?)([\w.-]+)\1/g)];
  return marks.every(([, , mark = '']) => source.slice(end, limit + 1).split('\n').slice(1, -1).some((line) => line.trim() === mark));
}

function collect(pipefail: boolean, walk: (collected: Collected) => string | undefined): Reading {
  const commands: StatedCommand[] = [];
  const unknowns: Unknown[] = [];
  let invocations = 0;
  let isStatusHidden = false;
  const collected: Collected = {
    hasRoom: () => (invocations += 1) <= MAX_INVOCATIONS,
    states: (command) => void commands.push(command),
    mayRun: (unknown) => void unknowns.push(unknown),
    hidesStatus: () => { isStatusHidden = true; },
    pipefail: () => pipefail,
  };
  let unreadable: string | undefined;
  try {
    unreadable = walk(collected);
  } catch (error) {
    // The stack is full, or the grammar has a fault: what was noted before stands, and nothing is ruled out.
    unreadable = error instanceof RangeError ? 'the source is nested too deeply' : `the source could not be read: ${String(error)}`;
  }
  if (invocations > MAX_INVOCATIONS) unreadable = `the source states more than ${MAX_INVOCATIONS} commands`;
  const seen = isStatusHidden ? commands.map((command) => ({ ...command, ...CONDITIONAL, always: command.always })) : commands;
  return { commands: seen, unknowns, byName: grouped(seen), ...(unreadable === undefined ? {} : { unreadable }) };
}

function grouped(commands: readonly StatedCommand[]): ReadonlyMap<string, readonly StatedCommand[]> {
  const groups = new Map<string, StatedCommand[]>();
  for (const command of commands) {
    const group = groups.get(command.name);
    if (group === undefined) groups.set(command.name, [command]);
    else group.push(command);
  }
  return groups;
}

function unread(reason: string): Reading {
  return { commands: [], unknowns: [], byName: new Map(), unreadable: reason };
}
