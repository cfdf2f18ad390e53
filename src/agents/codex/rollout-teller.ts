import type { StreamEvent } from '../../evidence/events.js';
import { countOf, fieldsOf, nameOf, textOf, type Fields } from '../fields.js';
import type { TranscriptNotes } from '../transcript.js';
import { tellHistory } from './history.js';
import { tellItem, tellPrompt, tellWords } from './rollout-items.js';
import { noteContextSize, noteResponse, tellCompaction, trailOf } from './compaction.js';
import { createRolloutState, emit, end, openOf, unknownPiece, type LineContext, type RolloutFacts, type RolloutState } from './rollout-state.js';
import type { RolloutThread } from './rollout.js';
import type { ThreadFamily } from './threads.js';
import type { ProcessLines } from './turns.js';

export interface ToldRollouts {
  readonly events: StreamEvent[];
  readonly facts: RolloutFacts;
  /** Operations without an end. */
  readonly open: ReadonlySet<string>;
}

/** Tells the rollout lines of one process in the order in which they happened. */
export function tellRollouts(process: ProcessLines, family: ThreadFamily, options: { readonly notes: TranscriptNotes; readonly emitPrompt: boolean; readonly root: RolloutThread }): ToldRollouts {
  const state = createRolloutState(options.notes, {
    emitPrompt: options.emitPrompt,
    startedBy: family.startedBy,
    threads: new Set(process.threads.filter(({ lines }) => lines.length > 0).map(({ thread }) => thread.id)),
    speaking: new Set(process.threads.filter(({ lines }) => lines.some(({ kind }) => SPEECH.has(kind))).map(({ thread }) => thread.id)),
    witness: 'rollout',
    paginated: process.threads.some(({ lines }) => lines.some(({ kind }) => kind === 'item_completed')),
  });
  for (const context of inOrder(process, family)) {
    // The CLI's own reviewer of approvals is not the agent.
    if (context.thread.role !== 'guardian') tellLine(state, context);
  }
  return { events: state.events, facts: state.seen, open: openOf(state) };
}

/** Events by which a version shows that it records what was said. */
const SPEECH: ReadonlySet<unknown> = new Set(['item_completed', 'user_message', 'agent_message']);

function* inOrder({ threads }: ProcessLines, { startedBy }: ThreadFamily): Iterable<LineContext> {
  const [only, ...others] = threads;
  if (only !== undefined && others.length === 0) {
    const { thread, lines } = only;
    const parent = startedBy.get(thread.id);
    for (const line of lines) yield { thread, line, parent };
    return;
  }
  const all = threads.flatMap(({ thread, lines }) => lines.map((line) => ({ thread, line, parent: startedBy.get(thread.id) })));
  yield* all.sort((a, b) => a.line.time - b.line.time);
}

function tellLine(state: RolloutState, context: LineContext): void {
  const { type, payload } = context.line;
  switch (type) {
    case 'event_msg': return tellEvent(state, payload, context);
    case 'response_item':
      if (context.thread.role === 'root' && isOfModel(payload)) state.seen.answered = true;
      return tellHistory(state, payload, context);
    case 'compacted': return tellCompaction(state, payload, context);
    case 'token_usage_record': return noteResponse(state, payload, context);
    case 'turn_context':
      if (context.thread.role === 'root') state.seen.model = nameOf(payload['model']) ?? state.seen.model ?? 'unknown';
      return;
    default:
  }
}

/** Whether an entry of the history is a part of an answer. */
function isOfModel({ type, role }: Fields): boolean {
  return role === 'assistant' || type === 'reasoning' || (typeof type === 'string' && type.endsWith('_call'));
}

