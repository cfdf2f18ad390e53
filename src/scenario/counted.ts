import type { EvidenceChannel, EvidenceCoverage } from '../evidence/coverage.js';
import { isDomainEventName } from './event-names.js';
import type { SeenScenario } from './seen.js';

/** How often something was seen, and why there may have been more. */
export interface Counted {
  readonly count: number;
  /** Absent: there was no more. */
  readonly gap?: string;
}

/** How often an event of a name was seen, whichever of the two sets of names it is of. */
export function countedEvents(seen: SeenScenario, name: string): Counted {
  const count = isDomainEventName(name) ? seen.eventNames.filter((other) => other === name).length : seen.kinds.get(name) ?? 0;
  const gap = gapOfEvent(seen, name);
  return { count, ...(gap === undefined ? {} : { gap }) };
}

/** Why a channel may lack something. `undefined`: it is complete. */
export function gapOf(coverage: EvidenceCoverage, ...channels: readonly EvidenceChannel[]): string | undefined {
  for (const channel of channels) {
    const { status, reason } = coverage[channel];
    if (status !== 'complete') return `the channel "${channel}" is ${status}: ${reason}`;
  }
  return undefined;
}

function gapOfEvent(seen: SeenScenario, name: string): string | undefined {
  const { coverage, requestsKnown } = seen;
  switch (name) {
    case 'SessionInitialized':
    case 'UserMessageAdded':
      return undefined; // The harness itself did that.
    case 'ModelRequestStarted': return requestsKnown ? undefined : 'nobody counted the requests of every turn';
    case 'ModelUsageRecorded': return gapOf(coverage, 'usage');
    case 'ModelToolCallRequested':
    case 'PermissionRequested':
    case 'PermissionGranted':
    case 'PermissionDenied':
    case 'ToolInvocationStarted':
    case 'ToolInvocationCompleted':
    case 'ToolInvocationFailed':
      return gapOf(coverage, 'actions');
    case 'AssistantMessageCompleted':
    case 'message': {
      const gap = gapOf(coverage, 'messages');
      return gap !== undefined && gapOf(coverage, 'events') === undefined ? undefined : gap; // Each suffices.
    }
    case 'operation.started':
    case 'operation.finished':
      return gapOf(coverage, 'events', 'actions');
    default: return gapOf(coverage, 'events');
  }
}
