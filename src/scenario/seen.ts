import { foldCoverage, type EvidenceCoverage } from '../evidence/coverage.js';
import type { StreamEvent } from '../evidence/events.js';
import { sessionOccurrencesOf } from '../evidence/occurrence.js';
import type { ToolName } from '../evidence/tool-name.js';
import type { ContextFill, TurnStatus } from '../evidence/turn.js';
import { addUsage, type Usage } from '../evidence/usage.js';
import { domainEventsOf } from './domain-events.js';

/** What is known of one turn. */
export interface SeenTurn {
  readonly status: TurnStatus;
  readonly events: readonly StreamEvent[];
  readonly coverage: EvidenceCoverage;
  readonly usage?: Usage;
  readonly context?: ContextFill;
  readonly durationMs: number;
}

/** One action of the agent: its own name for it, and the canonical one. */
export interface SeenAction {
  readonly name: string;
  readonly tool?: ToolName;
}

/** What a scenario came to, in the terms of its expectations. */
export interface SeenScenario {
  /** Domain names, and ours for what has none, in order. */
  readonly eventNames: readonly string[];
  /** How often each kind of the standard stream came. */
  readonly kinds: ReadonlyMap<string, number>;
  /** Calls and delegations that were begun; those that were refused are not among them. */
  readonly actions: readonly SeenAction[];
  readonly toolFailures: number;
  /** Answers to the user; those of subagents are not among them. */
  readonly answers: number;
  /** The last answer that is not blank. Absent: there was none. */
  readonly response?: string;
  readonly elapsedMs: number;
  /** Of the last turn that tells. */
  readonly context?: ContextFill;
  /** Absent: no turn tells. */
  readonly usage?: Usage;
  readonly coverage: EvidenceCoverage;
  /** Whether the requests of every turn were counted. */
  readonly requestsKnown: boolean;
}

/** Puts the turns of one session together. */
export function seenOf(turns: readonly SeenTurn[]): SeenScenario {
  const events = turns.flatMap((turn) => turn.events);
  const { events: occurrences } = sessionOccurrencesOf(events);
  const kinds = new Map<string, number>();
  for (const { type } of events) kinds.set(type, (kinds.get(type) ?? 0) + 1);
  const actions = occurrences.flatMap(({ event, call, subagent }): readonly SeenAction[] => {
    if (event.type !== 'operation.started') return [];
    if (subagent !== undefined) return [{ name: subagent.name, tool: 'agent_task' }];
    if (call === undefined || call.status === 'rejected') return [];
    const { name, tool } = call.operation;
    return [{ name, ...(tool === undefined ? {} : { tool }) }];
  });
  const answers = events.flatMap((event) => (event.type === 'message' && event.role === 'assistant' && event.parentOperationId === undefined ? [event.text] : []));
  const response = answers.findLast((text) => text.trim() !== '');
  const usages = turns.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  const context = turns.findLast((turn) => turn.context !== undefined)?.context;
  return {
    eventNames: domainEventsOf(turns),
    kinds,
    actions,
    toolFailures: events.filter((event) => event.type === 'operation.finished' && event.status === 'failed').length,
    answers: answers.length,
    ...(response === undefined ? {} : { response }),
    elapsedMs: turns.reduce((sum, { durationMs }) => sum + durationMs, 0),
    ...(context === undefined ? {} : { context }),
    ...(usages.length === 0 ? {} : { usage: addUsage(usages) }),
    coverage: foldCoverage(turns.map((turn) => turn.coverage)),
    requestsKnown: turns.every(({ usage }) => usage?.requests !== undefined),
  };
}
