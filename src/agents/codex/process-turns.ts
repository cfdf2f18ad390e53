import { createTranscriptNotes, withSource, type ProcessEnd, type Witness } from '../transcript.js';
import { createAppServerReader } from './app-server.js';
import { createExecReader } from './exec.js';
import { foldProcess, tellProcess } from './fold.js';
import type { LiveReader } from './live.js';
import type { CodexParseOptions, CodexThreadMemory, ParsedCodexTurn } from './memory.js';
import { readRollouts, type Rollouts } from './rollout.js';
import { rootOf } from './threads.js';
import { linesOfProcess } from './turns.js';

/** Which record of a process the stdout files are. */
export type CodexSurface = 'exec' | 'app-server';

/**
 * Tells every turn of a run that nobody watched: of stdout files one after the other, each cut where a turn begins, or of
 * rollouts alone. Never throws.
 *
 * @param end How the last process ended.
 */
export function parseCodexTurns(witnesses: readonly Witness[], end: ProcessEnd, surface: CodexSurface = 'exec'): readonly ParsedCodexTurn[] {
  const rollouts = readRollouts(witnesses.filter(({ kind }) => kind === 'rollout'));
  const stderr = witnesses.filter(({ kind }) => kind === 'stderr').map(({ bytes }) => Buffer.from(bytes).toString('utf8')).join('');
  const stdouts = witnesses.filter(({ kind }) => kind === 'stdout');
  if (stdouts.length === 0) return rolloutTurns(rollouts, end);
  const turns: ParsedCodexTurn[] = [];
  let before: CodexThreadMemory | undefined;
  for (const [index, { bytes, path }] of stdouts.entries()) {
    const pieces = piecesOf(bytes, surface);
    for (const [piece, part] of pieces.entries()) {
      const last = index === stdouts.length - 1 && piece === pieces.length - 1;
      const parsed = parsePiece(part, { rollouts, end: last ? end : { exitCode: null }, stderr: last ? stderr : '', surface, before });
      turns.push(stdouts.length > 1 ? withSource(parsed, path) : parsed);
      before = parsed.after;
    }
  }
  return turns;
}

interface PieceOptions {
  readonly rollouts: Rollouts;
  readonly end: ProcessEnd;
  readonly stderr: string;
  readonly surface: CodexSurface;
  readonly before: CodexThreadMemory | undefined;
}

function parsePiece(bytes: Uint8Array, { rollouts, end, stderr, surface, before }: PieceOptions): ParsedCodexTurn {
  const notes = createTranscriptNotes();
  const number = (before?.processes ?? 0) + 1;
  const reader: LiveReader = surface === 'app-server'
    ? createAppServerReader(notes, { emitPrompt: true, connection: before?.connection })
    : createExecReader(notes, { idOf: (native) => (number === 1 ? native : `${number}:${native}`), emitPrompt: true });
  reader.push(bytes);
  const live = reader.end();
  const options: CodexParseOptions = { emitPrompt: true, ...(before === undefined ? {} : { before }) };
  const told = tellProcess(rollouts, live, { notes, options, openEnded: true });
  return foldProcess({ live, told, rollouts, stderr }, end, { notes, options });
}

/** Each root turn of the rollouts is a turn. */
function rolloutTurns(rollouts: Rollouts, end: ProcessEnd): readonly ParsedCodexTurn[] {
  const root = rootOf(rollouts.threads, undefined);
  if (root === undefined) return [];
  const threads = rollouts.threads.filter(({ sessionId, id }) => sessionId === root.sessionId || id === root.id);
  const { roots } = linesOfProcess(threads, root, { told: undefined, tokens: undefined, single: false, openEnded: true });
  let before: CodexThreadMemory | undefined;
  return roots.map((one, index) => {
    const notes = createTranscriptNotes();
    const live = createExecReader(notes, { idOf: (native) => native, emitPrompt: true }).end();
    const others = new Set(roots.filter((other) => other !== one));
    const shown = index === 0 ? rollouts : { ...rollouts, unreadable: [], unknown: [] };
    const told = tellProcess(rollouts, live, { notes, options: { emitPrompt: true, before: { processes: 0, turns: others } } });
    const parsed = foldProcess({ live, told, rollouts: shown, stderr: '' }, index === roots.length - 1 ? end : { exitCode: null }, { notes, options: { emitPrompt: true, ...(before === undefined ? {} : { before }) } });
    before = parsed.after;
    return parsed;
  });
}

const LINE_FEED = 0x0a;

/** Cuts a record where a turn begins after another one ended. */
function piecesOf(bytes: Uint8Array, surface: CodexSurface): readonly Uint8Array[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: Uint8Array[] = [];
  const marks = MARKS[surface];
  let from = 0;
  let ended = false;
  for (let start = 0; start < buffer.length;) {
    const feed = buffer.indexOf(LINE_FEED, start);
    const next = feed === -1 ? buffer.length : feed + 1;
    const head = buffer.toString('latin1', start, Math.min(next, start + 160));
    if (ended && marks.begin.test(head)) {
      pieces.push(bytes.subarray(from, start));
      from = start;
      ended = false;
    }
    if (marks.end.test(head) && !isChild(buffer.toString('latin1', start, Math.min(next, start + 400)))) ended = true;
    start = next;
  }
  pieces.push(bytes.subarray(from));
  return pieces;

  /** A subagent's turn on the same connection: its root turn is another one. */
  function isChild(line: string): boolean {
    const turn = /"turn":\{"id":"([^"]*)","rootTurnId":"([^"]*)"/.exec(line);
    return turn !== null && turn[1] !== turn[2];
  }
}

const MARKS = {
  exec: { begin: /^\{"type":"(?:thread|turn)\.started"|^\{"id":"[^"]*","msg":\{"type":"task_started"/, end: /^\{"type":"turn\.(?:completed|failed)"|^\{"id":"[^"]*","msg":\{"type":"task_complete"/ },
  'app-server': { begin: /^\{"method":"turn\/started"/, end: /^\{"method":"turn\/completed"/ },
} as const;
