import type { JsonValue } from '../../evidence/json.js';
import { countOf, fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import { createJsonLineReader } from '../json-lines.js';
import type { TranscriptNotes } from '../transcript.js';
import { rolloutItemOf } from './app-items.js';
import { createIsoClock } from './iso-clock.js';
import type { LiveReader } from './live.js';
import { requestsOf } from './questions.js';
import { operationOfRolloutItem, tellItem } from './rollout-items.js';
import { createRolloutState, emit, end as endOperation, openOf, start, unknownPiece, type LineContext } from './rollout-state.js';
import type { RolloutThread } from './rollout.js';
import { parseTokens, tokensTogether, type CodexTokens } from './usage.js';

/** Notifications that say nothing the events, the usage or the status could carry. */
const SILENT: readonly RegExp[] = [
  /^account\//, /^app\//, /^configWarning$/, /^deprecationNotice$/, /^fuzzyFileSearch\//, /^hook\//, /^mcpServer\/(?:startupStatus|oauthLogin)\//, /^model\//,
  /^rawResponse(?:Item)?\//, /^remoteControl\//, /^skills\//, /^thread\/(?:status|readState|settings|name|goal|compacted|archived|unarchived|closed|realtime)\b/, /^turn\/(?:diff|plan|moderationMetadata)\//,
  /^windows/, /^item\/.*(?:[dD]elta|summaryPartAdded|terminalInteraction|progress)$/,
];

/** What the connection to an app-server has said before the present turn. */
export interface ConnectionMemory {
  readonly rootId: string | undefined;
  readonly model: string | undefined;
  readonly startedBy: ReadonlyMap<string, string>;
  readonly threads: ReadonlySet<string>;
  readonly totals: ReadonlyMap<string, CodexTokens>;
}

export interface AppServerOptions {
  /** Tell the prompts that it repeats. */
  readonly emitPrompt: boolean;
  /** What earlier turns on the same connection said. */
  readonly connection: ConnectionMemory | undefined;
  /** Makes the id of a request, which starts at 0 in each process, unique within the session. Default: as it is. */
  readonly idOf?: (native: string) => string;
}

/**
 * Reads what an app-server sends during one turn. Threads of subagents come over the same line and are told under the call that
 * started them.
 */
export function createAppServerReader(notes: TranscriptNotes, { emitPrompt, connection, idOf = (native) => native }: AppServerOptions): LiveReader {
  const startedBy = new Map(connection?.startedBy);
  const threads = new Set(connection?.threads);
  const state = createRolloutState(notes, { emitPrompt, startedBy, threads, witness: undefined, paginated: true });
  const totals = new Map(connection?.totals);
  const asked = new Set<string>();
  let rootId = connection?.rootId;
  let model = connection?.model;
  let prompted = false;
  let given = false;
  let spoke = false;
  let turns = 0;
  let retries = 0;
  let unreadableLines = 0;
  let troubles: number[] = [];

  /** By method: few of them make up most of the lines. */
  const silences = new Map<string, boolean>();
  const isSilent = (method: string): boolean => {
    const known = silences.get(method) ?? SILENT.some((shape) => shape.test(method));
    silences.set(method, known);
    return known;
  };

  const isoTimeOf = createIsoClock();

  const threadOf = (params: Fields): string => nameOf(params['threadId']) ?? rootId ?? 'unknown';

  const contextOf = (params: Fields, message: Fields, line: number): LineContext => {
    const id = threadOf(params);
    const at = message['emittedAtMs'];
    const thread: RolloutThread = { path: 'stdout', id, sessionId: rootId ?? id, role: id === rootId ? 'root' : 'subagent', lines: [] };
    const parent = startedBy.get(id);
    return { thread, line: { type: 'app-server', payload: params, kind: undefined, turn: undefined, rootTurn: undefined, line, time: 0, inherited: false, at: typeof at === 'number' ? isoTimeOf(at) : undefined }, parent };
  };

  const takeItem = (params: Fields, context: LineContext, completed: boolean): void => {
    const item = rolloutItemOf(fieldsOf(params['item']) ?? {});
    const id = nameOf(item['id']) ?? `line-${context.line.line}`;
    if (item['type'] === 'SubAgentActivity' && item['kind'] === 'started') {
      const child = nameOf(item['agent_thread_id']);
      if (child === undefined || startedBy.has(child)) return;
      startedBy.set(child, id);
      start(state, id, { kind: 'subagent', name: nameOf(item['agent_path'])?.split('/').at(-1) ?? 'default' }, context);
      return;
    }
    if (item['type'] === 'CollabAgentToolCall' && item['tool'] === 'spawn_agent') {
      for (const child of listOf(item['receiver_thread_ids'])) if (typeof child === 'string' && !startedBy.has(child)) startedBy.set(child, id);
    }
    if (item['type'] === 'UserMessage') prompted = true;
    if (item['type'] === 'ContextCompaction') {
      // A turn that nobody asked anything is a compaction by hand.
      if (completed) emit(state, { type: 'compaction', reason: prompted ? 'auto' : 'manual' }, context);
      return;
    }
    if (completed) {
      tellItem(state, item, context);
      // app-server does not say whether a search failed.
      if (item['type'] === 'WebSearch') endOperation(state, id, { type: 'operation.finished', kind: 'tool', status: 'completed' }, context);
      return;
    }
    const operation = operationOfRolloutItem(item);
    if (operation !== undefined) start(state, id, operation, context);
  };

  const takeTurnEnd = (params: Fields, context: LineContext): void => {
    const turn = fieldsOf(params['turn']);
    const failure = textOf(fieldsOf(turn?.['error'])?.['message']);
    const status = nameOf(turn?.['status']);
    if (context.thread.role !== 'root') {
      const call = startedBy.get(context.thread.id);
      const last = listOf(turn?.['items']).map((item) => textOf(fieldsOf(item)?.['text'])).filter((text) => text !== undefined).at(-1) ?? failure;
      if (call !== undefined) endOperation(state, call, { type: 'operation.finished', kind: 'tool', status: status === 'completed' ? 'completed' : 'failed', ...(last === undefined ? {} : { output: last }) }, context);
      return;
    }
    state.seen.completed = status === 'completed';
    state.seen.interrupted = status === 'interrupted';
    if (status === 'failed') {
      state.seen.failure = failure ?? 'the turn failed without a message';
      const info = fieldsOf(turn?.['error'])?.['codexErrorInfo'];
      const [entry] = Object.entries(fieldsOf(info) ?? {});
      const named = nameOf(info) ?? entry?.[0];
      const httpStatus = countOf(fieldsOf(entry?.[1])?.['httpStatusCode']);
      if (named !== undefined) state.seen.errorClass = named;
      if (httpStatus !== undefined) state.seen.httpStatus = httpStatus;
      const told = state.events.at(-1);
      if (told?.type !== 'error' || told.message !== state.seen.failure) emit(state, { type: 'error', message: state.seen.failure }, context);
    } else {
      for (const index of troubles) {
        const event = state.events[index];
        if (event?.type === 'error') state.events[index] = { ...event, recovered: true };
      }
    }
    troubles = [];
  };

  const take = (value: JsonValue, line: number): void => {
    const message = fieldsOf(value);
    const method = nameOf(message?.['method']);
    const params = fieldsOf(message?.['params']) ?? {};
    if (message === undefined || (method === undefined && !('result' in message) && !('error' in message))) {
      unreadableLines += 1;
      return notes.unrecognised('stdout', line, 'JSON, but no message of an app-server');
    }
    notes.understood();
    spoke = true;
    // An answer to a request of the client: its own notifications tell what came of it.
    if (method === undefined) return;
    if (message['id'] === undefined && isSilent(method)) return void threads.add(threadOf(params));
    const requestId = requestIdOf(message['id']);
    if (method === 'thread/started') {
      const thread = fieldsOf(params['thread']);
      const id = nameOf(thread?.['id']);
      if (id !== undefined) threads.add(id);
      if (nameOf(thread?.['parentThreadId']) === undefined) {
        rootId = id ?? rootId;
        model = nameOf(thread?.['model']) ?? model;
      }
      return;
    }
    if (method === 'turn/started') rootId ??= nameOf(params['threadId']);
    const context = contextOf(params, message, line);
    threads.add(context.thread.id);
    switch (method) {
      case 'turn/started':
        if (context.thread.role === 'root') {
          turns += 1;
          prompted = false;
        }
        return;
      case 'turn/completed': return takeTurnEnd(params, context);
      case 'item/started': return takeItem(params, context, false);
      case 'item/completed': return takeItem(params, context, true);
      case 'thread/tokenUsage/updated': {
        const total = parseTokens(fieldsOf(fieldsOf(params['tokenUsage'])?.['total']));
        if (total !== undefined) totals.set(context.thread.id, total);
        return;
      }
      case 'error': {
        if (params['willRetry'] === true) retries += 1;
        troubles.push(state.events.length);
        const error = fieldsOf(params['error']);
        const details = nameOf(error?.['additionalDetails']);
        const text = textOf(error?.['message']) ?? 'an error without a message';
        return emit(state, { type: 'error', message: details === undefined ? text : `${text} (${details})` }, context);
      }
      case 'warning': return emit(state, { type: 'error', message: textOf(params['message']) ?? 'a warning without a message', recovered: true }, context);
      case 'serverRequest/resolved':
        asked.delete(requestIdOf(params['requestId']) ?? '');
        return;
      default:
    }
    if (requestId !== undefined) {
      const asks = requestsOf(method, idOf(requestId), params);
      if (asks === undefined) return unknownPiece(state, context, `unknown request ${JSON.stringify(method)}`);
      asked.add(requestId);
      for (const ask of asks) emit(state, { type: 'input.requested', request: ask }, context);
      return;
    }
    if (!isSilent(method)) unknownPiece(state, context, `unknown notification ${JSON.stringify(method)}`);
  };

  const unreadable = (line: number, why: string): void => {
    unreadableLines += 1;
    notes.unrecognised('stdout', line, why);
  };
  const lines = createJsonLineReader({ value: take, unreadable });

  return {
    push(bytes) {
      given = true;
      lines.push(bytes);
    },
    events: state.events,
    end() {
      lines.end();
      const { seen } = state;
      const children = [...totals].filter(([id]) => id !== rootId).map(([, tokens]) => tokens);
      return {
        surface: 'app-server', events: state.events, open: openOf(state), given, spoke, threadId: rootId, model,
        completed: seen.completed, interrupted: seen.interrupted, failure: seen.failure, errorClass: seen.errorClass, httpStatus: seen.httpStatus,
        asking: asked.size > 0, promptStated: seen.promptStated, tokens: rootId === undefined ? undefined : totals.get(rootId),
        childTokens: children.length === 0 ? undefined : children.reduce(tokensTogether),
        connection: { rootId, model, startedBy, threads, totals },
        turns, retries, searchedWeb: false, lastMessage: seen.lastMessage, unknownTools: [...seen.unknownTools], unknownPieces: seen.unknownPieces, unreadableLines,
      };
    },
  };
}

/** The id of a request of the server, which starts at 0. */
export function requestIdOf(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
}
