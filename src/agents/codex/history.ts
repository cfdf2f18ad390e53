import { fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import { endOfOutput, isUnsupported, operationOfCall, parseCall } from './calls.js';
import { tellContext } from './context.js';
import { questionsOf } from './questions.js';
import { emit, end, start, unknownPiece, type LineContext, type RolloutState } from './rollout-state.js';

/** The model's own history: calls, their outputs, and what was put into the context. */
export function tellHistory(state: RolloutState, payload: Fields, context: LineContext): void {
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

/** Calls whose output says more than how they ended. */
const SPEAKING_OUTPUTS: ReadonlySet<string> = new Set(['request_user_input', 'exec', 'wait']);

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
  // Nearly always an item told the end already, and the text would be read for nothing.
  if (state.ended.has(id) && !SPEAKING_OUTPUTS.has(call.name)) return;
  const ending = endOfOutput(call, output);
  if (ending === undefined) return;
  // A question that the mode forbids is a failed call; nobody was asked.
  if (call.name === 'request_user_input' && ending.status === 'completed') {
    for (const request of questionsOf(call.id, call.name, fieldsOf(call.input)?.['questions'])) emit(state, { type: 'input.requested', request }, context);
  }
  end(state, id, ending, context);
  const isScript = call.name === 'exec' || call.name === 'wait';
  if (isScript && state.scripts.get(context.thread.id) === id) state.scripts.delete(context.thread.id);
  if (call.name === 'wait') endScript(state, context, ending.status);
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
