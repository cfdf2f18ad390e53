import type { StreamEvent } from '../../evidence/events.js';
import { parseJson } from '../../evidence/json.js';
import type { Turn } from '../../evidence/turn.js';
import type { Usage } from '../../evidence/usage.js';
import { boundedJson } from '../json-line.js';
import { createTranscriptNotes, type ParsedTurn, type ProcessEnd, type TranscriptNotes, type Witness } from '../transcript.js';
import { coverageOf } from './coverage.js';
import { endingOf } from './ending.js';
import { createExecReader, type ExecRecord } from './exec.js';
import { mergeEvents } from './merge.js';
import { readRollouts, type Rollouts } from './rollout.js';
import { tellRollouts, type ToldRollouts } from './rollout-teller.js';
import { usageOfRollouts, type RolloutUsage } from './rollout-usage.js';
import { familyOf, rootOf } from './threads.js';
import { linesOfProcess } from './turns.js';
import { isZero, tokensBetween, usageOfTokens, type CodexTokens } from './usage.js';

/** What a process leaves behind for the next one on the same thread. */
export interface CodexThreadMemory {
  /** Cumulative tokens of the thread, as far as stdout told them. */
  readonly tokens?: CodexTokens;
  /** How many processes have worked on the thread. Item ids start anew in each. */
  readonly processes: number;
  /** Turns of the rollouts that are told. */
  readonly turns: ReadonlySet<string>;
}

export interface CodexParseOptions {
  /** The prompt of this process. The harness tells it as an event itself; here it only says that it is known. */
  readonly prompt?: string;
  /** Tell the prompts that the record states. Only for records that no harness sent. Default: false. */
  readonly emitPrompt?: boolean;
  /** The last message is the structured output that was asked for. Default: false. */
  readonly wantsData?: boolean;
  /** `after` of the process before, when this one resumed its thread. */
  readonly before?: CodexThreadMemory;
}

export interface ParsedCodexTurn extends ParsedTurn {
  /** To be handed to the parser of the next process on this thread. */
  readonly after: CodexThreadMemory;
}

/** A parser fed piece by piece. Memory stays flat apart from the events. */
export interface CodexExecParser {
  /** The next bytes of stdout. */
  push(bytes: Uint8Array): void;
  readonly events: readonly StreamEvent[];
  /**
   * @param stderr Text of stderr, for the reason when nothing was understood.
   * @param rollouts Files under `$CODEX_HOME/sessions`.
   */
  end(end: ProcessEnd, stderr?: string, rollouts?: readonly Witness[]): ParsedCodexTurn;
}

/** Tells one `codex exec` process, from every record that is there. Never throws. */
export function parseCodexExec(witnesses: readonly Witness[], end: ProcessEnd, options: CodexParseOptions = {}): ParsedCodexTurn {
  const parser = createCodexExecParser(options);
  for (const witness of witnesses) if (witness.kind === 'stdout') parser.push(witness.bytes);
  const stderr = witnesses.filter((witness) => witness.kind === 'stderr').map((witness) => Buffer.from(witness.bytes).toString('utf8')).join('');
  return parser.end(end, stderr, witnesses.filter((witness) => witness.kind === 'rollout'));
}

/** Creates a parser of one process' `exec --json` output. */
export function createCodexExecParser(options: CodexParseOptions = {}): CodexExecParser {
  const notes = createTranscriptNotes();
  const processes = (options.before?.processes ?? 0) + 1;
  const reader = createExecReader(notes, (native) => (processes === 1 ? native : `${processes}:${native}`));
  return {
    push: (bytes) => reader.push(bytes),
    events: reader.events,
    end(end, stderr = '', witnesses = []) {
      const exec = reader.end();
      const rollouts = readRollouts(witnesses, notes);
      const told = tellProcess(rollouts, exec, { notes, options });
      return foldProcess({ exec, told, rollouts, stderr, processes }, end, { notes, options });
    },
  };
}

interface Tools { readonly notes: TranscriptNotes; readonly options: CodexParseOptions }

/** What the rollouts say of this process. */
interface ToldProcess extends ToldRollouts {
  readonly threadId: string;
  readonly usage: RolloutUsage;
  readonly missing: readonly string[];
  readonly turns: readonly string[];
  readonly cliVersion: string | undefined;
}

function tellProcess(rollouts: Rollouts, exec: ExecRecord, { notes, options }: Tools): ToldProcess | undefined {
  const root = rootOf(rollouts.threads, exec.threadId);
  if (root === undefined || (exec.threadId !== undefined && root.id !== exec.threadId)) return undefined;
  const threads = rollouts.threads.filter(({ sessionId, id }) => sessionId === root.sessionId || id === root.id);
  const family = familyOf(threads);
  const process = linesOfProcess(threads, root, { told: options.before?.turns, tokens: exec.tokens, single: exec.spoke });
  if (process.lines.length === 0) return undefined;
  return {
    ...tellRollouts(process, family, { notes, emitPrompt: options.emitPrompt === true, root }),
    threadId: root.id, usage: usageOfRollouts(process, root), missing: family.missing, turns: process.roots, cliVersion: root.cliVersion,
  };
}

