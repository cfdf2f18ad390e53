import type { StreamEvent } from '../../evidence/events.js';
import type { JsonValue } from '../../evidence/json.js';
import type { Turn } from '../../evidence/turn.js';
import { fieldsOf, nameOf, textOf, type Fields } from '../fields.js';
import { boundedJson, readJsonLine } from '../json-line.js';
import { createLineReader } from '../line-reader.js';
import { createTranscriptNotes, type ParsedTurn, type ProcessEnd, type Witness } from '../transcript.js';
import { coverageOf } from './coverage.js';
import { dataOf, endingOf } from './ending.js';
import { createPartialAnswer } from './partial.js';
import { readSession } from './session.js';
import { settleRefusals, takeDenials, tellResult } from './settle.js';
import { createTeller, type RecordContext } from './teller.js';
import { createUsageMeter } from './usage.js';
import { createWeave } from './weave.js';
import { modelIdOf } from './wire.js';

/** What a process leaves behind for the next one on the same session. */
export interface ClaudeCodeSessionMemory {
  /** Session entries that belong to this process or an earlier one. */
  readonly entries: ReadonlySet<string>;
}

export interface ClaudeCodeParseOptions {
  /** The prompt of this process. The harness tells it as an event itself; here it only says that it is known. */
  readonly prompt?: string;
  /** Tell the prompts that the record states. Only for records that no harness sent. Default: false. */
  readonly emitPrompt?: boolean;
  /** Structured output was asked for, so a success without it is a failure. Default: false. */
  readonly wantsData?: boolean;
  /** `after` of the process before, when this one resumed its session. Without it the record itself must show where the process begins. */
  readonly before?: ClaudeCodeSessionMemory;
}

export interface ParsedClaudeCodeTurn extends ParsedTurn {
  /** To be handed to the parser of the next process on this session. */
  readonly after: ClaudeCodeSessionMemory;
}

/** A parser fed piece by piece. Memory stays flat apart from the events. */
export interface ClaudeCodeParser {
  /** The next bytes of stdout. */
  push(bytes: Uint8Array): void;
  /** Events told so far. Statuses may still turn from failed to rejected at the end. */
  readonly events: readonly StreamEvent[];
  /** @param stderr Text of stderr, for the reason when nothing was understood. */
  end(end: ProcessEnd, stderr?: string): ParsedClaudeCodeTurn;
}