function tellEvent(state: RolloutState, payload: Fields, context: LineContext): void {
  switch (context.line.kind) {
    case 'item_completed': {
      const thread = nameOf(payload['thread_id']);
      // A review copies the items of its reviewer into the file above; the reviewer's own file tells them.
      if (thread !== undefined && thread !== context.thread.id && state.threads.has(thread)) return;
      return tellItem(state, fieldsOf(payload['item']) ?? {}, context);
    }
    case 'task_complete': return tellTurnEnd(state, payload, context);
    case 'turn_aborted': {
      if (context.thread.role === 'root') state.seen.interrupted = true;
      const call = state.startedBy.get(context.thread.id);
      if (call !== undefined) end(state, call, { type: 'operation.finished', kind: 'tool', status: 'failed' }, context);
      return;
    }
    case 'task_started':
      trailOf(state, context).asked = payload['turn_attribution'] !== undefined && payload['turn_attribution'] !== null;
      if (context.thread.role === 'root') {
        state.seen.interrupted = false;
        state.seen.completed = false;
        state.seen.answered = false;
        state.seen.answerLost = false;
      }
      return;
    case 'token_count': return noteContextSize(state, payload, context);
    case 'thread_settings_applied': case 'turn_started': case 'turn_complete': case 'thread_rolled_back':
    case 'agent_reasoning_section_break': case 'turn_diff': case 'plan_update': case 'session_configured':
      return;
    default:
      tellLooseEvent(state, payload, context);
  }
}

/** Events of versions that recorded no items. Codex 0.39 and 0.47: rollouts hold these three beside the model's history. */
function tellLooseEvent(state: RolloutState, payload: Fields, context: LineContext): void {
  switch (payload['type']) {
    case 'user_message': return tellPrompt(state, textOf(payload['message']) ?? '', context);
    case 'agent_message': {
      const text = textOf(payload['message']) ?? '';
      if (context.thread.role === 'root') state.seen.lastMessage = text;
      emit(state, { type: 'message', role: 'assistant', text }, context);
      return;
    }
    case 'agent_reasoning': case 'agent_reasoning_raw_content': {
      const text = textOf(payload['text']) ?? '';
      return tellWords(state, `${context.thread.id}:${context.line.line}`, () => emit(state, { type: 'thinking', text }, context));
    }
    case 'error': case 'stream_error':
      emit(state, { type: 'error', message: textOf(payload['message']) ?? 'an error without a message', ...(payload['type'] === 'error' ? {} : { recovered: true }) }, context);
      return;
    case 'context_compacted': case 'entered_review_mode': case 'exited_review_mode': case 'exec_command_begin': case 'exec_command_end':
    case 'exec_command_output_delta': case 'mcp_tool_call_begin': case 'mcp_tool_call_end': case 'patch_apply_begin': case 'patch_apply_end':
    case 'web_search_begin': case 'web_search_end': case 'view_image_tool_call': case 'item_started':
      // The model's history in the same file tells these calls.
      return;
    default:
      unknownPiece(state, context, `unknown event ${JSON.stringify(nameOf(payload['type']) ?? null)}`);
  }
}

function tellTurnEnd(state: RolloutState, payload: Fields, context: LineContext): void {
  const error = fieldsOf(payload['error']);
  const message = textOf(error?.['message']);
  const call = state.startedBy.get(context.thread.id);
  if (call !== undefined && context.thread.role === 'subagent') {
    const output = textOf(payload['last_agent_message']) ?? message;
    end(state, call, { type: 'operation.finished', kind: 'tool', status: error === undefined ? 'completed' : 'failed', ...(output === undefined ? {} : { output }) }, context);
  }
  if (message !== undefined) emit(state, { type: 'error', message }, context);
  if (context.thread.role !== 'root') return;
  state.seen.completed = error === undefined;
  // codex 0.171.0: an event of an answer that is no JSON is passed over without a word. An answer that is empty has no first token;
  // fixtures/agents/codex/0.171.0/{answer-lost,answer-empty}.
  state.seen.answerLost = error === undefined && !state.seen.answered && payload['last_agent_message'] === null && countOf(payload['time_to_first_token_ms']) !== undefined;
  if (message === undefined) return;
  state.seen.failure = message;
  const info = error?.['codex_error_info'];
  const [entry] = Object.entries(fieldsOf(info) ?? {});
  const named = nameOf(info) ?? entry?.[0];
  const httpStatus = countOf(fieldsOf(entry?.[1])?.['http_status_code']);
  if (named !== undefined) state.seen.errorClass = named;
  if (httpStatus !== undefined) state.seen.httpStatus = httpStatus;
}
