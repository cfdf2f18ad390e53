import { fieldsOf, nameOf, type Fields } from '../fields.js';

const PRINTED: ReadonlySet<unknown> = new Set(['result', 'stream_event', 'control_request', 'control_response', 'rate_limit_event', 'tool_progress', 'tool_use_summary']);
const WRITTEN: ReadonlySet<unknown> = new Set(['queue-operation', 'last-prompt', 'file-history-snapshot', 'custom-title', 'summary', 'attachment', 'permission-mode']);

/** Which record of Claude Code a line is from; undefined when it is from none. */
export function recogniseClaudeCode(record: Fields): 'claude-code' | 'claude-session' | undefined {
  const type = record['type'];
  const session = 'sessionId' in record || 'parentUuid' in record || 'isSidechain' in record;
  if (type === 'assistant' || type === 'user') {
    const content = fieldsOf(record['message'])?.['content'];
    // Other CLIs borrow the frame and put something else inside.
    if (typeof content !== 'string' && !Array.isArray(content)) return undefined;
    return session ? 'claude-session' : 'claude-code';
  }
  if (type === 'system') return session ? undefined : nameOf(record['subtype']) === undefined ? undefined : 'claude-code';
  if (type === 'result') return nameOf(record['subtype']) === undefined ? undefined : 'claude-code';
  if (PRINTED.has(type)) return 'claude-code';
  return WRITTEN.has(type) ? 'claude-session' : undefined;
}

/** A line by which a CLI that prints in the same frame gives itself away; its tokens and statuses mean something else. */
export function isLookAlike(record: Fields): boolean {
  return 'qwen_code_version' in record;
}
