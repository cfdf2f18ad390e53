import type { StreamEvent } from '../../evidence/events.js';
import { createTranscriptNotes, type ProcessEnd, type TranscriptNotes, type Witness } from '../transcript.js';
import { createAppServerReader } from './app-server.js';
import { createExecReader } from './exec.js';
import type { LiveReader } from './live.js';
import type { CodexParseOptions, CodexThreadMemory, ParsedCodexTurn } from './memory.js';
import { foldProcess, tellProcess } from './fold.js';
import { readRollouts } from './rollout.js';

/** A parser fed piece by piece. Memory stays flat apart from the events. */
export interface CodexParser {
  /** The next bytes of stdout. */
  push(bytes: Uint8Array): void;
  readonly events: readonly StreamEvent[];
  /**
   * @param stderr Text of stderr, for the reason when nothing was understood.
   * @param rollouts Files under `$CODEX_HOME/sessions`.
   */
  end(end: ProcessEnd, stderr?: string, rollouts?: readonly Witness[]): ParsedCodexTurn;
}

/**
 * Tells one `codex exec` process, from every record that is there. Never throws.
 *
 * @param witnesses All records of this one process: its stdout and stderr, and what it kept (rollouts).
 * @param end How the process ended, as the caller saw it. A run without its end event is never a success.
 * @param options `before`: `after` of the process before, when this one resumed its thread.
 */
export function parseCodexExec(witnesses: readonly Witness[], end: ProcessEnd, options: CodexParseOptions = {}): ParsedCodexTurn {
  return parseWith(createCodexExecParser(options), witnesses, end);
}

/** Tells one turn of a `codex app-server`, from what it sent and from its rollouts. Never throws. */
export function parseCodexAppServer(witnesses: readonly Witness[], end: ProcessEnd, options: CodexParseOptions = {}): ParsedCodexTurn {
  return parseWith(createCodexAppServerParser(options), witnesses, end);
}

/**
 * Creates a parser of one process' `exec --json` output, to be fed as it comes in, in bytes cut anywhere. `events` grows
 * with each push; `end` gives the whole turn, once.
 */
export function createCodexExecParser(options: CodexParseOptions = {}): CodexParser {
  return createParser(options, (notes) => createExecReader(notes, { idOf: idsOf(options.before), emitPrompt: options.emitPrompt === true }));
}

/** Creates a parser of what an app-server sends during one turn. `before` carries the connection on to the next one. */
export function createCodexAppServerParser(options: CodexParseOptions = {}): CodexParser {
  return createParser(options, (notes) => createAppServerReader(notes, { emitPrompt: options.emitPrompt === true, connection: options.before?.connection, idOf: idsOf(options.ownProcess === true ? options.before : undefined) }));
}

/** Ids of items and requests begin anew in each process, and a session is paired by them. */
export function idsOf(before: CodexThreadMemory | undefined): (native: string) => string {
  const processes = (before?.processes ?? 0) + 1;
  return (native) => (processes === 1 ? native : `${processes}:${native}`);
}

function parseWith(parser: CodexParser, witnesses: readonly Witness[], end: ProcessEnd): ParsedCodexTurn {
  for (const witness of witnesses) if (witness.kind === 'stdout') parser.push(witness.bytes);
  const stderr = witnesses.filter((witness) => witness.kind === 'stderr').map((witness) => Buffer.from(witness.bytes).toString('utf8')).join('');
  return parser.end(end, stderr, witnesses.filter((witness) => witness.kind === 'rollout'));
}

function createParser(options: CodexParseOptions, open: (notes: TranscriptNotes) => LiveReader): CodexParser {
  const notes = createTranscriptNotes();
  const reader = open(notes);
  return {
    push: (bytes) => reader.push(bytes),
    events: reader.events,
    end(end, stderr = '', witnesses = []) {
      const live = reader.end();
      const rollouts = readRollouts(witnesses);
      const told = tellProcess(rollouts, live, { notes, options });
      return foldProcess({ live, told, rollouts, stderr }, end, { notes, options });
    },
  };
}

export type { CodexParseOptions, CodexThreadMemory, ParsedCodexTurn } from './memory.js';
