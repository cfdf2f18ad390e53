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

interface Call { occurrence: ToolOccurrence; ambiguous: boolean; }

/** The calls of one id: those that have not ended, and the last that has. */
interface Lane { open: Call[]; ended: Call | undefined; openSubagents: number; }

/**
 * Pairs the tool starts and ends of one session by id and kind. Calls that are open under one id at once are
 * undecidable; so is a call that ends twice, or ends as another kind.
 */
export function toolOccurrencesOf(events: readonly StreamEvent[]): ToolOccurrences {
  const calls: Call[] = [];
  const lanes = new Map<string, Lane>();
  const laneOf = (id: string): Lane => {
    const lane = lanes.get(id) ?? { open: [], ended: undefined, openSubagents: 0 };
    lanes.set(id, lane);
    return lane;
  };
  let orphanEnds = 0;
  for (const [index, event] of events.entries()) {
    if (event.type === 'operation.started') {
      const lane = laneOf(event.operationId);
      if (event.operation.kind === 'subagent') {
        lane.openSubagents += 1;
        continue;
      }
      const call: Call = { occurrence: pendingOf(event, event.operation, index), ambiguous: false };
      calls.push(call);
      lane.open.push(call);
      if (lane.open.length > 1) for (const overlapping of lane.open) overlapping.ambiguous = true;
    } else if (event.type === 'operation.finished') {
      const lane = laneOf(event.operationId);
      if (event.kind === 'subagent') {
        if (lane.openSubagents > 0) lane.openSubagents -= 1;
        else for (const call of lane.open) call.ambiguous = true;
        continue;
      }
      const call = lane.open.shift();
      if (call === undefined) {
        orphanEnds += 1;
        if (lane.ended !== undefined) lane.ended.ambiguous = true;
        continue;
      }
      call.occurrence = { ...call.occurrence, ...endOf(event) };
      lane.ended = call;
    }
  }
  return { occurrences: calls.map(knownOf), orphanEnds };
}

function knownOf({ occurrence, ambiguous }: Call): ToolOccurrence {
  if (!ambiguous) return occurrence;
  const { output: _output, exitCode: _exitCode, ...known } = occurrence;
  return { ...known, status: 'undecidable' };
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
