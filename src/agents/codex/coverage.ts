import type { EvidenceCoverage } from '../../evidence/coverage.js';
import { createCoverageGaps, lowerByDamage, lowerByUnknownTools, nothingCovered, type RecordFacts } from '../coverage-gaps.js';

/** What the record of one process consists of, as far as coverage goes. */
export interface CoverageFacts extends RecordFacts {
  readonly surface: 'exec' | 'app-server';
  /** The rollout of the thread was read. */
  readonly rollout: boolean;
  readonly stdout: boolean;
  readonly searchedWeb: boolean;
  /** Scripts ran whose refused calls leave no record (rollout only). */
  readonly codeMode: boolean;
  /** Threads that the rollouts name and that have no file. */
  readonly missingThreads: readonly string[];
}

const COLLECT = 'collect $CODEX_HOME/sessions as well';

/** The channels that this record cannot fully vouch for, each with what is missing and what would help. */
export function coverageOf(facts: CoverageFacts): Partial<EvidenceCoverage> {
  if (facts.ending.kind === 'nothing') return nothingCovered(facts.ending.reason);
  const gaps = createCoverageGaps();
  const { lower } = gaps;
  lowerByDamage(gaps, facts, ['events', 'actions']);
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
  lowerByUnknownTools(gaps, facts.unknownTools);
  if (!facts.promptKnown) lower(['messages'], `stdout does not state the prompt: ${COLLECT}`);
  if (facts.usageGap !== undefined) lower(['usage'], facts.usageGap);
  return gaps.coverage(facts.usageKnown);
}
