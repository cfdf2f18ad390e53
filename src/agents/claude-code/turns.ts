import { withSource, type ProcessEnd, type Witness } from '../transcript.js';
import type { ClaudeCodeParseOptions, ClaudeCodeSessionMemory, ParsedClaudeCodeTurn } from './memory.js';
import { createProcessParser } from './process.js';
import { readSession, type SessionEntry, type SessionRecord } from './session.js';
import { isPrompt } from './weave.js';

/**
 * Tells every turn of a run that nobody watched: of stdout files one after the other, each cut where a new prompt was
 * taken up, or of session files alone. Never throws.
 *
 * @param end How the last process ended.
 */
export function parseClaudeCodeTurns(witnesses: readonly Witness[], end: ProcessEnd): readonly ParsedClaudeCodeTurn[] {
  const sessionFiles = witnesses.filter(({ kind }) => kind === 'session');
  const session = sessionFiles.length === 0 ? undefined : readSession(sessionFiles);
  const stdouts = witnesses.filter(({ kind }) => kind === 'stdout');
  const stderr = witnesses.filter(({ kind }) => kind === 'stderr').map(({ bytes }) => Buffer.from(bytes).toString('utf8')).join('');
  if (stdouts.length === 0) return session === undefined ? [] : sessionTurns(session, end);
  const turns: ParsedClaudeCodeTurn[] = [];
  let before: ClaudeCodeSessionMemory | undefined;
  for (const [index, { bytes, path }] of stdouts.entries()) {
    const pieces = piecesOf(bytes);
    let lines = 0;
    for (const [piece, { from, to, lineCount }] of pieces.entries()) {
      const last = index === stdouts.length - 1 && piece === pieces.length - 1;
      // The first process is told by the record alone: which part of the session is older, nobody remembers.
      const options: ClaudeCodeParseOptions = { emitPrompt: true, ...(before === undefined ? {} : { before }), ...(piece === 0 ? {} : { goesOn: { lines } }), toBeContinued: piece < pieces.length - 1 };
      const parser = createProcessParser(options, session);
      parser.push(bytes.subarray(from, to));
      const parsed = parser.end(last ? end : { exitCode: null }, last ? stderr : '');
      turns.push(stdouts.length > 1 ? withSource(parsed, path) : parsed);
      before = parsed.after;
      lines += lineCount;
    }
  }
  return turns;
}

interface Piece { readonly from: number; readonly to: number; readonly lineCount: number }

const LINE_FEED = 0x0a;

/** Lines by which a process goes on after a result line. Notes on background work belong to the turn that began it. */
const GOING_ON = ['{"type":"system","subtype":"init"', '{"type":"user"', '{"type":"assistant"'];

/** Cuts a process' output where it goes on after a result line. */
function piecesOf(bytes: Uint8Array): readonly Piece[] {
  const pieces: Piece[] = [];
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let from = 0;
  let lineCount = 0;
  let ended = false;
  for (let start = 0; start < buffer.length;) {
    const feed = buffer.indexOf(LINE_FEED, start);
    const next = feed === -1 ? buffer.length : feed + 1;
    // The type is the first field of every line; the rest of the line may be megabytes.
    const head = buffer.toString('latin1', start, Math.min(next, start + 64));
    if (ended && GOING_ON.some((opening) => head.startsWith(opening))) {
      pieces.push({ from, to: start, lineCount });
      from = start;
      lineCount = 0;
      ended = false;
    }
    if (head.startsWith('{"type":"result"')) ended = true;
    lineCount += 1;
    start = next;
  }
  pieces.push({ from, to: buffer.length, lineCount });
  return pieces;
}

/** A session file begins each turn with the line by which the CLI takes up a prompt, or with the prompt itself. */
function sessionTurns(session: SessionRecord, end: ProcessEnd): readonly ParsedClaudeCodeTurn[] {
  const groups: SessionEntry[][] = [];
  let answered = true;
  for (const entry of session.entries) {
    const opens = isPrompt(entry.record) && entry.parent === undefined;
    if (groups.length === 0 || (opens && answered)) {
      groups.push([]);
      answered = false;
    }
    if (entry.record['type'] === 'assistant') answered = true;
    groups.at(-1)?.push(entry);
  }
  return groups.map((entries, index) => {
    const unreadable = index === 0 ? session.unreadable : [];
    return createProcessParser({ emitPrompt: true }, { ...session, entries, byUuid: new Map(), unreadable }).end(index === groups.length - 1 ? end : { exitCode: null });
  });
}
