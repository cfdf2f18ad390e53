/** Builders of stream-json lines in the shape of Claude Code 2.1.197. */

let counter = 0;

export const init = { type: 'system', subtype: 'init', session_id: 's', model: 'claude-opus-4-8[1m]', claude_code_version: '2.1.197', tools: [] };

export function assistant(content: unknown, more: object = {}, message: object = {}): object {
  counter += 1;
  return {
    type: 'assistant',
    message: { id: `msg_${counter}`, role: 'assistant', model: 'claude-opus-4-8', content: [content], stop_reason: null, ...message },
    parent_tool_use_id: null, session_id: 's', uuid: `uuid-${counter}`, ...more,
  };
}

export function says(text: string, more: object = {}, message: object = {}): object {
  return assistant({ type: 'text', text }, more, message);
}

export function calls(id: string, name: string, input: object = {}, more: object = {}): object {
  return assistant({ type: 'tool_use', id, name, input }, more);
}

export function answers(id: string, content: unknown, more: object = {}, block: object = {}): object {
  counter += 1;
  return {
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, ...(content === undefined ? {} : { content }), ...block }] },
    parent_tool_use_id: null, session_id: 's', uuid: `uuid-${counter}`, ...more,
  };
}

export function result(more: object = {}): object {
  return { type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'done', stop_reason: 'end_turn', session_id: 's', terminal_reason: 'completed', permission_denials: [], ...more };
}
