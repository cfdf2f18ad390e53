import type { StreamEvent, SubagentOperation, ToolOperation } from './events.js';
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

/** One event, with what it belongs to. */
export interface EventOccurrence {
  readonly event: StreamEvent;
  /** Index in the events it was made from. */
  readonly index: number;
  /** For the start or the end of a tool call. Absent for an end: which call ended cannot be told. */
  readonly call?: ToolOccurrence;
  /** For the start or the end of a delegation: to whom. Absent for an end: which one ended cannot be told. */
  readonly subagent?: SubagentOperation;
}

/** Everything that happened in one session, paired by id and kind. */
export interface SessionOccurrences extends ToolOccurrences {
  /** One for each event, in order. */
  readonly events: readonly EventOccurrence[];
  /** Ends of delegations without a start. */
  readonly orphanDelegations: number;
}

/** A start that waits for its end, or has found it. */
interface Begun {
  readonly started: StreamEvent & { type: 'operation.started' };
  readonly index: number;
  end?: { readonly event: StreamEvent & { type: 'operation.finished' }; readonly index: number };
  ambiguous: boolean;
}

/** What one id stands for: the starts of each kind that have not ended, and the last of tools that has. */
interface Lane { readonly tool: Begun[]; readonly subagent: Begun[]; ended: Begun | undefined }

/**
 * Pairs the tool starts and ends of one session by id and kind. Calls that are open under one id at once are
 * undecidable; so is a call that ends twice, or ends as another kind.
 */
export function toolOccurrencesOf(events: readonly StreamEvent[]): ToolOccurrences {
  const { begun, orphanEnds } = pair(events);
  return { occurrences: callsOf(begun).map(({ call }) => call), orphanEnds };
}

/** The same pairing, told for each event as well. Delegations are paired alike. */
export function sessionOccurrencesOf(events: readonly StreamEvent[]): SessionOccurrences {
  const { begun, orphanEnds, orphanDelegations } = pair(events);
  const belongings = new Map<number, Pick<EventOccurrence, 'call' | 'subagent'>>();
  const calls = callsOf(begun);
  const belongs = (one: Begun, to: Pick<EventOccurrence, 'call' | 'subagent'>): void => {
    belongings.set(one.index, to);
    if (one.end !== undefined && !one.ambiguous) belongings.set(one.end.index, to);
  };
  for (const { one, call } of calls) belongs(one, { call });
  for (const one of begun) if (one.started.operation.kind === 'subagent') belongs(one, { subagent: one.started.operation });
  return {
    occurrences: calls.map(({ call }) => call),
    orphanEnds,
    orphanDelegations,
    events: events.map((event, index): EventOccurrence => {
      const to = belongings.get(index);
      // Spelt out: a session has tens of thousands.
      if (to?.call !== undefined) return { event, index, call: to.call };
      return to?.subagent === undefined ? { event, index } : { event, index, subagent: to.subagent };
    }),
  };
}

function pair(events: readonly StreamEvent[]): { readonly begun: readonly Begun[]; readonly orphanEnds: number; readonly orphanDelegations: number } {
  const begun: Begun[] = [];
  const lanes = new Map<string, Lane>();
  const laneOf = (id: string): Lane => {
    const lane = lanes.get(id) ?? { tool: [], subagent: [], ended: undefined };
    lanes.set(id, lane);
    return lane;
  };
  let orphanEnds = 0;
  let orphanDelegations = 0;
  for (const [index, event] of events.entries()) {
    if (event.type === 'operation.started') {
      const open = laneOf(event.operationId)[event.operation.kind];
      // Of several that are open, all but a first one are known to overlap already.
      const [first] = open;
      if (first !== undefined) first.ambiguous = true;
      const one: Begun = { started: event, index, ambiguous: first !== undefined };
      begun.push(one);
      open.push(one);
    } else if (event.type === 'operation.finished') {
      const lane = laneOf(event.operationId);
      const one = lane[event.kind].shift();
      if (one !== undefined) {
        one.end = { event, index };
        if (event.kind === 'tool') lane.ended = one;
      } else if (event.kind === 'subagent') {
        orphanDelegations += 1;
        const [call] = lane.tool;
        if (call !== undefined) call.ambiguous = true;
      } else {
        orphanEnds += 1;
        if (lane.ended !== undefined) lane.ended.ambiguous = true;
      }
    }
  }
  return { begun, orphanEnds, orphanDelegations };
}

function callsOf(begun: readonly Begun[]): readonly { readonly one: Begun; readonly call: ToolOccurrence }[] {
  const calls: { readonly one: Begun; readonly call: ToolOccurrence }[] = [];
  for (const one of begun) {
    const { started } = one;
    if (started.operation.kind === 'tool') calls.push({ one, call: callOf(one, started.operation) });
  }
  return calls;
}

/** Filled field by field, not spread together: a session has tens of thousands. */
function callOf({ started, index, end, ambiguous }: Begun, operation: ToolOperation): ToolOccurrence {
  const ending = ambiguous || end?.event.kind !== 'tool' ? undefined : end.event;
  const call: { -readonly [K in keyof ToolOccurrence]: ToolOccurrence[K] } = {
    operationId: started.operationId, startedIndex: index, operation, status: ambiguous ? 'undecidable' : ending?.status ?? 'pending',
  };
  if (ending?.output !== undefined) call.output = ending.output;
  if (ending?.exitCode !== undefined) call.exitCode = ending.exitCode;
  if (started.parentOperationId !== undefined) call.parentOperationId = started.parentOperationId;
  return call;
}
