import type { StreamEvent, ToolOperation } from './events.js';
import type { JsonValue } from './json.js';

/** Where a tool call stands. `undecidable`: its start and end cannot be paired for certain. */
export type OccurrenceStatus = 'pending' | 'completed' | 'failed' | 'rejected' | 'undecidable';

/** One logical tool call: a start and, if there is one, the end of the same id and kind. */
export interface ToolOccurrence {
  readonly operationId: string;
  /** Index of the start in the events it was made from. */
  readonly startedIndex: number;
  readonly operation: ToolOperation;
  readonly status: OccurrenceStatus;
  /** Absent: the output is not known. */
  readonly output?: JsonValue;
  readonly exitCode?: number;
  readonly parentOperationId?: string;
}

/** The tool calls of one session, and whether ends without a start make counting impossible. */
export interface ToolOccurrences {
  readonly occurrences: readonly ToolOccurrence[];
  readonly orphanEnds: number;
}

interface Open { occurrence: ToolOccurrence; ends: number; }

/**
 * Pairs the tool starts and ends of one session by id. An id that starts again while it is open makes every
 * call under it undecidable; so does a second end, or an end of the other kind.
 */
export function toolOccurrencesOf(events: readonly StreamEvent[]): ToolOccurrences {
  const calls: Open[] = [];
  const latest = new Map<string, Open>();
  const ambiguous = new Set<string>();
  let orphanEnds = 0;
  for (const [index, event] of events.entries()) {
    if (event.type === 'operation.started') {
      const open = latest.get(event.operationId);
      if (open !== undefined && open.ends === 0) ambiguous.add(event.operationId);
      if (event.operation.kind !== 'tool') continue;
      const started: Open = { occurrence: pendingOf(event, event.operation, index), ends: 0 };
      calls.push(started);
      latest.set(event.operationId, started);
    } else if (event.type === 'operation.finished') {
      const open = latest.get(event.operationId);
      if (event.kind !== 'tool') {
        if (open !== undefined && open.ends === 0) ambiguous.add(event.operationId);
        continue;
      }
      if (open === undefined) {
        orphanEnds += 1;
      } else {
        open.ends += 1;
        if (open.ends > 1) ambiguous.add(event.operationId);
        else open.occurrence = { ...open.occurrence, ...endOf(event) };
      }
    }
  }
  const occurrences = calls.map(({ occurrence }) => {
    if (!ambiguous.has(occurrence.operationId)) return occurrence;
    const { output: _output, exitCode: _exitCode, ...known } = occurrence;
    return { ...known, status: 'undecidable' as const };
  });
  return { occurrences, orphanEnds };
}

function pendingOf(event: StreamEvent & { type: 'operation.started' }, operation: ToolOperation, index: number): ToolOccurrence {
  return {
    operationId: event.operationId,
    startedIndex: index,
    operation,
    status: 'pending',
    ...(event.parentOperationId === undefined ? {} : { parentOperationId: event.parentOperationId }),
  };
}

function endOf(event: StreamEvent & { type: 'operation.finished'; kind: 'tool' }): Pick<ToolOccurrence, 'status' | 'output' | 'exitCode'> {
  return {
    status: event.status,
    ...(event.output === undefined ? {} : { output: event.output }),
    ...(event.exitCode === undefined ? {} : { exitCode: event.exitCode }),
  };
}