interface Process {
  readonly exec: ExecRecord;
  readonly told: ToldProcess | undefined;
  readonly rollouts: Rollouts;
  readonly stderr: string;
  readonly processes: number;
}

function foldProcess({ exec, told, rollouts, stderr, processes }: Process, end: ProcessEnd, { notes, options }: Tools): ParsedCodexTurn {
  const facts = told?.facts;
  const lastMessage = exec.lastMessage ?? facts?.lastMessage;
  const data = options.wantsData === true && lastMessage !== undefined ? parseJson(lastMessage) : undefined;
  const failure = exec.spoke ? exec.failure : facts?.failure;
  const ending = endingOf({
    understood: notes.understoodCount,
    completed: exec.spoke ? exec.completed : facts?.completed === true,
    failure,
    interrupted: !exec.completed && facts?.interrupted === true,
    ...(facts?.errorClass === undefined ? {} : { errorClass: facts.errorClass }),
    ...(facts?.httpStatus === undefined ? {} : { httpStatus: facts.httpStatus }),
    stderr, wantsData: options.wantsData === true, hasData: data !== undefined,
  }, end);
  const events = told === undefined ? exec.events : exec.spoke ? mergeEvents(told.events, exec.events) : told.events;
  const { usage, gap } = usageOf(exec, told, options.before?.tokens);
  const evidenceCoverage = coverageOf({
    ending,
    stdout: exec.spoke,
    rollout: told !== undefined,
    searchedWeb: exec.searchedWeb,
    codeMode: facts?.codeMode === true,
    missingThreads: told?.missing ?? [],
    unknownTools: [...(facts?.unknownTools ?? [])],
    unknownPieces: exec.unknownPieces + (facts?.unknownPieces ?? 0),
    unreadableLines: exec.unreadableLines + rollouts.unreadableLines,
    promptKnown: options.prompt !== undefined || facts?.promptStated === true,
    usageGap: gap,
    usageKnown: usage !== undefined,
  });
  if (ending.kind === 'completed' && end.exitCode !== null && end.exitCode !== 0) notes.problem(`the turn completed, but the process exited with ${end.exitCode}`);
  if (exec.turns > 1) notes.problem(`one process held ${exec.turns} turns; they are told as one`);
  const open = told?.open.length ?? exec.open.size;
  if (open > 0 && ending.kind === 'completed') notes.problem(`${open} call${open === 1 ? ' has' : 's have'} no end on record`);
  const turn: Turn = {
    events,
    status: ending.kind === 'completed' || ending.kind === 'waiting' ? ending.kind : 'failed',
    ...(data === undefined ? {} : { data: boundedJson(data) }),
    ...(usage === undefined ? {} : { usage }),
    ...(Object.keys(evidenceCoverage).length === 0 ? {} : { evidenceCoverage }),
  };
  const sessionId = exec.threadId ?? told?.threadId;
  const tokens = exec.tokens ?? options.before?.tokens;
  return {
    turn,
    ending,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(told?.cliVersion === undefined ? {} : { cliVersion: told.cliVersion }),
    ...(facts?.model === undefined ? {} : { model: facts.model }),
    exitCode: end.exitCode,
    unrecognised: notes.kept,
    unrecognisedCount: notes.unrecognisedCount,
    problems: notes.problems,
    after: { processes, turns: new Set([...(options.before?.turns ?? []), ...(told?.turns ?? [])]), ...(tokens === undefined ? {} : { tokens }) },
  };
}

/** The rollouts' own records where there are any, else what stdout's running total grew by. */
function usageOf(exec: ExecRecord, told: ToldProcess | undefined, before: CodexTokens | undefined): { readonly usage?: Usage; readonly gap?: string } {
  if (told?.usage.usage !== undefined) {
    const cut = exec.retries > 0 ? 'requests that were cut or failed report no tokens: count them at the gateway' : undefined;
    const unfinished = exec.spoke && !exec.completed ? 'responses that did not end report no tokens' : undefined;
    const gap = cut ?? unfinished;
    return { usage: told.usage.usage, ...(gap === undefined ? {} : { gap }) };
  }
  if (told !== undefined && exec.failure !== undefined) return { gap: 'no response ended, so no tokens were reported' };
  const spent = exec.tokens === undefined ? undefined : tokensBetween(before, exec.tokens);
  // codex 0.171.0: `exec review` prints zeros although requests were made; fixtures/agents/codex/0.171.0/review.
  if (spent === undefined || (isZero(spent) && exec.lastMessage !== undefined)) {
    return { gap: 'stdout states no usage for this turn: collect $CODEX_HOME/sessions as well' };
  }
  return { usage: usageOfTokens(spent), gap: 'stdout counts neither subagents nor cut requests: collect $CODEX_HOME/sessions as well' };
}
