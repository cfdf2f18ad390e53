import type { StreamEvent } from '../../evidence/events.js';
import type { Turn } from '../../evidence/turn.js';
import { usageSince } from '../../evidence/usage.js';

/**
 * The part of a turn that was not told when it stopped for a person. The whole turn is read again each time, since the
 * rollouts may tell late what happened before the question; what was told then is found by what it says, the n-th of a
 * kind with the n-th.
 */
export function toldSince(told: Turn | undefined, whole: Turn): Turn {
  if (told === undefined) return whole;
  const left = new Map<string, number>();
  for (const event of told.events) left.set(keyOf(event), (left.get(keyOf(event)) ?? 0) + 1);
  const events = whole.events.filter((event) => {
    const key = keyOf(event);
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    return count === 0;
  });
  return { ...whole, events, ...(whole.usage === undefined ? {} : { usage: usageSince(told.usage, whole.usage) }) };
}

function keyOf(event: StreamEvent): string {
  switch (event.type) {
    case 'operation.started': case 'operation.finished': return `${event.type}:${event.operationId}`;
    case 'message': return `message:${event.role}:${event.parentOperationId ?? ''}:${event.text}`;
    case 'thinking': case 'context.injected': return `${event.type}:${event.parentOperationId ?? ''}:${event.text}`;
    case 'input.requested': return `input:${event.request.action ?? ''}:${event.request.prompt ?? ''}`;
    case 'skill.loaded': return `skill:${event.skill}`;
    case 'compaction': return 'compaction';
    case 'error': return `error:${event.message}`;
  }
}
