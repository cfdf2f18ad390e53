import type { EvidenceCoverage } from '../../evidence/coverage.js';
import { createCoverageGaps, lowerByDamage, lowerByUnknownTools, nothingCovered, type RecordFacts } from '../coverage-gaps.js';

/** What the record of one process consists of, as far as coverage goes. */
export interface CoverageFacts extends RecordFacts {
  readonly stdout: boolean;
  /** The main session file was read. */
  readonly session: boolean;
  readonly delegated: boolean;
  /** A subagent delegated in turn: stdout shows such calls of the second level and deeper in no form. */
  readonly nestedDelegation: boolean;
  /** Subagents that the record names and whose files were not read. */
  readonly missingAgents: readonly string[];
  readonly missingSpills: readonly string[];
  /** Only the final result object was printed (`--output-format json`). */
  readonly resultOnly: boolean;
}

const COLLECT = 'collect ~/.claude/projects as well';

/**
 * The channels that this record cannot fully vouch for, each with what is missing and what would help. Events count as
 * complete with stdout and all session files; CLAUDE.md texts and date reminders, which the CLI writes to no record
 * and which are files of the workspace, are not waited for.
 */
export function coverageOf(facts: CoverageFacts): Partial<EvidenceCoverage> {
  if (facts.ending.kind === 'nothing') return nothingCovered(facts.ending.reason);
  const gaps = createCoverageGaps();
  const { lower } = gaps;
  lowerByDamage(gaps, facts, ['events']);
  if (facts.resultOnly) {
    lower(['events', 'actions', 'messages'], 'only the final result object was printed: run the CLI with --output-format stream-json --verbose');
  } else if (!facts.session) {
    lower(['events'], `stdout leaves out injected context, skills started by slash command and the words of foreground subagents: ${COLLECT}`);
    if (facts.nestedDelegation) lower(['actions'], `a subagent delegated again, and stdout does not show the calls below it: ${COLLECT}`);
    if (facts.delegated) lower(['messages'], `stdout leaves out the words of foreground subagents: ${COLLECT}`);
  } else if (facts.missingAgents.length > 0) {
    const files = facts.missingAgents.map((id) => `subagents/agent-${id}.jsonl`).join(', ');
    lower(['events', 'messages'], `the session has no ${files}`);
    if (facts.nestedDelegation || !facts.stdout) lower(['actions'], `the session has no ${files}`);
  }
  if (!facts.stdout) {
    lower(['events'], 'without stdout there are no retries, questions or ends of background work: store stdout as well');
    lower(['status', 'usage'], 'a session file does not tell how the run ended or what it cost: store stdout as well');
  }
  if (!facts.promptKnown) lower(['messages'], `stdout does not state the prompt: ${COLLECT}`);
  lowerByUnknownTools(gaps, facts.unknownTools);
  if (facts.missingSpills.length > 0) {
    lower(['data'], `the rest of a long tool output lies in ${facts.missingSpills.map((name) => `tool-results/${name}`).join(', ')}, which was not collected`);
  }
  if (facts.usageGap !== undefined) lower(['usage'], facts.usageGap);
  return gaps.coverage(facts.usageKnown);
}
