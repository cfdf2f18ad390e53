import type { StreamEvent, ToolOperation } from '../../evidence/events.js';
import type { JsonValue } from '../../evidence/json.js';
import { fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import { boundedJson } from '../json-line.js';
import { isRefusalText } from './rejection.js';
import { commandOperationOf, mcpOperationOf, patchOperationOf, plainOperationOf, webSearchOperationOf } from './tools.js';

/** The end of a tool call. */
export type ToolEnd = Omit<Extract<StreamEvent, { type: 'operation.finished'; kind: 'tool' }>, 'operationId' | 'at' | 'witness' | 'parentOperationId'>;

/** The tool call that an item of `exec --json` stands for; undefined for items that are no calls. */
export function operationOfItem(item: Fields): ToolOperation | undefined {
  switch (item['type']) {
    case 'command_execution': return commandOperationOf(textOf(item['command']) ?? '');
    case 'file_change': {
      const kinds = listOf(item['changes']).map((change) => nameOf(fieldsOf(change)?.['kind']) ?? 'unknown');
      return patchOperationOf(boundedJson(item['changes']), kinds);
    }
    case 'mcp_tool_call': return mcpOperationOf(nameOf(item['server']) ?? 'unknown', nameOf(item['tool']) ?? 'unknown', item['arguments']);
    case 'web_search': return webSearchOperationOf(textOf(item['query']), item['action']);
    case 'todo_list': return plainOperationOf('todo_list', { items: item['items'] ?? null });
    case 'collab_tool_call': return plainOperationOf(nameOf(item['tool']) ?? 'unknown', { prompt: item['prompt'] ?? null, receiver_thread_ids: item['receiver_thread_ids'] ?? [] });
    default: return undefined;
  }
}

/** How the call of a completed item came out. */
export function endOfItem(item: Fields): ToolEnd {
  const status = item['status'];
  const finished = { type: 'operation.finished', kind: 'tool' } as const;
  switch (item['type']) {
    case 'command_execution': {
      const exitCode = item['exit_code'];
      const output = textOf(item['aggregated_output']);
      const known = typeof exitCode === 'number' && Number.isSafeInteger(exitCode) && exitCode >= 0;
      if (status === 'declined') return { ...finished, status: 'rejected' };
      const failed = status === 'failed' || (typeof exitCode === 'number' && exitCode !== 0);
      // -1 is no exit code: the process could not be spawned, or the CLI ended it.
      return { ...finished, status: failed ? 'failed' : 'completed', ...(output === undefined ? {} : { output }), ...(known ? { exitCode } : {}) };
    }
    case 'mcp_tool_call': {
      const error = textOf(fieldsOf(item['error'])?.['message']);
      if (error !== undefined) return { ...finished, status: isRefusalText(error) ? 'rejected' : 'failed', output: error };
      return { ...finished, status: status === 'failed' ? 'failed' : 'completed', ...mcpOutputOf(fieldsOf(item['result'])) };
    }
    case 'todo_list': return { ...finished, status: 'completed', output: boundedJson(item['items']) };
    case 'collab_tool_call': return { ...finished, status: status === 'failed' ? 'failed' : 'completed', output: boundedJson(item['agents_states']) };
    default: return { ...finished, status: status === 'declined' ? 'rejected' : status === 'failed' ? 'failed' : 'completed' };
  }
}

/** One text block is told as its text; structured content and everything else as it is. */
export function mcpOutputOf(result: Fields | undefined): { readonly output?: JsonValue } {
  if (result === undefined) return {};
  const blocks = listOf(result['content']);
  const only = blocks.length === 1 ? fieldsOf(blocks[0]) : undefined;
  const structured = result['structured_content'] ?? result['structuredContent'];
  if (structured !== undefined && structured !== null) return { output: boundedJson(structured) };
  if (only?.['type'] === 'text' && typeof only['text'] === 'string') return { output: only['text'] };
  return { output: boundedJson(result['content']) };
}

/** States of the agents that a collaboration call names, by thread id. */
export function agentStatesOf(item: Fields): readonly { readonly threadId: string; readonly status: string; readonly message?: string }[] {
  return Object.entries(fieldsOf(item['agents_states']) ?? {}).flatMap(([threadId, value]) => {
    const state = fieldsOf(value);
    const status = nameOf(state?.['status']) ?? nameOf(value);
    const message = textOf(state?.['message']);
    return status === undefined ? [] : [{ threadId, status, ...(message === undefined ? {} : { message }) }];
  });
}

