import { fieldsOf, type Fields } from '../fields.js';

/** Leaves out of the payloads of one rollout file what no event is told from, so that it need not be kept until the file is read. */
export interface PayloadTrimmer {
  lean(type: string, payload: Fields): Fields;
}

/** Items that tell the whole end of their call. */
const WHOLE: ReadonlySet<unknown> = new Set(['CommandExecution', 'FileChange', 'McpToolCall']);

export function createPayloadTrimmer(): PayloadTrimmer {
  /** Calls whose end an item told: the output that the model was given says it again. */
  const ended = new Set<unknown>();
  return {
    lean(type, payload) {
      switch (type) {
        // Half of a long file is the history that compactions repeat.
        case 'compacted': return { message: payload['message'], compaction_response_id: payload['compaction_response_id'] };
        case 'turn_context': return { model: payload['model'] };
        case 'event_msg': {
          const item = payload['type'] === 'item_completed' ? fieldsOf(payload['item']) : undefined;
          if (item !== undefined && WHOLE.has(item['type'])) ended.add(item['id']);
          return item?.['type'] === 'CommandExecution' ? { type: 'item_completed', thread_id: payload['thread_id'], item: leanCommandOf(item) } : payload;
        }
        case 'response_item': return leanHistoryOf(payload, ended);
        default: return payload;
      }
    },
  };
}

function leanCommandOf({ type, id, command, status, aggregated_output, exit_code }: Fields): Fields {
  return { type, id, command, status, aggregated_output, exit_code };
}

function leanHistoryOf(payload: Fields, ended: ReadonlySet<unknown>): Fields {
  switch (payload['type']) {
    case 'reasoning': return { type: 'reasoning', summary: payload['summary'] };
    case 'function_call_output': case 'custom_tool_call_output':
      return { type: payload['type'], call_id: payload['call_id'], output: ended.has(payload['call_id']) ? undefined : payload['output'] };
    case 'function_call': case 'custom_tool_call': {
      const { type, call_id, id, name, namespace, arguments: args, input } = payload;
      return { type, call_id, id, name, namespace, arguments: args, input };
    }
    default: return payload;
  }
}
