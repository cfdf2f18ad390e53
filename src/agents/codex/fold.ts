import { parseJson } from '../../evidence/json.js';
import type { Turn } from '../../evidence/turn.js';
import { addUsage, type Usage } from '../../evidence/usage.js';
import { boundedJson } from '../json-line.js';
import type { ProcessEnd, TranscriptNotes } from '../transcript.js';
import { coverageOf } from './coverage.js';
import { endingOf } from './ending.js';
import type { LiveRecord } from './live.js';
import type { CodexParseOptions, CodexThreadMemory, ParsedCodexTurn } from './memory.js';
import { mergeEvents } from './merge.js';
import type { Rollouts } from './rollout.js';
import { tellRollouts, type ToldRollouts } from './rollout-teller.js';
import { usageOfRollouts, type RolloutUsage } from './rollout-usage.js';
import { familyOf, rootOf } from './threads.js';
import { linesOfProcess } from './turns.js';
import { isZero, tokensBetween, usageOfTokens } from './usage.js';

interface Tools { readonly notes: TranscriptNotes; readonly options: CodexParseOptions }

/** What the rollouts say of one process. */
export interface ToldProcess extends ToldRollouts {
  readonly threadId: string;
  readonly usage: RolloutUsage;
  readonly missing: readonly string[];
  readonly turns: readonly string[];
  readonly cliVersion: string | undefined;
}

/**
 * Tells the rollouts of the thread that the live record names; undefined when there is none of it.
 *
 * @param tools.openEnded The rollouts may hold turns of later processes too.
 */
export function tellProcess(rollouts: Rollouts, live: LiveRecord, { notes, options, openEnded = false }: Tools & { readonly openEnded?: boolean }): ToldProcess | undefined {
  const threadId = live.threadId ?? options.before?.threadId;
  // A CLI that named no thread may not have begun: the rollouts are then those of earlier threads.
  if (live.given && threadId === undefined) return undefined;
  const root = rootOf(rollouts.threads, threadId);
  if (root === undefined || (threadId !== undefined && root.id !== threadId)) return undefined;
  const threads = rollouts.threads.filter(({ sessionId, id }) => sessionId === root.sessionId || id === root.id);
  const process = linesOfProcess(threads, root, { told: options.before?.turns, tokens: live.tokens, single: live.spoke, openEnded });
  if (process.threads.every(({ lines }) => lines.length === 0)) return undefined;
  const family = familyOf(threads);
  return {
    ...tellRollouts(process, family, { notes, emitPrompt: options.emitPrompt === true, root }),
    threadId: root.id, usage: usageOfRollouts(process, root), missing: family.missing, turns: process.roots, cliVersion: root.cliVersion,
  };
}

/** The records of one process. */
export interface ProcessRecords {
  readonly live: LiveRecord;
  readonly told: ToldProcess | undefined;
  readonly rollouts: Rollouts;
  readonly stderr: string;
}

