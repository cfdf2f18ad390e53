import type { StreamEvent } from '../../evidence/events.js';
import type { JsonValue } from '../../evidence/json.js';
import type { Turn } from '../../evidence/turn.js';
import { addUsage, usageSince } from '../../evidence/usage.js';
import { fieldsOf, nameOf, textOf, type Fields } from '../fields.js';
import { boundedJson } from '../json-line.js';
import { createJsonLineReader } from '../json-lines.js';
import { createTranscriptNotes, type ProcessEnd } from '../transcript.js';
import { coverageOf } from './coverage.js';
import { dataOf, endingOf } from './ending.js';
import { createOpenQuestions } from './open-questions.js';
import { createPartialAnswer } from './partial.js';
import type { ClaudeCodeParseOptions, ParsedClaudeCodeTurn } from './memory.js';
import { NO_SESSION, type SessionRecord } from './session.js';
import { settleRefusals, takeDenials, tellResult } from './settle.js';
import { createTeller, type RecordContext } from './teller.js';
import { createUsageMeter } from './usage.js';
import { createWeave } from './weave.js';
import { modelIdOf } from './wire.js';

/** A parser fed piece by piece. Memory stays flat apart from the events. */
export interface ClaudeCodeParser {
  /** The next bytes of stdout. */
  push(bytes: Uint8Array): void;
  /** Events told so far. Statuses may still turn from failed to rejected at the end. */
  readonly events: readonly StreamEvent[];
  /** @param stderr Text of stderr, for the reason when nothing was understood. */
  end(end: ProcessEnd, stderr?: string): ParsedClaudeCodeTurn;
}

/**
 * Creates a parser of one process' `--output-format stream-json` output.
 *
 * @param session What lies under `~/.claude/projects`; undefined when nobody looked.
 */
