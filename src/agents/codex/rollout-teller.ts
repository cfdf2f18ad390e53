import type { StreamEvent } from '../../evidence/events.js';
import { countOf, fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import type { TranscriptNotes } from '../transcript.js';
import { endOfOutput, isUnsupported, operationOfCall, parseCall } from './calls.js';
import { tellItem, tellPrompt, tellWords } from './rollout-items.js';
import { noteContextSize, noteResponse, tellCompaction, trailOf } from './compaction.js';
import { emit, end, start, unknownPiece, type LineContext, type RolloutFacts, type RolloutState } from './rollout-state.js';
import type { RolloutThread } from './rollout.js';
import type { ThreadFamily } from './threads.js';
import type { ProcessLines } from './turns.js';

export interface ToldRollouts {
  readonly events: StreamEvent[];
  readonly facts: RolloutFacts;
  /** Operations without an end. */
  readonly open: readonly string[];
}

/** Tells the rollout lines of one process in the order in which they happened. */
export function tellRollouts(process: ProcessLines, family: ThreadFamily, options: { readonly notes: TranscriptNotes; readonly emitPrompt: boolean; readonly root: RolloutThread }): ToldRollouts {
  const state: RolloutState = {
    events: [], notes: options.notes, emitPrompt: options.emitPrompt, startedBy: family.startedBy,
    threads: new Set(process.lines.map(({ thread }) => thread.id)),
    calls: new Map(), started: new Map(), ended: new Set(), subagents: new Set(), scripts: new Map(), toldWords: new Set(), trails: new Map(),
    seen: {
      promptStated: false, codeMode: false, unknownTools: new Set(), unknownPieces: 0, completed: false, interrupted: false,
      paginated: process.lines.some(({ line }) => line.payload['type'] === 'item_completed'),
    },
  };
  for (const { thread, line } of process.lines) {
    // The CLI's own reviewer of approvals is not the agent.
    if (thread.role !== 'guardian') tellLine(state, { thread, line, parent: family.startedBy.get(thread.id) });
  }
  return { events: state.events, facts: state.seen, open: [...state.started.keys()].filter((id) => !state.ended.has(id)) };
}

function tellLine(state: RolloutState, context: LineContext): void {
  const { type, payload } = context.line;
  switch (type) {
    case 'event_msg': return tellEvent(state, payload, context);
    case 'response_item': return tellHistory(state, payload, context);
    case 'compacted': return tellCompaction(state, payload, context);
    case 'token_usage_record': return noteResponse(state, payload, context);
    case 'turn_context':
      if (context.thread.role === 'root') state.seen.model = nameOf(payload['model']) ?? state.seen.model ?? 'unknown';
      return;
    default:
  }
}

function tellEvent(state: RolloutState, payload: Fields, context: LineContext): void {
  switch (payload['type']) {
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
  if (message === undefined) return;
  state.seen.failure = message;
  const info = error?.['codex_error_info'];
  const [entry] = Object.entries(fieldsOf(info) ?? {});
  const named = nameOf(info) ?? entry?.[0];
  const httpStatus = countOf(fieldsOf(entry?.[1])?.['http_status_code']);
  if (named !== undefined) state.seen.errorClass = named;
  if (httpStatus !== undefined) state.seen.httpStatus = httpStatus;
}

/** The model's own history: calls, their outputs, and what was put into the context. */
function tellHistory(state: RolloutState, payload: Fields, context: LineContext): void {
  switch (payload['type']) {
    case 'function_call': case 'custom_tool_call': case 'local_shell_call': case 'tool_search_call': {
      const call = parseCall(payload);
      if (call === undefined) return unknownPiece(state, context, 'a call without an id');
      if (state.calls.has(call.id)) return;
      state.calls.set(call.id, call);
      const operation = operationOfCall(call);
      if (operation.kind === 'tool' && operation.command === undefined) state.seen.unknownTools.add(operation.name);
      if (call.name === 'exec') {
        state.seen.codeMode = true;
        state.scripts.set(context.thread.id, call.id);
      }
      start(state, call.id, operation, context);
      return;
    }
    case 'function_call_output': case 'custom_tool_call_output': case 'tool_search_output': return tellOutput(state, payload, context);
    case 'web_search_call': {
      const id = nameOf(payload['id']);
      if (id === undefined || !state.started.has(id)) return;
      return end(state, id, { type: 'operation.finished', kind: 'tool', status: payload['status'] === 'failed' ? 'failed' : 'completed' }, context);
    }
    case 'image_generation_call': {
      const id = nameOf(payload['id']) ?? `line-${context.line.line}`;
      start(state, id, { kind: 'tool', name: 'image_generation', input: { revised_prompt: textOf(payload['revised_prompt']) ?? null }, tool: 'unknown', command: { classification: 'not-command' } }, context);
      return end(state, id, { type: 'operation.finished', kind: 'tool', status: payload['status'] === 'failed' ? 'failed' : 'completed' }, context);
    }
    case 'message': return tellContext(state, payload, context);
    case 'agent_message': {
      const text = listOf(payload['content']).map((part) => textOf(fieldsOf(part)?.['text']) ?? textOf(fieldsOf(part)?.['encrypted_content']) ?? '').join('');
      emit(state, { type: 'context.injected', text, source: 'agent-message' }, context);
      return;
    }
    case 'reasoning':
      if (!state.seen.paginated && listOf(payload['summary']).length === 0) emit(state, { type: 'thinking', text: '' }, context);
      return;
    case 'additional_tools': case 'compaction': case 'compaction_summary': case 'ghost_snapshot': case 'other': return;
    default:
      unknownPiece(state, context, `unknown history entry ${JSON.stringify(nameOf(payload['type']) ?? null)}`);
  }
}

function tellOutput(state: RolloutState, payload: Fields, context: LineContext): void {
  const id = nameOf(payload['call_id']);
  const call = id === undefined ? undefined : state.calls.get(id);
  if (id === undefined || call === undefined) return;
  const output = payload['output'] ?? payload['tools'];
  if (isUnsupported(output)) forgetUnknown(state, id);
  if (call.name === 'spawn_agent') {
    // A spawned agent ends when its own thread does; without one the call itself failed.
    if (![...state.startedBy.values()].includes(id)) end(state, id, { type: 'operation.finished', kind: 'tool', status: 'failed', output: textOf(output) ?? '' }, context);
    return;
  }
  const ending = endOfOutput(call, output);
  if (ending === undefined) return;
  end(state, id, { type: 'operation.finished', kind: 'tool', ...ending }, context);
  const isScript = call.name === 'exec' || call.name === 'wait';
  if (isScript && state.scripts.get(context.thread.id) === id) state.scripts.delete(context.thread.id);
  if (call.name === 'wait' && ending.status !== undefined) endScript(state, context, ending.status);
  if (call.name === 'request_user_input' && ending.status === 'completed') {
    for (const asked of listOf(fieldsOf(call.input)?.['questions'])) {
      const question = fieldsOf(asked);
      const prompt = textOf(question?.['question']);
      const options = listOf(question?.['options']).flatMap((option) => {
        const label = nameOf(fieldsOf(option)?.['label']);
        return label === undefined ? [] : [{ id: label, label }];
      });
      const own = nameOf(question?.['id']);
      emit(state, { type: 'input.requested', request: { id: own === undefined ? id : `${id}#${own}`, action: call.name, ...(prompt === undefined ? {} : { prompt }), options } }, context);
    }
  }
}

/** A script that outlived its call ends with the wait that saw it end. */
function endScript(state: RolloutState, context: LineContext, status: 'completed' | 'failed' | 'rejected'): void {
  const script = state.scripts.get(context.thread.id);
  if (script === undefined) return;
  const call = state.calls.get(script);
  if (call === undefined) return;
  end(state, script, { type: 'operation.finished', kind: 'tool', status }, context);
  state.scripts.delete(context.thread.id);
}

/** A tool that does not exist ran nothing. */
function forgetUnknown(state: RolloutState, id: string): void {
  const index = state.started.get(id);
  const event = index === undefined ? undefined : state.events[index];
  if (index === undefined || event?.type !== 'operation.started' || event.operation.kind !== 'tool' || event.operation.command !== undefined) return;
  state.seen.unknownTools.delete(event.operation.name);
  state.events[index] = { ...event, operation: { ...event.operation, command: { classification: 'not-command' } } };
}

/** The parts of a message that no person wrote. What a person wrote and what the agent said are records of their own. */
function tellContext(state: RolloutState, payload: Fields, context: LineContext): void {
  if (payload['role'] === 'assistant') return;
  const marks = fieldsOf(payload['internal_chat_message_metadata_passthrough']);
  const kinds = listOf(marks?.['content_item_kinds']);
  const origins = listOf(marks?.['content_item_metadata']);
  for (const [index, part] of listOf(payload['content']).entries()) {
    const text = textOf(fieldsOf(part)?.['text']);
    if (text === undefined) continue;
    const kind = nameOf(kinds[index]) ?? 'unknown';
    const origin = nameOf(fieldsOf(fieldsOf(origins[index])?.['provenance'])?.['type']);
    if (origin === 'user' || kind.startsWith('user.')) continue;
    if (text.startsWith('<hook_prompt ')) continue;
    if (marks === undefined && payload['role'] === 'user' && !isContextText(text)) continue;
    if (kind === 'skills.selected_skill_instructions') {
      const skill = /<name>([^<]+)<\/name>/.exec(text)?.[1];
      if (skill !== undefined) emit(state, { type: 'skill.loaded', skill }, context);
    }
    emit(state, { type: 'context.injected', text, source: kind === 'unknown' ? origin ?? 'codex' : kind }, context);
  }
}

/** Versions without provenance mark what they inject by its first words. */
function isContextText(text: string): boolean {
  return /^\s*(?:<(?:environment_context|user_instructions|permissions instructions|turn_aborted|user_shell_command|skill|INSTRUCTIONS)\b|# AGENTS\.md instructions)/.test(text);
}
