import { z } from 'zod';

/** The six evidence channels. */
export const EVIDENCE_CHANNELS = ['events', 'actions', 'messages', 'usage', 'status', 'data'] as const;

/** One of the six evidence channels. */
export type EvidenceChannel = (typeof EVIDENCE_CHANNELS)[number];

/** How completely one channel was collected. A reason is owed for everything below complete. */
export type EvidenceCoverageEntry =
  | { readonly status: 'complete'; readonly reason?: never }
  | { readonly status: 'partial' | 'unavailable'; readonly reason: string };

/** How completely each of the six channels was collected. */
export type EvidenceCoverage = { readonly [channel in EvidenceChannel]: EvidenceCoverageEntry };

/** Every channel complete. Only true for an adapter that misses nothing. */
export const completeEvidenceCoverage: EvidenceCoverage = Object.freeze({
  events: { status: 'complete' },
  actions: { status: 'complete' },
  messages: { status: 'complete' },
  usage: { status: 'complete' },
  status: { status: 'complete' },
  data: { status: 'complete' },
});

const entrySchema: z.ZodType<EvidenceCoverageEntry> = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('complete') }),
  z.strictObject({ status: z.literal('partial'), reason: z.string().trim().min(1) }),
  z.strictObject({ status: z.literal('unavailable'), reason: z.string().trim().min(1) }),
]);

export const evidenceCoverageSchema = z.strictObject({
  events: entrySchema,
  actions: entrySchema,
  messages: entrySchema,
  usage: entrySchema,
  status: entrySchema,
  data: entrySchema,
});

const loweredEntrySchema = entrySchema.exactOptional();

export const partialEvidenceCoverageSchema = z.strictObject({
  events: loweredEntrySchema,
  actions: loweredEntrySchema,
  messages: loweredEntrySchema,
  usage: loweredEntrySchema,
  status: loweredEntrySchema,
  data: loweredEntrySchema,
});

const RANK = { complete: 2, partial: 1, unavailable: 0 } as const;

/** The worse of two entries; of two equally bad ones, one entry with both reasons. */
export function worseEntry(a: EvidenceCoverageEntry, b: EvidenceCoverageEntry): EvidenceCoverageEntry {
  if (RANK[a.status] !== RANK[b.status]) return RANK[a.status] < RANK[b.status] ? a : b;
  if (a.status === 'complete' || b.status === 'complete' || a.reason === b.reason) return a;
  return { status: a.status, reason: `${a.reason}; ${b.reason}` };
}

/**
 * The coverage of one turn: what the agent declares, lowered by what the turn admits.
 *
 * @param override Only the channels that this turn collected worse. A channel left out keeps the declaration.
 * @throws RangeError when `override` claims more than the declaration: a turn may only lower.
 */
export function lowerCoverage(declared: EvidenceCoverage, override: Partial<EvidenceCoverage> = {}): EvidenceCoverage {
  const entries = EVIDENCE_CHANNELS.map((channel) => {
    const lowered = override[channel];
    if (lowered === undefined) return [channel, declared[channel]] as const;
    if (RANK[lowered.status] > RANK[declared[channel].status]) {
      throw new RangeError(
        `A turn claims ${lowered.status} coverage of "${channel}", but its agent declares ${declared[channel].status}. `
          + 'A turn may only lower coverage: declare it on the agent or leave the channel out.',
      );
    }
    return [channel, lowered] as const;
  });
  return Object.fromEntries(entries) as unknown as EvidenceCoverage;
}

/** The coverage of several turns seen as one scope: per channel the worst. */
export function foldCoverage(coverages: readonly EvidenceCoverage[]): EvidenceCoverage {
  return coverages.reduce(
    (folded, next) => Object.fromEntries(
      EVIDENCE_CHANNELS.map((channel) => [channel, worseEntry(folded[channel], next[channel])]),
    ) as unknown as EvidenceCoverage,
    completeEvidenceCoverage,
  );
}
