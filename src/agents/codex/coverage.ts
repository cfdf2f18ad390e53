import type { EvidenceChannel, EvidenceCoverage } from '../../evidence/coverage.js';
import type { TranscriptEnding } from '../transcript.js';

/** What the record of one process consists of, as far as coverage goes. */
export interface CoverageFacts {
  readonly ending: TranscriptEnding;
  readonly surface: 'exec' | 'app-server';
  /** The rollout of the thread was read. */
  readonly rollout: boolean;
  readonly stdout: boolean;
  readonly searchedWeb: boolean;
  /** Scripts ran whose refused calls leave no record (rollout only). */
  readonly codeMode: boolean;
  /** Threads that the rollouts name and that have no file. */
  readonly missingThreads: readonly string[];
  readonly unknownTools: readonly string[];
  readonly unknownPieces: number;
  readonly unreadableLines: number;
  readonly promptKnown: boolean;
  readonly usageGap: string | undefined;
  readonly usageKnown: boolean;
}

const COLLECT = 'collect $CODEX_HOME/sessions as well';

/** The channels that this record cannot fully vouch for, each with what is missing and what would help. */
export function coverageOf(facts: CoverageFacts): Partial<EvidenceCoverage> {
  const reasons = new Map<EvidenceChannel, string[]>();
  const lower = (channels: readonly EvidenceChannel[], reason: string): void => {
    for (const channel of channels) reasons.set(channel, [...(reasons.get(channel) ?? []), reason]);
  };
  if (facts.ending.kind === 'nothing') {
    const entry = { status: 'unavailable', reason: facts.ending.reason } as const;
    return { events: entry, actions: entry, messages: entry, usage: entry, status: entry, data: entry };
  }
  if (facts.ending.kind === 'incomplete') {
    lower(['events', 'actions', 'messages', 'status', 'data'], `the record has no end (${facts.ending.reason}); what came after its last line is not known`);
  }
  if (facts.unreadableLines > 0) {
    lower(['events', 'actions', 'messages'], `${facts.unreadableLines} line${facts.unreadableLines === 1 ? '' : 's'} could not be read`);
  }
  if (facts.unknownPieces > 0) {
    lower(['events', 'actions'], `${facts.unknownPieces} piece${facts.unknownPieces === 1 ? '' : 's'} of the record ${facts.unknownPieces === 1 ? 'is' : 'are'} of a kind this parser does not know`);
  }
  if (!facts.rollout && facts.surface === 'app-server') {
    lower(['events'], `app-server leaves out calls that policy refused, injected context and skills: ${COLLECT}`);
    lower(['actions'], `app-server leaves out calls that policy refused or that failed before they started, and typing into live sessions: ${COLLECT}`);
  } else if (!facts.rollout) {
    lower(['events'], `stdout leaves out refused calls, compaction, injected context, skills and subagents: ${COLLECT}`);
    lower(['actions'], `stdout leaves out calls that were refused or failed before they started, typing into live sessions and the calls of subagents: ${COLLECT}`);
    if (facts.searchedWeb) lower(['actions'], 'stdout does not say whether a web search failed');
  } else {
    if (facts.codeMode) lower(['events', 'actions'], 'calls that were refused inside a code-mode script are recorded nowhere but in the script\'s text: read the OTLP logs for them');
    if (facts.missingThreads.length > 0) lower(['events', 'actions', 'messages', 'usage'], `no rollout file for the threads ${facts.missingThreads.join(', ')}`);
  }
  if (facts.unknownTools.length > 0) lower(['actions'], `not known whether these tools run commands: ${facts.unknownTools.join(', ')}`);
  if (!facts.promptKnown) lower(['messages'], `stdout does not state the prompt: ${COLLECT}`);
  if (facts.usageGap !== undefined) lower(['usage'], facts.usageGap);
  return Object.fromEntries([...reasons].map(([channel, why]) => [
    channel,
    { status: channel === 'usage' && !facts.usageKnown ? 'unavailable' : 'partial', reason: why.join('; ') },
  ]));
}
