import type { StreamEvent } from '../../evidence/events.js';

/** The end of a call. */
export type FinishedEvent = Extract<StreamEvent, { type: 'operation.finished' }>;

/** A call that was made and, as far as the record tells, is still going on. */
export interface OpenCall {
  readonly name: string;
  readonly kind: 'tool' | 'subagent';
  /** Index of its start among the events; -1 when an earlier turn told it. */
  readonly startedIndex: number;
  readonly messageId: string | undefined;
  readonly input: unknown;
  /** It runs on after its result line: only a notification ends it. */
  readonly background: boolean;
}

/** A call that ended with an error, whose status may turn into `rejected` when the result line is read. */
export interface EndedCall {
  readonly operationId: string;
  readonly call: OpenCall | undefined;
  /** Index of its end among the events. */
  readonly finishedIndex: number;
  readonly errorText: string;
}

/** The calls of one process by the id that the CLI gave them. */
export interface Operations {
  readonly open: Map<string, OpenCall>;
  readonly ended: Set<string>;
  readonly failed: EndedCall[];
  /** Ids that `permission_denials` or a `permission_denied` line names. */
  readonly denied: Set<string>;
}

/** @param earlier Calls that an earlier turn left open. */
export function createOperations(earlier: ReadonlyMap<string, OpenCall> = new Map()): Operations {
  return { open: new Map([...earlier].map(([id, call]) => [id, { ...call, startedIndex: -1 }])), ended: new Set(), failed: [], denied: new Set() };
}

export function isFinished(event: StreamEvent | undefined): event is FinishedEvent {
  return event?.type === 'operation.finished';
}
