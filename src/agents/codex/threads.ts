import { fieldsOf, listOf, nameOf, type Fields } from '../fields.js';
import type { RolloutThread } from './rollout.js';

/** How the threads of a run hang together. */
export interface ThreadFamily {
  /** The call (or review) by which a thread was started. */
  readonly startedBy: ReadonlyMap<string, string>;
  /** Threads that a record names and that have no file. */
  readonly missing: readonly string[];
}

/** Finds the call behind each child thread; the two generations of collaboration tools record it differently. */
export function familyOf(threads: readonly RolloutThread[]): ThreadFamily {
  const startedBy = new Map<string, string>();
  const named = new Set<string>();
  let review: string | undefined;
  for (const { lines, role, id } of threads) {
    for (const { payload, kind } of lines) {
      const item = kind === 'item_completed' ? fieldsOf(payload['item']) : undefined;
      if (item === undefined) continue;
      const itemId = nameOf(item['id']);
      if (item['type'] === 'SubAgentActivity') note(nameOf(item['agent_thread_id']), item['kind'] === 'started' ? itemId : undefined);
      else if (item['type'] === 'CollabAgentToolCall' && item['tool'] === 'spawn_agent') {
        for (const thread of listOf(item['receiver_thread_ids'])) note(nameOf(thread), itemId);
      } else if (item['type'] === 'EnteredReviewMode') review = itemId;
    }
    if (role === 'review' && review !== undefined) startedBy.set(id, review);
  }
  function note(thread: string | undefined, call: string | undefined): void {
    if (thread === undefined) return;
    named.add(thread);
    if (call !== undefined && !startedBy.has(thread)) startedBy.set(thread, call);
  }
  for (const { role, id } of threads) if (role === 'review' && review !== undefined) startedBy.set(id, review);
  const present = new Set(threads.map(({ id }) => id));
  return { startedBy, missing: [...named].filter((id) => !present.has(id)) };
}

/** The thread that the run is about. */
export function rootOf(threads: readonly RolloutThread[], threadId: string | undefined): RolloutThread | undefined {
  return threads.find(({ id }) => id === threadId) ?? threads.find(({ role, parentId }) => role === 'root' && parentId === undefined) ?? threads[0];
}

/** The status of an agent in any of the shapes seen: `"pending_init"`, `{"completed": "last words"}`, `{"status": "completed"}`. */
export function parseAgentState(value: unknown): { readonly status: string; readonly message?: string } | undefined {
  const plain = nameOf(value);
  if (plain !== undefined) return { status: plain };
  const fields: Fields | undefined = fieldsOf(value);
  const stated = nameOf(fields?.['status']);
  if (stated !== undefined) {
    const message = nameOf(fields?.['message']);
    return { status: stated, ...(message === undefined ? {} : { message }) };
  }
  const [entry] = Object.entries(fields ?? {});
  if (entry === undefined) return undefined;
  const message = nameOf(entry[1]);
  return { status: entry[0], ...(message === undefined ? {} : { message }) };
}
