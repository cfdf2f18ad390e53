import { fieldsOf, listOf, nameOf, type Fields } from '../fields.js';

const EXEC: ReadonlySet<string> = new Set(['thread.started', 'turn.started', 'turn.completed', 'turn.failed', 'item.started', 'item.updated', 'item.completed']);
const ROLLOUT: ReadonlySet<string> = new Set(['session_meta', 'response_item', 'event_msg', 'turn_context', 'token_usage_record', 'world_state', 'compacted']);

/** Which record of Codex a line is from; undefined when it is from none. */
export function recogniseCodex(record: Fields): 'codex-exec' | 'codex-rollout' | 'codex-app-server' | undefined {
  const type = nameOf(record['type']);
  if (type !== undefined) {
    if (EXEC.has(type)) return 'codex-exec';
    if (ROLLOUT.has(type) && fieldsOf(record['payload']) !== undefined) return 'codex-rollout';
    // Before 0.32: the bare history of the model.
    if (type === 'message') return /^(?:in|out)put_text$/.test(nameOf(fieldsOf(listOf(record['content'])[0])?.['type']) ?? '') ? 'codex-rollout' : undefined;
    return /^(?:function|local_shell)_call/.test(type) && nameOf(record['call_id']) !== undefined ? 'codex-rollout' : undefined;
  }
  if (nameOf(fieldsOf(record['msg'])?.['type']) !== undefined) return 'codex-exec';
  return /^(?:thread|turn|item)\//.test(nameOf(record['method']) ?? '') && fieldsOf(record['params']) !== undefined ? 'codex-app-server' : undefined;
}
