import type { RequestOutline } from './outline.js';
import type { Replacement } from './replace.js';

const SHORTEST = 2;

/**
 * Pairs the ids by chance that a recorded request names with those of the request that it answers now: a model that was told one
 * says it again. An id that would have to become two is left alone.
 */
export function renamesOf(recorded: RequestOutline, now: RequestOutline): readonly Replacement[] {
  const renames = new Map<string, string>();
  const unclear = new Set<string>();
  const here = new Map(now.parts.map((part) => [part.where, part]));
  for (const { where, ids = [] } of recorded.parts) {
    const others = here.get(where)?.ids ?? [];
    if (others.length !== ids.length) continue;
    for (const [index, from] of ids.entries()) {
      const to = others[index] ?? from;
      if (from.length < SHORTEST) continue;
      if ((renames.get(from) ?? to) !== to) unclear.add(from);
      renames.set(from, to);
    }
  }
  return [...renames].filter(([from, to]) => from !== to && !unclear.has(from)).map(([from, to]) => ({ from, to }));
}
