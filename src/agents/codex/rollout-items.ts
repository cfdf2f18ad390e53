import type { SubagentOperation, ToolOperation } from '../../evidence/events.js';
import { countOf, fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import { boundedJson } from '../json-line.js';
import { trailOf } from './compaction.js';
import { mcpOutputOf, toolEnd, type ToolEnd } from './items.js';
import { questionsOf } from './questions.js';
import { isRefusalText } from './rejection.js';
import { emit, end, start, unknownPiece, type LineContext, type RolloutState } from './rollout-state.js';
import { parseAgentState } from './threads.js';
import { commandOperationOf, mcpOperationOf, patchOperationOf, plainOperationOf, webSearchOperationOf } from './tools.js';

/** Items that say nothing that another record of the same thread does not say. */
const SILENT: ReadonlySet<string> = new Set(['ImageView', 'ContextCompaction']);

/** Tells the end of one item, and its start where that was not told yet. */
export function tellItem(state: RolloutState, item: Fields, context: LineContext): void {
  const id = nameOf(item['id']) ?? `line-${context.line.line}`;
  switch (item['type']) {
    case 'UserMessage': return tellPrompt(state, listOf(item['content']).map((part) => textOf(fieldsOf(part)?.['text']) ?? '').filter((text) => text !== '').join('\n'), context);
    case 'AgentMessage': return tellAgentMessage(state, item, id, context);
    case 'Reasoning': {
      const text = [...listOf(item['summary_text']), ...listOf(item['raw_content'])].filter((part) => typeof part === 'string').join('\n');
      return tellWords(state, `${context.thread.id}:${id}:${text}`, () => emit(state, { type: 'thinking', text }, context));
    }
    case 'SubAgentActivity': {
      if (item['kind'] !== 'completed') return;
      const thread = nameOf(item['agent_thread_id']) ?? '';
      const call = state.startedBy.get(thread);
      // The child's own record says how it ended.
      if (call !== undefined && !state.threads.has(thread)) end(state, call, toolEnd('completed'), context);
      return;
    }
    case 'HookPrompt':
      for (const fragment of listOf(item['fragments'])) {
        const text = textOf(fieldsOf(fragment)?.['text']);
        if (text !== undefined) emit(state, { type: 'context.injected', text, source: 'hook' }, context);
      }
      return;
    case 'ExitedReviewMode': {
      const review = [...state.subagents].filter((call) => !state.ended.has(call)).at(-1);
      if (review !== undefined) end(state, review, toolEnd('completed', boundedJson(item['review_output'])), context);
      return;
    }
    default: {
      // A call that the model's history tells under the same id.
      if (item['type'] === 'Extension' && state.started.has(id)) return;
      const operation = operationOfRolloutItem(item);
      if (operation === undefined) {
        if (!SILENT.has(nameOf(item['type']) ?? '')) unknownPiece(state, context, `unknown item type ${JSON.stringify(nameOf(item['type']) ?? null)}`);
        return;
      }
      start(state, id, operation, context);
      const ending = endOfRolloutItem(item);
      if (ending !== undefined) end(state, id, ending, context);
      if (item['type'] === 'CollabAgentToolCall') endNamedAgents(state, item, context);
    }
  }
}

/** The call that an item stands for; undefined for items that are no calls. */
export function operationOfRolloutItem(item: Fields): ToolOperation | SubagentOperation | undefined {
  switch (item['type']) {
    case 'CommandExecution': {
      const argv = listOf(item['command']).filter((word): word is string => typeof word === 'string');
      return typeof item['command'] === 'string' ? commandOperationOf(item['command']) : commandOperationOf(argv.join(' '), argv);
    }
    case 'FileChange': {
      const changes = Object.entries(fieldsOf(item['changes']) ?? {}).map(([path, value]) => {
        const { type, ...rest } = fieldsOf(value) ?? {};
        return { path, kind: nameOf(type) ?? 'unknown', ...rest };
      });
      return patchOperationOf(boundedJson(changes), changes.map(({ kind }) => kind));
    }
    case 'McpToolCall': return mcpOperationOf(nameOf(item['server']) ?? 'unknown', nameOf(item['tool']) ?? 'unknown', item['arguments']);
    case 'WebSearch': return webSearchOperationOf(textOf(item['query']), item['action']);
    case 'EnteredReviewMode': return { kind: 'subagent', name: 'review' };
    case 'Extension': {
      const { id: _id, type: _type, kind, ...rest } = item;
      return plainOperationOf(nameOf(kind) ?? 'extension', rest);
    }
    case 'CollabAgentToolCall':
      if (item['tool'] === 'spawn_agent') return { kind: 'subagent', name: 'default' };
      return plainOperationOf(nameOf(item['tool']) ?? 'unknown', { prompt: item['prompt'] ?? null, receiver_thread_ids: item['receiver_thread_ids'] ?? [] });
    default: return undefined;
  }
}

/** How the call of an item came out; undefined where another record says so. */
function endOfRolloutItem(item: Fields): ToolEnd | undefined {
  switch (item['type']) {
    case 'CommandExecution': return commandEndOf(item);
    case 'FileChange': return toolEnd(statusOf(item), nameOf(item['stdout']) ?? nameOf(item['stderr']));
    case 'McpToolCall': {
      const error = textOf(fieldsOf(item['error'])?.['message']);
      return error === undefined ? toolEnd(statusOf(item), mcpOutputOf(fieldsOf(item['result']))) : toolEnd(isRefusalText(error) ? 'rejected' : 'failed', error);
    }
    case 'Extension': return toolEnd('completed');
    case 'CollabAgentToolCall':
      if (item['tool'] === 'spawn_agent') return item['status'] === 'failed' ? toolEnd('failed') : undefined;
      return toolEnd(statusOf(item), boundedJson(item['agents_states']));
    // The outcome of a search stands in the model's own record of the call, that of a review in the item that ends it.
    default: return undefined;
  }
}

/** What a person asked; in a subagent's thread, what the agent above asked. */
export function tellPrompt(state: RolloutState, text: string, context: LineContext): void {
  if (context.thread.role !== 'root') {
    emit(state, { type: 'context.injected', text, source: 'subagent-prompt' }, context);
    return;
  }
  trailOf(state, context).asked = true;
  state.seen.promptStated = true;
  if (state.emitPrompt) emit(state, { type: 'message', role: 'user', text }, context);
}

/** Tells words once: after a cut stream the same answer is recorded again under the same id. */
export function tellWords(state: RolloutState, key: string, tell: () => void): void {
  if (state.toldWords.has(key)) {
    state.notes.problem('a model stream was cut and the answer asked for again; words that came twice are told once');
    return;
  }
  state.toldWords.add(key);
  tell();
}

function tellAgentMessage(state: RolloutState, item: Fields, id: string, context: LineContext): void {
  const text = listOf(item['content']).map((part) => textOf(fieldsOf(part)?.['text']) ?? '').join('');
  tellWords(state, `${context.thread.id}:${id}:${text}`, () => {
    if (context.thread.role === 'root') state.seen.lastMessage = text;
    emit(state, { type: 'message', role: 'assistant', text }, context);
    for (const request of questionsOf(id, 'request_user_input_async', item['questions'])) emit(state, { type: 'input.requested', request }, context);
  });
}

function commandEndOf(item: Fields): ToolEnd {
  const exitCode = item['exit_code'];
  const status = statusOf(item);
  const end = toolEnd(status === 'completed' && typeof exitCode === 'number' && exitCode !== 0 ? 'failed' : status, textOf(item['aggregated_output']));
  const code = countOf(exitCode);
  if (code !== undefined) end.exitCode = code;
  return end;
}

function statusOf(item: Fields): ToolEnd['status'] {
  return item['status'] === 'declined' ? 'rejected' : item['status'] === 'failed' ? 'failed' : 'completed';
}

/** Ends the agents whose own record is missing, by the state that a collaboration call shows. */
function endNamedAgents(state: RolloutState, item: Fields, context: LineContext): void {
  for (const [thread, value] of Object.entries(fieldsOf(item['agents_states']) ?? {})) {
    const agent = parseAgentState(value);
    const call = state.startedBy.get(thread);
    if (agent === undefined || call === undefined || state.threads.has(thread) || agent.status === 'pending_init' || agent.status === 'running') continue;
    end(state, call, toolEnd(agent.status === 'completed' ? 'completed' : 'failed', agent.message), context);
  }
}
