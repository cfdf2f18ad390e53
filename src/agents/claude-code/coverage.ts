import type { EvidenceChannel, EvidenceCoverage } from '../../evidence/coverage.js';
import type { TranscriptEnding } from '../transcript.js';

/** What the record of one process consists of, as far as coverage goes. */
export interface CoverageFacts {
  readonly ending: TranscriptEnding;
  readonly stdout: boolean;
  /** The main session file was read. */
  readonly session: boolean;
  readonly delegated: boolean;
  /** A subagent delegated in turn: stdout shows such calls of the second level and deeper in no form. */
  readonly nestedDelegation: boolean;
  /** Subagents that the record names and whose files were not read. */
  readonly missingAgents: readonly string[];
  readonly missingSpills: readonly string[];
  readonly unknownTools: readonly string[];
  readonly unknownPieces: number;
  readonly unreadableLines: number;
  /** Only the final result object was printed (`--output-format json`). */
  readonly resultOnly: boolean;
  /** The harness or a witness tells the prompt. */
  readonly promptKnown: boolean;
  readonly usageGap: string | undefined;
  readonly usageKnown: boolean;
}

const COLLECT = 'collect ~/.claude/projects as well';

/**
 * The channels that this record cannot fully vouch for, each with what is missing and what would help. Events count as
 * complete with stdout and all session files; CLAUDE.md texts and date reminders, which the CLI writes to no record
 * and which are files of the workspace, are not waited for.
 */
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
    lower(['events'], `${facts.unknownPieces} piece${facts.unknownPieces === 1 ? '' : 's'} of the record ${facts.unknownPieces === 1 ? 'is' : 'are'} of a kind this parser does not know`);
  }
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
  if (facts.unknownTools.length > 0) {
    lower(['actions'], `not known whether these tools run commands: ${facts.unknownTools.join(', ')}`);
  }
  if (facts.missingSpills.length > 0) {
    lower(['data'], `the rest of a long tool output lies in ${facts.missingSpills.map((name) => `tool-results/${name}`).join(', ')}, which was not collected`);
  }
  if (facts.usageGap !== undefined) lower(['usage'], facts.usageGap);
  return Object.fromEntries([...reasons].map(([channel, why]) => [
    channel,
    { status: channel === 'usage' && !facts.usageKnown ? 'unavailable' : 'partial', reason: why.join('; ') },
  ]));
}
