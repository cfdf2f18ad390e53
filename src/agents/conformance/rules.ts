import { EVIDENCE_CHANNELS, type EvidenceCoverage } from '../../evidence/coverage.js';
import type { StreamEvent } from '../../evidence/events.js';
import type { Turn } from '../../evidence/turn.js';
import type { Usage } from '../../evidence/usage.js';
import { show } from '../../sandbox/conformance/difference.js';

/**
 * Why operations cannot be paired. `undefined`: they can.
 *
 * @param actionsAreComplete Nothing is missing from the record, so an end without its start cannot be.
 */
export function pairingProblem(events: readonly StreamEvent[], actionsAreComplete: boolean): string | undefined {
  const kinds = new Map<string, 'tool' | 'subagent'>();
  const finished = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (event.type === 'operation.started') {
      const { operationId, operation } = event;
      if (kinds.has(operationId)) return `events.${index} starts the operation "${operationId}" a second time`;
      kinds.set(operationId, operation.kind);
    } else if (event.type === 'operation.finished') {
      const { operationId, kind } = event;
      const started = kinds.get(operationId);
      if (finished.has(operationId)) return `events.${index} finishes the operation "${operationId}" a second time`;
      if (started === undefined && actionsAreComplete) return `events.${index} finishes the operation "${operationId}", which no event before it started, though actions coverage is complete`;
      if (started !== undefined && started !== kind) return `events.${index} finishes as a ${kind} the operation "${operationId}", which was started as a ${started}`;
      finished.add(operationId);
    }
  }
  return undefined;
}

const TOKENS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'reasoningTokens', 'requests'] as const;
const DOLLAR_ROUNDING = 1e-6;

/** Why numbers of usage cannot be true. `undefined`: they can. The schema has checked that they are whole and not negative. */
export function usageProblem(usage: Usage | undefined, coverage: Partial<EvidenceCoverage> | undefined): string | undefined {
  if (usage === undefined) return undefined;
  if (coverage?.usage?.status === 'unavailable') return `usage is ${show(usage)}, though its coverage is unavailable: what is not known is left out`;
  const models = Object.entries(usage.models ?? {});
  const own = [{ what: 'usage', part: usage }, ...models.map(([model, part]) => ({ what: `usage of the model "${model}"`, part }))];
  for (const { what, part: { reasoningTokens, outputTokens } } of own) {
    if (reasoningTokens !== undefined && reasoningTokens > (outputTokens ?? 0)) return `${what} has ${reasoningTokens} reasoningTokens, more than its ${outputTokens ?? 'unknown'} outputTokens, of which they are a part`;
  }
  for (const bucket of [...TOKENS, 'costUSD'] as const) {
    const sum = models.reduce((total, [, part]) => total + (part[bucket] ?? 0), 0);
    const total = usage[bucket] ?? 0;
    if (sum > total + (bucket === 'costUSD' ? DOLLAR_ROUNDING : 0)) return `the models have ${sum} ${bucket} together, more than the ${usage[bucket] ?? 'unknown'} of the whole`;
  }
  return undefined;
}

/** Why a turn cannot be waiting. `undefined`: it can, or is not. */
export function waitingProblem({ status, events }: Turn): string | undefined {
  if (status !== 'waiting' || events.some(({ type }) => type === 'input.requested')) return undefined;
  return 'its status is "waiting", but no input.requested event says what for';
}

/** Whether the turn leaves a channel as its agent declares it. */
export function isComplete({ evidenceCoverage }: Turn, channel: keyof EvidenceCoverage): boolean {
  return (evidenceCoverage?.[channel]?.status ?? 'complete') === 'complete';
}

/** The channels of which a turn does not say that nothing was collected. */
export function channelsNotUnavailable({ evidenceCoverage }: Turn): readonly string[] {
  return EVIDENCE_CHANNELS.filter((channel) => evidenceCoverage?.[channel]?.status !== 'unavailable');
}

/** Events whose operations are numbered in the order in which they appear, so that ids made from places compare equal. */
export function withPlainIds(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const numbers = new Map<string, string>();
  const plain = (id: string): string => {
    const number = numbers.get(id) ?? `operation ${numbers.size + 1}`;
    numbers.set(id, number);
    return number;
  };
  return events.map((event) => ({
    ...event,
    ...('operationId' in event && event.operationId !== undefined ? { operationId: plain(event.operationId) } : {}),
    ...(event.parentOperationId === undefined ? {} : { parentOperationId: plain(event.parentOperationId) }),
  }));
}
