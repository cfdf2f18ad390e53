import type { Turn } from '../evidence/turn.js';
import { bucketOf, type Usage } from '../evidence/usage.js';
import type { GatewayCount, TurnRecord } from './result.js';

const BUCKETS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'requests'] as const;

/** Where a CLI and the gateway count differently: one sentence for each turn. Buckets that one of them does not tell are left out. */
export function wireDifferences(turns: readonly TurnRecord[], counted: GatewayCount | undefined): readonly string[] {
  const windows = new Map((counted?.windows ?? []).map((window) => [window.label, window]));
  return turns.flatMap(({ label, usage }) => {
    const window = windows.get(label);
    if (usage === undefined || window === undefined) return [];
    const wire: Usage = { ...window.usage, requests: window.requests };
    const differing = BUCKETS.flatMap((bucket) => {
      const [told, seen] = [bucketOf(usage, bucket), bucketOf(wire, bucket)];
      return told === undefined || seen === undefined || told === seen ? [] : [`${bucket} ${told} and ${seen}`];
    });
    return differing.length === 0 ? [] : [`${label}: the CLI and the gateway count differently: ${differing.join(', ')}.`];
  });
}

/** The same turn with what was counted on the wire, where its CLI does not tell: requests beside its tokens, and how full the context was. */
export function withWireCounts(turn: Turn, counted: { readonly requests: number; readonly contextTokens: number | undefined } | undefined): Turn {
  if (counted === undefined) return turn;
  const { requests, contextTokens } = counted;
  return {
    ...turn,
    ...(turn.usage === undefined || turn.usage.requests !== undefined ? {} : { usage: { ...turn.usage, requests } }),
    ...(turn.context !== undefined || contextTokens === undefined ? {} : { context: { inputTokens: contextTokens } }),
  };
}