/** Folds the records of one process into a turn. */
export function foldProcess({ live, told, rollouts, stderr }: ProcessRecords, end: ProcessEnd, { notes, options }: Tools): ParsedCodexTurn {
  for (const { source, line, why } of [...rollouts.unreadable, ...rollouts.unknown]) notes.unrecognised(source, line, why);
  const facts = told?.facts;
  const lastMessage = live.lastMessage ?? facts?.lastMessage;
  const data = options.wantsData === true && !live.asking && lastMessage !== undefined ? parseJson(lastMessage) : undefined;
  const errorClass = live.errorClass ?? facts?.errorClass;
  const httpStatus = live.httpStatus ?? facts?.httpStatus;
  const ending = endingOf({
    understood: notes.understoodCount + (told === undefined ? 0 : rollouts.understood),
    completed: live.spoke ? live.completed : facts?.completed === true,
    failure: live.spoke ? live.failure : facts?.failure,
    interrupted: live.interrupted || (!live.completed && facts?.interrupted === true),
    answerLost: facts?.answerLost === true,
    asking: live.asking,
    ...(errorClass === undefined ? {} : { errorClass }),
    ...(httpStatus === undefined ? {} : { httpStatus }),
    stderr, wantsData: options.wantsData === true, hasData: data !== undefined,
  }, end);
  const { usage, gap } = usageOf(live, told, options.before);
  const evidenceCoverage = coverageOf({
    ending,
    surface: live.surface,
    stdout: live.spoke,
    rollout: told !== undefined,
    searchedWeb: live.searchedWeb,
    codeMode: facts?.codeMode === true,
    missingThreads: told?.missing ?? [],
    unknownTools: [...new Set([...live.unknownTools, ...(facts?.unknownTools ?? [])])],
    unknownPieces: live.unknownPieces + rollouts.unknown.length + (facts?.unknownPieces ?? 0),
    unreadableLines: live.unreadableLines + rollouts.unreadable.length,
    promptKnown: options.prompt !== undefined || live.promptStated || told !== undefined,
    usageGap: gap,
    usageKnown: usage !== undefined,
  });
  if (ending.kind === 'completed') {
    if (end.exitCode !== null && end.exitCode !== 0) notes.problem(`the turn completed, but the process exited with ${end.exitCode}`);
    const open = (told?.open ?? live.open).size;
    if (open > 0) notes.problem(`${open} call${open === 1 ? ' has' : 's have'} no end on record`);
  }
  if (live.turns > 1) notes.problem(`one process held ${live.turns} turns; they are told as one`);
  const turn: Turn = {
    events: told === undefined ? live.events : live.spoke ? mergeEvents(told.events, live.events, live.surface === 'app-server') : told.events,
    status: ending.kind === 'completed' || ending.kind === 'waiting' ? ending.kind : 'failed',
    ...(data === undefined ? {} : { data: boundedJson(data) }),
    ...(usage === undefined ? {} : { usage }),
    ...(Object.keys(evidenceCoverage).length === 0 ? {} : { evidenceCoverage }),
  };
  const sessionId = live.threadId ?? told?.threadId;
  const model = facts?.model ?? live.model;
  return {
    turn,
    ending,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(told?.cliVersion === undefined ? {} : { cliVersion: told.cliVersion }),
    ...(model === undefined ? {} : { model }),
    exitCode: end.exitCode,
    unrecognised: notes.kept,
    unrecognisedCount: notes.unrecognisedCount,
    problems: notes.problems,
    after: memoryAfter(live, told, options.before),
  };
}

function memoryAfter(live: LiveRecord, told: ToldProcess | undefined, before: CodexThreadMemory | undefined): CodexThreadMemory {
  const threadId = live.threadId ?? told?.threadId ?? before?.threadId;
  const tokens = live.tokens ?? before?.tokens;
  const childTokens = live.childTokens ?? before?.childTokens;
  return {
    processes: (before?.processes ?? 0) + 1,
    turns: new Set([...(before?.turns ?? []), ...(told?.turns ?? [])]),
    ...(threadId === undefined ? {} : { threadId }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(childTokens === undefined ? {} : { childTokens }),
    ...(live.connection === undefined ? {} : { connection: live.connection }),
  };
}

/** The rollouts' own records where there are any, else what the running totals grew by. */
function usageOf(live: LiveRecord, told: ToldProcess | undefined, before: CodexThreadMemory | undefined): { readonly usage?: Usage; readonly gap?: string } {
  const cut = live.retries > 0 ? 'requests that were cut or failed report no tokens: count them at the gateway' : undefined;
  // A turn that waits has all its answers so far.
  const unfinished = live.spoke && !live.completed && !live.asking ? 'responses that did not end report no tokens' : undefined;
  const lost = cut ?? unfinished;
  if (told?.usage.usage !== undefined) return { usage: told.usage.usage, ...(lost === undefined ? {} : { gap: lost }) };
  if (told !== undefined && live.failure !== undefined) return { gap: 'no response ended, so no tokens were reported' };
  const spent = live.tokens === undefined ? undefined : tokensBetween(before?.tokens, live.tokens);
  // codex 0.171.0: `exec review` prints zeros although requests were made; fixtures/agents/codex/0.171.0/review.
  if (spent === undefined || (isZero(spent) && live.lastMessage !== undefined)) {
    return { gap: 'no usage is stated for this turn: collect $CODEX_HOME/sessions as well' };
  }
  if (live.surface === 'app-server') {
    const children = live.childTokens === undefined ? [] : [usageOfTokens(tokensBetween(before?.childTokens, live.childTokens))];
    return { usage: addUsage([usageOfTokens(spent), ...children]), ...(lost === undefined ? {} : { gap: lost }) };
  }
  return { usage: usageOfTokens(spent), gap: 'stdout counts neither subagents nor cut requests: collect $CODEX_HOME/sessions as well' };
}