export function createProcessParser(options: ClaudeCodeParseOptions, session: SessionRecord | undefined): ClaudeCodeParser {
  const notes = createTranscriptNotes();
  for (const { source, line, why } of session?.unreadable ?? []) notes.unrecognised(source, line, why);
  const usage = createUsageMeter();
  const partial = createPartialAnswer();
  const hasSession = session !== undefined;
  const witness = hasSession ? 'stdout' : undefined;
  const atTheEnd: RecordContext = { source: 'stdout', line: 0, witness, at: undefined, parent: undefined };
  const teller = createTeller(notes, { emitPrompt: options.emitPrompt === true, sessionTellsContext: hasSession, spills: session?.spills ?? new Map(), open: options.before?.open ?? new Map() });
  for (const id of options.denied ?? []) teller.operations.denied.add(id);
  const held: { readonly record: Fields; readonly context: RecordContext }[] = [];
  let unreadableLines = session?.unreadable.length ?? 0;
  let lastResult: Fields | undefined;
  let wentOn = false;
  const asking = createOpenQuestions();
  let conversed = false;
  let given = false;
  let spoke = false;
  let onlyResult = true;
  let sessionId: string | undefined;
  /** The session that stdout names. */
  let printedSession: string | undefined;
  let cliVersion: string | undefined;
  let model: string | undefined;

  const weave = createWeave(session ?? NO_SESSION, options.before?.entries, ({ record, source, line, at, parent }) => {
    const owner = nameOf(record['sessionId']);
    const mine = printedSession ?? options.before?.sessionId;
    if (session !== undefined && session.mainFiles > 1 && mine !== undefined && owner !== undefined && owner !== mine) return;
    // Stdout tells every retry; the session file tells the same ones again, in other words.
    if (spoke && record['subtype'] === 'api_error') return;
    sessionId ??= owner;
    cliVersion ??= nameOf(record['version']);
    if (record['type'] === 'assistant') {
      usage.message(record);
      conversed = true;
      if (parent === undefined) model ??= modelOfMessage(record);
    }
    teller.tell(record, { source, line, witness: 'session', at, parent });
  });

  const unreadable = (line: number, why: string): void => {
    unreadableLines += 1;
    notes.unrecognised('stdout', line, why);
  };

  const release = (): void => {
    for (const { record, context } of held) teller.tell(record, context);
    held.length = 0;
  };

  const take = (value: JsonValue, line: number): void => {
    const record = fieldsOf(value);
    const type = record?.['type'];
    if (record === undefined || typeof type !== 'string') return unreadable(line, 'JSON, but not an object with a type');
    spoke = true;
    // A line that nobody knows does not make a conversation.
    if (TALKING.has(type)) onlyResult = false;
    printedSession = nameOf(record['session_id']) ?? printedSession;
    sessionId = printedSession ?? sessionId;
    const twin = hasSession ? weave.twinOf(nameOf(record['uuid'])) : undefined;
    const init = type === 'system' && record['subtype'] === 'init';
    if (init) {
      cliVersion = nameOf(record['claude_code_version']) ?? cliVersion;
      model = modelIdOf(record['model']) ?? model;
    }
    if (type === 'assistant' || type === 'user' || init) {
      wentOn = lastResult !== undefined;
      asking.answered(record);
      if (!init) conversed = true;
      if (type === 'assistant') partial.arrived();
      if (type === 'assistant') usage.message(twin?.record ?? record, record);
      else if (type === 'user') usage.heard(record);
    } else if (type === 'control_request' || type === 'control_cancel_request') asking.take(record);
    else if (type === 'stream_event') {
      usage.streamEvent(fieldsOf(record['event']));
      partial.streamEvent(fieldsOf(record['event']));
    }
    else if (type === 'result') {
      lastResult = record;
      wentOn = false;
      asking.clear();
      takeDenials(teller, record);
      // A turn that ended with a failure did not get over it.
      teller.seen.apiErrors = [];
    }
    const place = hasSession ? weave.reach(twin) : 'tell';
    if (place === 'told') return;
    const at = textOf(record['timestamp']) ?? twin?.at;
    const parent = nameOf(record['parent_tool_use_id']);
    const context: RecordContext = { source: 'stdout', line, witness, at, parent };
    if (place === 'hold') {
      held.push({ record, context });
      return;
    }
    release();
    teller.tell(record, context);
  };

  const linesBefore = options.goesOn?.lines ?? 0;
  const lines = createJsonLineReader({
    value: (value, line) => {
      // `--output-format json --verbose` prints all messages as one array.
      for (const item of Array.isArray(value) && value.length > 0 ? (value as JsonValue[]) : [value]) take(item, line + linesBefore);
    },
    unreadable: (line, why) => unreadable(line + linesBefore, why),
  });

  return {
    push(bytes) {
      given = true;
      lines.push(bytes);
    },
    events: teller.events,
    end(end, stderr = '') {
      lines.end();
      // Nothing of stdout could be placed: the prompt still came before it.
      // A CLI that said nothing at all may not have begun: the session files are then those of earlier processes.
      const placed = !given || spoke || options.before !== undefined;
      if (hasSession && placed && options.toBeContinued !== true) weave.finish(lastResult !== undefined && !wentOn, spoke);
      release();
      const { seen, events, operations } = teller;
      if (lastResult === undefined || wentOn) partial.tell(teller, atTheEnd);
      settleRefusals(teller, lastResult !== undefined);
      if (lastResult !== undefined) tellResult(teller, lastResult, atTheEnd, onlyResult && !conversed);
      const ending = endingOf({
        lastResult, wentOn, asking: asking.stand(), stdout: spoke ? 'understood' : given ? 'garbled' : 'absent', understood: notes.understoodCount, stderr,
        promptBlocked: seen.promptBlocked, refusal: seen.refusal, apiError: seen.apiError, wantsData: options.wantsData === true,
      }, end);
      const { usage: counted, gap } = usage.total(lastResult, ending.kind === 'waiting' && weave.touched() && !events.some(mayCostMore));
      // A result line counts the whole process so far; without one there are only the answers of these bytes.
      const earlier = options.goesOn === undefined ? undefined : options.before?.processUsage;
      const total = counted === undefined || lastResult === undefined ? counted : usageSince(earlier, counted);
      const processUsage = lastResult !== undefined || earlier === undefined ? counted : addUsage([earlier, ...(counted === undefined ? [] : [counted])]);
      const evidenceCoverage = coverageOf({
        ending,
        stdout: spoke,
        session: weave.touched(),
        delegated: seen.delegated,
        nestedDelegation: seen.nestedDelegation,
        missingAgents: [...seen.agentIds].filter((id) => session?.agentIds.has(id) !== true),
        missingSpills: [...seen.spilled].filter((name) => session?.spills.has(name) !== true),
        unknownTools: [...seen.unknownTools],
        unknownPieces: seen.unknownPieces,
        unreadableLines,
        resultOnly: lastResult !== undefined && onlyResult && !conversed,
        promptKnown: options.prompt !== undefined || seen.promptStated || weave.touched(),
        usageGap: gap,
        usageKnown: total !== undefined,
      });
      if (ending.kind === 'completed') {
        if (end.exitCode !== null && end.exitCode !== 0) notes.problem(`the result line says success, but the process exited with ${end.exitCode}`);
        const open = [...operations.open.values()].filter(({ startedIndex }) => startedIndex !== -1).length;
        if (open > 0) notes.problem(`${open} call${open === 1 ? ' has' : 's have'} no end on record`);
      }
      const data = dataOf(lastResult);
      const turn: Turn = {
        events,
        status: ending.kind === 'completed' || ending.kind === 'waiting' ? ending.kind : 'failed',
        ...(data === undefined ? {} : { data: boundedJson(data) }),
        ...(total === undefined ? {} : { usage: total }),
        ...(Object.keys(evidenceCoverage).length === 0 ? {} : { evidenceCoverage }),
      };
      return {
        turn,
        ending,
        ...(sessionId === undefined ? {} : { sessionId }),
        ...(cliVersion === undefined ? {} : { cliVersion }),
        ...(model === undefined ? {} : { model }),
        exitCode: end.exitCode,
        unrecognised: notes.kept,
        unrecognisedCount: notes.unrecognisedCount,
        problems: notes.problems,
        after: { ...(sessionId === undefined ? {} : { sessionId }), open: operations.open, ...(processUsage === undefined ? {} : { processUsage }), entries: weave.passed() },
      };
    },
  };
}

/** Lines that only a printed conversation has. */
const TALKING: ReadonlySet<string> = new Set(['system', 'assistant', 'user', 'stream_event', 'control_request']);

/** Requests of the CLI's own, of which no answer is on record: compaction, searches, retries. */
function mayCostMore(event: StreamEvent): boolean {
  if (event.type === 'compaction' || event.type === 'error') return true;
  return event.type === 'operation.started' && (event.operation.kind === 'subagent' || event.operation.tool === 'web_search' || event.operation.tool === 'web_fetch');
}

function modelOfMessage(record: Fields): string | undefined {
  const model = modelIdOf(fieldsOf(record['message'])?.['model']);
  return model === '<synthetic>' ? undefined : model;
}
