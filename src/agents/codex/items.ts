import type { StreamEvent, ToolOperation } from '../../evidence/events.js';
import type { JsonValue } from '../../evidence/json.js';
import type { Draft } from '../draft.js';
import { countOf, fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import { boundedJson } from '../json-line.js';
import { isRefusalText } from './rejection.js';
import { commandOperationOf, mcpOperationOf, patchOperationOf, plainOperationOf, webSearchOperationOf } from './tools.js';

/** The end of a tool call. */
export type ToolEnd = Omit<Extract<StreamEvent, { type: 'operation.finished'; kind: 'tool' }>, 'operationId' | 'at' | 'witness' | 'parentOperationId'>;

/** The end of a tool call under its id. */
export type FinishedTool = Extract<StreamEvent, { type: 'operation.finished'; kind: 'tool' }>;

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
export function endOfItem(item: Fields, operationId: string): FinishedTool {
  const status = item['status'];
  switch (item['type']) {
    case 'command_execution': {
      const exitCode = item['exit_code'];
      const output = textOf(item['aggregated_output']);
      if (status === 'declined') return finished(operationId, 'rejected');
      const outcome = status === 'failed' || (typeof exitCode === 'number' && exitCode !== 0) ? 'failed' : 'completed';
      // -1 is no exit code: the process could not be spawned, or the CLI ended it.
      const end = toolEnd(outcome, output);
      const code = countOf(exitCode);
      if (code !== undefined) end.exitCode = code;
      return named(end, operationId);
    }
    case 'mcp_tool_call': {
      const error = textOf(fieldsOf(item['error'])?.['message']);
      if (error !== undefined) return finished(operationId, isRefusalText(error) ? 'rejected' : 'failed', error);
      return finished(operationId, status === 'failed' ? 'failed' : 'completed', mcpOutputOf(fieldsOf(item['result'])));
    }
    case 'todo_list': return finished(operationId, 'completed', boundedJson(item['items']));
    case 'collab_tool_call': return finished(operationId, status === 'failed' ? 'failed' : 'completed', boundedJson(item['agents_states']));
    default: return finished(operationId, status === 'declined' ? 'rejected' : status === 'failed' ? 'failed' : 'completed');
  }
}

function finished(operationId: string, status: FinishedTool['status'], output?: JsonValue): FinishedTool {
  return named(toolEnd(status, output), operationId);
}

/** How a call came out, for the caller to complete and to give away. An output that is undefined is not known. */
export function toolEnd(status: ToolEnd['status'], output?: JsonValue): Draft<ToolEnd> {
  const end: Draft<ToolEnd> = { type: 'operation.finished', kind: 'tool', status };
  if (output !== undefined) end.output = output;
  return end;
}

/** Gives an ending to the call with this id. */
export function named(end: ToolEnd, operationId: string): FinishedTool {
  const finished: ToolEnd & { operationId?: string } = end;
  finished.operationId = operationId;
  return finished as FinishedTool;
}

/** One text block is told as its text; structured content and everything else as it is. */
export function mcpOutputOf(result: Fields | undefined): JsonValue | undefined {
  if (result === undefined) return undefined;
  const blocks = listOf(result['content']);
  const only = blocks.length === 1 ? fieldsOf(blocks[0]) : undefined;
  const structured = result['structured_content'] ?? result['structuredContent'];
  if (structured !== undefined && structured !== null) return boundedJson(structured);
  if (only?.['type'] === 'text' && typeof only['text'] === 'string') return only['text'];
  return boundedJson(result['content']);
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

