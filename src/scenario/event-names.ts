import type { StreamEvent } from '../evidence/events.js';

/** The names that the events of a scenario have by their meaning. */
export const DOMAIN_EVENT_NAMES = [
  'SessionInitialized', 'UserMessageAdded', 'ModelRequestStarted', 'ModelUsageRecorded', 'ModelToolCallRequested', 'PermissionRequested', 'PermissionGranted', 'PermissionDenied',
  'ToolInvocationStarted', 'ToolInvocationCompleted', 'ToolInvocationFailed', 'ContextCompactionStarted', 'ContextCompactionCompleted', 'ContextCompactionFailed', 'AssistantMessageCompleted',
] as const;

/** One of them. */
export type DomainEventName = (typeof DOMAIN_EVENT_NAMES)[number];

const KINDS: Readonly<Record<StreamEvent['type'], true>> = {
  'message': true, 'operation.started': true, 'operation.finished': true, 'skill.loaded': true, 'input.requested': true, 'thinking': true, 'context.injected': true, 'compaction': true, 'error': true,
};

/** The kinds of the standard event stream. */
export const STREAM_EVENT_NAMES = Object.keys(KINDS) as readonly StreamEvent['type'][];

/** True for a domain name, false for one of the standard stream. */
export function isDomainEventName(name: string): name is DomainEventName {
  return (DOMAIN_EVENT_NAMES as readonly string[]).includes(name);
}
