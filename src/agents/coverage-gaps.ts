import type { EvidenceChannel, EvidenceCoverage } from '../evidence/coverage.js';
import type { TranscriptEnding } from './transcript.js';

/** What may be wrong with a record of any CLI. */
export interface RecordFacts {
  readonly ending: TranscriptEnding;
  readonly unknownTools: readonly string[];
  readonly unknownPieces: number;
  readonly unreadableLines: number;
  /** The harness or a witness tells the prompt. */
  readonly promptKnown: boolean;
  readonly usageGap: string | undefined;
  readonly usageKnown: boolean;
}

/** Collects why channels are not complete, several reasons for one channel included. */
export interface CoverageGaps {
  lower(channels: readonly EvidenceChannel[], reason: string): void;
  /** The channels that were lowered. `usageKnown: false` makes usage unavailable rather than partial. */
  coverage(usageKnown: boolean): Partial<EvidenceCoverage>;
}

/** Creates gaps that hold none. */
export function createCoverageGaps(): CoverageGaps {
  const reasons = new Map<EvidenceChannel, string[]>();
  return {
    lower(channels, reason) {
      for (const channel of channels) reasons.set(channel, [...(reasons.get(channel) ?? []), reason]);
    },
    coverage: (usageKnown) => Object.fromEntries([...reasons].map(([channel, why]) => [
      channel,
      { status: channel === 'usage' && !usageKnown ? 'unavailable' : 'partial', reason: why.join('; ') },
    ])),
  };
}

/** The coverage of a record of which nothing was understood. */
export function nothingCovered(reason: string): EvidenceCoverage {
  const entry = { status: 'unavailable', reason } as const;
  return { events: entry, actions: entry, messages: entry, usage: entry, status: entry, data: entry };
}

/** Lowers what a missing end, unreadable lines and unknown pieces hurt. @param unknownHurts The channels that unknown pieces may belong to. */
export function lowerByDamage({ lower }: CoverageGaps, facts: RecordFacts, unknownHurts: readonly EvidenceChannel[]): void {
  const { ending, unreadableLines, unknownPieces } = facts;
  if (ending.kind === 'incomplete') {
    lower(['events', 'actions', 'messages', 'status', 'data'], `the record has no end (${ending.reason}); what came after its last line is not known`);
  }
  if (unreadableLines > 0) lower(['events', 'actions', 'messages'], `${unreadableLines} line${unreadableLines === 1 ? '' : 's'} could not be read`);
  if (unknownPieces > 0) {
    lower(unknownHurts, `${unknownPieces} piece${unknownPieces === 1 ? '' : 's'} of the record ${unknownPieces === 1 ? 'is' : 'are'} of a kind this parser does not know`);
  }
}

/** Lowers actions for tools of which nobody knows whether they run commands. */
export function lowerByUnknownTools({ lower }: CoverageGaps, tools: readonly string[]): void {
  if (tools.length > 0) lower(['actions'], `not known whether these tools run commands: ${tools.join(', ')}`);
}