/** Tells one Claude Code process, from every record that is there. Never throws. */
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
  const notes = createTranscriptNotes();
  const usage = createUsageMeter();
  const partial = createPartialAnswer();
  const hasSession = sessionFiles.length > 0;
  const session = readSession(sessionFiles, notes);
  const teller = createTeller(notes, { emitPrompt: options.emitPrompt === true, sessionTellsContext: hasSession, spills: session.spills });
  const held: { readonly record: Fields; readonly context: RecordContext }[] = [];
  let unreadableLines = session.unreadableLines;
  let lastResult: Fields | undefined;
  let wentOn = false;
  let asking = false;
  let conversed = false;
  let given = false;
  let spoke = false;
  let onlyResult = true;
  let sessionId: string | undefined;
  let cliVersion: string | undefined;
  let model: string | undefined;

  const weave = createWeave(session, options.before?.entries, ({ record, source, line, at, parent }) => {
    const owner = nameOf(record['sessionId']);
    if (session.mainFiles > 1 && sessionId !== undefined && owner !== undefined && owner !== sessionId) return;
    // Stdout tells every retry; the session file tells the same ones again, in other words.
    if (spoke && record['subtype'] === 'api_error') return;
    sessionId ??= owner;
    cliVersion ??= nameOf(record['version']);
    if (record['type'] === 'assistant') {
      usage.message(record);
      conversed = true;
      if (parent === undefined) model ??= modelOfMessage(record);
    }
    teller.tell(record, { source, line, witness: 'session', ...(at === undefined ? {} : { at }), ...(parent === undefined ? {} : { parent }) });
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
    if (type !== 'result') onlyResult = false;
    sessionId = nameOf(record['session_id']) ?? sessionId;
    const uuid = nameOf(record['uuid']);
    const init = type === 'system' && record['subtype'] === 'init';
    if (init) {
      cliVersion = nameOf(record['claude_code_version']) ?? cliVersion;
      model = modelIdOf(record['model']) ?? model;
    }
    if (type === 'assistant' || type === 'user' || init) {
      wentOn = lastResult !== undefined;
      asking = false;
      if (!init) conversed = true;
      if (type === 'assistant') partial.arrived();
      if (type === 'assistant') usage.message(weave.twinOf(uuid)?.record ?? record, record);
    } else if (type === 'control_request') asking = true;
    else if (type === 'stream_event') {
      usage.streamEvent(fieldsOf(record['event']));
      partial.streamEvent(fieldsOf(record['event']));
    }
    else if (type === 'result') {
      lastResult = record;
      wentOn = false;
      asking = false;
      takeDenials(teller, record);
    }
    const place = hasSession ? weave.reach(uuid) : 'tell';
    if (place === 'told') return;
    const twin = hasSession ? weave.twinOf(uuid) : undefined;
    const at = textOf(record['timestamp']) ?? twin?.at;
    const parent = nameOf(record['parent_tool_use_id']);
    const context: RecordContext = {
      source: 'stdout', line,
      ...(hasSession ? { witness: 'stdout' } : {}),
      ...(at === undefined ? {} : { at }),
      ...(parent === undefined ? {} : { parent }),
    };
    if (place === 'hold') {
      held.push({ record, context });
      return;
    }
    release();
    teller.tell(record, context);
  };

  const lines = createLineReader(
    ({ number, text, terminated }) => readJsonLine(
      text,
      // `--output-format json --verbose` prints all messages as one array.
      (value) => { for (const item of Array.isArray(value) && value.length > 0 ? (value as JsonValue[]) : [value]) take(item, number); },
      (why) => unreadable(number, terminated ? why : `cut: ${why}`),
    ),
    (number) => unreadable(number, 'longer than a string can be'),
  );

  return {
    push(bytes) {
      if (bytes.length > 0) given = true;
      lines.push(bytes);
    },
    events: teller.events,
    end(end, stderr = '') {
      lines.end();
      // Nothing of stdout could be placed: the prompt still came before it.
      if (hasSession) weave.finish(lastResult !== undefined && !wentOn, spoke);
      release();
      const { seen, events, operations } = teller;
      if (lastResult === undefined || wentOn) partial.tell(teller, { source: 'stdout', line: 0, ...(hasSession ? { witness: 'stdout' } : {}) });
      settleRefusals(teller, lastResult !== undefined);
      if (lastResult !== undefined) tellResult(teller, lastResult, { source: 'stdout', line: 0, ...(hasSession ? { witness: 'stdout' } : {}) }, onlyResult && !conversed);
      const ending = endingOf({
        lastResult, wentOn, asking, stdout: spoke ? 'understood' : given ? 'garbled' : 'absent', understood: notes.understoodCount, stderr,
        promptBlocked: seen.promptBlocked, refusal: seen.refusal, apiError: seen.apiError, wantsData: options.wantsData === true,
      }, end);
      const { usage: total, gap } = usage.total(lastResult);
      const evidenceCoverage = coverageOf({
        ending,
        stdout: spoke,
        session: weave.touched,
        delegated: seen.delegated,
        nestedDelegation: seen.nestedDelegation,
        missingAgents: [...seen.agentIds].filter((id) => !session.agentIds.has(id)),
        missingSpills: [...seen.spilled].filter((name) => !session.spills.has(name)),
        unknownTools: [...seen.unknownTools],
        unknownPieces: seen.unknownPieces,
        unreadableLines,
        resultOnly: lastResult !== undefined && onlyResult && !conversed,
        promptKnown: options.prompt !== undefined || seen.promptStated,
        usageGap: gap,
        usageKnown: total !== undefined,
      });
      if (ending.kind === 'completed') {
        if (end.exitCode !== null && end.exitCode !== 0) notes.problem(`the result line says success, but the process exited with ${end.exitCode}`);
        if (operations.open.size > 0) notes.problem(`${operations.open.size} call${operations.open.size === 1 ? ' has' : 's have'} no end on record`);
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
        after: { entries: new Set([...(options.before?.entries ?? []), ...session.indexByUuid.keys()]) },
      };
    },
  };
}

function modelOfMessage(record: Fields): string | undefined {
  const model = modelIdOf(fieldsOf(record['message'])?.['model']);
  return model === '<synthetic>' ? undefined : model;
}
