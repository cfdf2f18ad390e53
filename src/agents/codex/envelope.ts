import type { StreamEvent } from '../../evidence/events.js';
import { countOf, fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import type { TranscriptNotes } from '../transcript.js';
import { mcpOutputOf, toolEnd } from './items.js';
import { APPROVAL_OPTIONS } from './questions.js';
import { isRefusalText } from './rejection.js';
import { tellPrompt } from './rollout-items.js';
import { createRolloutState, emit, end, start, unknownPiece, type LineContext, type RolloutState } from './rollout-state.js';
import { commandOperationOf, mcpOperationOf, patchOperationOf, plainOperationOf, webSearchOperationOf } from './tools.js';
import { parseTokens, type CodexTokens } from './usage.js';
import { boundedJson } from '../json-line.js';

/** Tells the `{"id", "msg"}` envelopes that `exec --json` printed before it had items (Codex before 0.40). */
export interface EnvelopeTeller {
  readonly state: RolloutState;
  tokens: CodexTokens | undefined;
  turns: number;
  retries: number;
  asking: boolean;
  /** @returns false for a line that is no envelope. */
  tell(record: Fields, line: number): boolean;
}

/** Messages that say nothing that another one does not say. */
const SILENT: ReadonlySet<string> = new Set([
  'agent_message_delta', 'agent_reasoning_delta', 'agent_reasoning_raw_content_delta', 'agent_reasoning_section_break', 'background_event',
  'exec_command_output_delta', 'turn_diff', 'shutdown_complete', 'mcp_list_tools_response', 'list_custom_prompts_response', 'conversation_path', 'get_history_entry_response',
]);

/** @param options.events Where the events go. */
export function createEnvelopeTeller(notes: TranscriptNotes, { events, emitPrompt }: { readonly events: StreamEvent[]; readonly emitPrompt: boolean }): EnvelopeTeller {
  const state = createRolloutState(notes, { events, emitPrompt, startedBy: new Map(), threads: new Set(), witness: undefined, paginated: false });
  const teller: EnvelopeTeller = {
    state, tokens: undefined, turns: 0, retries: 0, asking: false,
    tell(record, line) {
      const context: LineContext = { thread: { path: 'stdout', id: 'thread', sessionId: 'thread', role: 'root', lines: [] }, line: { type: 'envelope', payload: record, kind: undefined, turn: undefined, rootTurn: undefined, line, time: 0, inherited: false, at: undefined }, parent: undefined };
      const message = fieldsOf(record['msg']);
      const type = nameOf(message?.['type']);
      if (message !== undefined && type !== undefined) {
        tellMessage(teller, type, message, context);
        return true;
      }
      // Two lines come before the envelopes: the settings, and the prompt.
      if (typeof record['prompt'] === 'string' && Object.keys(record).length === 1) {
        tellPrompt(state, record['prompt'], context);
        return true;
      }
      if (typeof record['provider'] === 'string' && typeof record['model'] === 'string') {
        state.seen.model = record['model'];
        return true;
      }
      return false;
    },
  };
  return teller;
}

function tellMessage(teller: EnvelopeTeller, type: string, message: Fields, context: LineContext): void {
  const { state } = teller;
  const id = nameOf(message['call_id']) ?? `line-${context.line.line}`;
  switch (type) {
    case 'session_configured':
      state.seen.model = nameOf(message['model']) ?? state.seen.model ?? 'unknown';
      return;
    case 'task_started':
      teller.turns += 1;
      state.seen.completed = false;
      return;
    case 'task_complete':
      state.seen.completed = true;
      return;
    case 'turn_aborted':
      state.seen.interrupted = true;
      return;
    case 'user_message': return tellPrompt(state, textOf(message['message']) ?? '', context);
    case 'agent_message': {
      const text = textOf(message['message']) ?? '';
      state.seen.lastMessage = text;
      return emit(state, { type: 'message', role: 'assistant', text }, context);
    }
    case 'agent_reasoning': case 'agent_reasoning_raw_content': return emit(state, { type: 'thinking', text: textOf(message['text']) ?? '' }, context);
    case 'exec_command_begin': {
      const argv = listOf(message['command']).filter((word): word is string => typeof word === 'string');
      return start(state, id, commandOperationOf(argv.join(' '), argv), context);
    }
    case 'exec_command_end': {
      const code = message['exit_code'];
      const output = nameOf(message['aggregated_output']) ?? `${textOf(message['stdout']) ?? ''}${textOf(message['stderr']) ?? ''}`;
      const ending = toolEnd(code === 0 ? 'completed' : 'failed', output);
      const exitCode = countOf(code);
      if (exitCode !== undefined) ending.exitCode = exitCode;
      return end(state, id, ending, context);
    }
    case 'patch_apply_begin': {
      const changes = Object.entries(fieldsOf(message['changes']) ?? {}).map(([path, value]) => {
        const [entry] = Object.entries(fieldsOf(value) ?? {});
        return { path, kind: entry?.[0] ?? 'unknown', ...fieldsOf(entry?.[1]) };
      });
      return start(state, id, patchOperationOf(boundedJson(changes), changes.map(({ kind }) => kind)), context);
    }
    case 'patch_apply_end':
      return end(state, id, toolEnd(message['success'] === true ? 'completed' : 'failed', nameOf(message['stdout']) ?? textOf(message['stderr']) ?? ''), context);
    case 'mcp_tool_call_begin': {
      const call = fieldsOf(message['invocation']) ?? message;
      return start(state, id, mcpOperationOf(nameOf(call['server']) ?? 'unknown', nameOf(call['tool']) ?? 'unknown', call['arguments']), context);
    }
    case 'mcp_tool_call_end': {
      const outcome = fieldsOf(message['result']);
      const error = textOf(outcome?.['Err']);
      if (error !== undefined) return end(state, id, toolEnd(isRefusalText(error) ? 'rejected' : 'failed', error), context);
      const result = fieldsOf(outcome?.['Ok']);
      return end(state, id, toolEnd(result?.['isError'] === true || result?.['is_error'] === true ? 'failed' : 'completed', mcpOutputOf(result)), context);
    }
    case 'web_search_begin': return start(state, id, webSearchOperationOf(textOf(message['query']), undefined), context);
    case 'web_search_end':
      start(state, id, webSearchOperationOf(textOf(message['query']), undefined), context);
      return end(state, id, toolEnd('completed'), context);
    case 'plan_update':
      start(state, id, plainOperationOf('update_plan', { plan: message['plan'] ?? null }), context);
      return end(state, id, toolEnd('completed'), context);
    case 'exec_approval_request': case 'apply_patch_approval_request': {
      teller.asking = true;
      const prompt = nameOf(message['reason']);
      return emit(state, {
        type: 'input.requested',
        request: { id, action: type === 'exec_approval_request' ? 'command_execution' : 'file_change', input: boundedJson(message['command'] ?? message['changes']), ...(prompt === undefined ? {} : { prompt }), options: APPROVAL_OPTIONS },
      }, context);
    }
    case 'token_count':
      teller.tokens = parseTokens(fieldsOf(fieldsOf(message['info'])?.['total_token_usage']) ?? message) ?? teller.tokens;
      return;
    case 'stream_error':
      teller.retries += 1;
      return emit(state, { type: 'error', message: textOf(message['message']) ?? 'an error without a message', recovered: true }, context);
    case 'error':
      state.seen.failure = textOf(message['message']) ?? 'an error without a message';
      return emit(state, { type: 'error', message: state.seen.failure }, context);
    default:
      if (!SILENT.has(type)) unknownPiece(state, context, `unknown message ${JSON.stringify(type)}`);
  }
}

