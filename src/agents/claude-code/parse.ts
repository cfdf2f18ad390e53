import type { ProcessEnd, Witness } from '../transcript.js';
import type { ClaudeCodeParseOptions, ParsedClaudeCodeTurn } from './memory.js';
import { createProcessParser, type ClaudeCodeParser } from './process.js';
import { readSession } from './session.js';

export type { ClaudeCodeParseOptions, ClaudeCodeSessionMemory, ParsedClaudeCodeTurn } from './memory.js';
export type { ClaudeCodeParser } from './process.js';

/**
 * Tells one Claude Code process, from every record that is there. Never throws.
 *
 * @param witnesses All records of this one process: its stdout and stderr, and what it kept (session files).
 * @param end How the process ended, as the caller saw it. A run without its end event is never a success.
 * @param options `before`: `after` of the process before, when this one resumed its session.
 */
export function parseClaudeCode(witnesses: readonly Witness[], end: ProcessEnd, options: ClaudeCodeParseOptions = {}): ParsedClaudeCodeTurn {
  const parser = createClaudeCodeParser(options, witnesses.filter((witness) => witness.kind === 'session'));
  for (const witness of witnesses) if (witness.kind === 'stdout') parser.push(witness.bytes);
  const stderr = witnesses.filter((witness) => witness.kind === 'stderr').map((witness) => Buffer.from(witness.bytes).toString('utf8')).join('');
  return parser.end(end, stderr);
}

/**
 * Creates a parser of one process' `--output-format stream-json` output.
 *
 * @param sessionFiles Files under `~/.claude/projects`, when they are there already.
 */
export function createClaudeCodeParser(options: ClaudeCodeParseOptions = {}, sessionFiles: readonly Witness[] = []): ClaudeCodeParser {
  return createProcessParser(options, sessionFiles.length === 0 ? undefined : readSession(sessionFiles));
}
