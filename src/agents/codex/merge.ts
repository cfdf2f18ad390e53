import type { StreamEvent } from '../../evidence/events.js';

/**
 * Merges what stdout printed into what the rollouts tell. The rollouts lead: they have the true ids, times, arguments and
 * everything that stdout leaves out. Of stdout remains what they lack: retries, warnings, declined calls inside
 * scripts, ends of calls that the rollouts leave open. The same fact is found by what it says (no id is shared),
 * the n-th of its kind with the n-th.
 *
 * @param asksLive Every question to a person was seen live, so one that only the rollouts have was refused before it was asked.
 */
export function mergeEvents(told: readonly StreamEvent[], stdout: readonly StreamEvent[], asksLive = false): readonly StreamEvent[] {
  const rollout = asksLive ? told.filter((event) => !isUnseenQuestion(event, stdout)) : told;
  const places = placesOf(rollout);
  const merged = [...rollout];
  const before = new Map<number, StreamEvent[]>();
  const rolloutIdOf = new Map<string, string>();
  const stdoutStarts = new Map<string, string>();
  let waiting: StreamEvent[] = [];
  for (const event of stdout) {
    const key = keyOf(event, stdoutStarts);
    // An app-server knows the calls of the model by their own ids; the rollouts have a patch as it was called until it was applied.
    const index = key === undefined ? undefined : places.take(key) ?? (event.type === 'operation.started' ? places.startOf(event.operationId) : undefined);
    const twin = index === undefined ? undefined : rollout[index];
    if (index === undefined || twin === undefined) {
      if (isToldElsewhere(event, stdoutStarts)) continue;
      waiting.push({ ...event, ...(event.type === 'operation.finished' ? { operationId: rolloutIdOf.get(event.operationId) ?? event.operationId } : {}), witness: 'stdout' });
      continue;
    }
    // The live request has the id by which it is answered.
    if (event.type === 'input.requested') merged[index] = { ...event, witness: 'stdout' };
    if (event.type === 'operation.started' && twin.type === 'operation.started') rolloutIdOf.set(event.operationId, twin.operationId);
    // Only stdout knows that a review declined a command; the rollout has the same call as refused or failed.
    if (event.type === 'operation.finished' && twin.type === 'operation.finished' && event.kind === 'tool' && twin.kind === 'tool' && event.status === 'rejected') {
      merged[index] = { ...twin, status: 'rejected' };
    }
    if (waiting.length > 0) {
      before.set(index, [...(before.get(index) ?? []), ...waiting]);
      waiting = [];
    }
  }
  if (before.size === 0) return waiting.length === 0 ? merged : [...merged, ...waiting];
  return [...merged.flatMap((event, index) => [...(before.get(index) ?? []), event]), ...waiting];
}

/** A blocking question of the rollouts that nobody was asked. */
function isUnseenQuestion(event: StreamEvent, live: readonly StreamEvent[]): boolean {
  return event.type === 'input.requested' && event.request.action === 'request_user_input'
    && !live.some((seen) => seen.type === 'input.requested' && seen.request.prompt === event.request.prompt);
}

/** Where facts stand among events. */
interface Places {
  /** The first of those that say this and were not taken yet. */
  take(key: string): number | undefined;
  /** The start of the operation with this id. */
  startOf(operationId: string): number | undefined;
}

function placesOf(events: readonly StreamEvent[]): Places {
  const first = new Map<string, number>();
  /** By index: the next event that says the same. */
  const next = new Int32Array(events.length);
  const starts = new Map<string, string>();
  const startOf = new Map<string, number>();
  const keys = events.map((event, index) => {
    if (event.type === 'operation.started') startOf.set(event.operationId, index);
    return keyOf(event, starts);
  });
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const key = keys[index];
    if (key === undefined) continue;
    next[index] = first.get(key) ?? NONE;
    first.set(key, index);
  }
  return {
    take(key) {
      const index = first.get(key) ?? NONE;
      if (index === NONE) return undefined;
      first.set(key, next[index] ?? NONE);
      return index;
    },
    startOf: (operationId) => startOf.get(operationId),
  };
}

const NONE = -1;

/** What stdout says in a poorer form than the rollouts: plans, collaboration calls, and words of other threads. */
function isToldElsewhere(event: StreamEvent, starts: ReadonlyMap<string, string>): boolean {
  if (event.type === 'context.injected') return true;
  if (event.type === 'message' || event.type === 'thinking') return false;
  if (event.type !== 'operation.started' && event.type !== 'operation.finished') return false;
  const key = starts.get(event.operationId) ?? '';
  return key.startsWith('plain:') || key.startsWith('subagent:');
}

/** What an event says, in a form that both records share. Undefined: only one record can have it. */
function keyOf(event: StreamEvent, starts: Map<string, string>): string | undefined {
  switch (event.type) {
    case 'message': return `${event.role}:${event.parentOperationId ?? ''}:${event.text}`;
    // Stdout prints summaries only, and nothing for thoughts that have none.
    case 'thinking': return `${event.text === '' ? 'hidden thinking' : 'thinking'}:${event.parentOperationId ?? ''}`;
    case 'compaction': return 'compaction';
    case 'operation.started': {
      const key = keyOfOperation(event);
      starts.set(event.operationId, key);
      return `start:${key}`;
    }
    case 'operation.finished': {
      const key = starts.get(event.operationId);
      return key === undefined ? undefined : `end:${key}`;
    }
    case 'input.requested': return `input:${event.request.action ?? ''}:${event.request.prompt ?? ''}`;
    case 'error': return event.recovered === true ? undefined : `error:${event.message}`;
    default: return undefined;
  }
}

function keyOfOperation(event: StreamEvent & { type: 'operation.started' }): string {
  const { operation } = event;
  if (operation.kind === 'subagent') return 'subagent:';
  if (operation.command?.classification === 'command') return `command:${operation.command.shell?.source ?? ''}`;
  const input = operation.input;
  if (operation.name === 'file_change') {
    const changes = typeof input === 'object' && input !== null && 'changes' in input && Array.isArray(input.changes) ? (input.changes as readonly unknown[]) : [];
    return `patch:${changes.map((change) => String((change as { readonly path?: unknown } | null)?.path)).sort().join('\n')}`;
  }
  if (operation.name === 'web_search') return `search:${JSON.stringify(typeof input === 'object' && input !== null && 'query' in input ? input.query : null)}`;
  return operation.name.includes('.') ? `mcp:${operation.name}:${JSON.stringify(input)}` : `plain:${operation.name}`;
}
