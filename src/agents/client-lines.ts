import { fieldsOf, nameOf, type Fields } from './fields.js';

/** Methods that only the client of an app-server uses. */
const METHODS: ReadonlySet<string> = new Set([
  'initialize', 'initialized', 'thread/start', 'thread/resume', 'thread/fork', 'thread/compact/start', 'turn/start', 'turn/steer', 'turn/interrupt',
]);

/** Types that only the CLI prints or keeps. */
const PRINTED: ReadonlySet<string> = new Set(['system', 'assistant', 'result', 'stream_event']);

/** Who wrote a line of a conversation between a client and a CLI. `undefined`: both may have. */
export function writerOf(record: Fields): 'client' | 'cli' | undefined {
  const method = nameOf(record['method']);
  if (method !== undefined) return METHODS.has(method) ? 'client' : 'cli';
  const type = nameOf(record['type']);
  if (type === undefined) return undefined;
  if (PRINTED.has(type)) return 'cli';
  // What Claude Code prints of a message has an id of its own; what it keeps, too.
  if (type === 'user') return 'uuid' in record || 'sessionId' in record ? 'cli' : 'client';
  if (type === 'control_request') return fieldsOf(record['request'])?.['subtype'] === 'can_use_tool' ? 'cli' : 'client';
  return undefined;
}
