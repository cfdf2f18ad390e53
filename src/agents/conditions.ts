import type { Agent, AgentSettings } from './agent.js';

/** Under which conditions an agent is to work, whatever its own options say. */
export interface AgentConditions {
  /**
   * What it may ask a person, who is not there and refuses everything: `never`: nothing, and what would need leave is refused;
   * `on-request`: leave for what `writes` and `network` forbid; `always`: it must ask before every action.
   */
  readonly approvals: 'never' | 'on-request' | 'always';
  /** What the sandbox lets it write. The sandbox keeps to it; an agent that can say so to its CLI does. */
  readonly writes: 'anywhere' | 'workspace' | 'nothing';
  /** Whether the sandbox lets it out to other hosts than its model. */
  readonly network: boolean;
  /** Whether tool servers start: those of its options, and those that its workspace names. */
  readonly mcp: boolean;
  /** Whether hooks run: those of its options, and those that its workspace names. */
  readonly hooks: boolean;
  /** Is added to its system prompt. Absent: nothing. */
  readonly systemInstructions?: string;
  /** The part of the context window, from 0 to 1, at which the conversation is compacted. Absent: the agent's own. */
  readonly compactAt?: number;
  /** Pairs of a question and an answer, made up, that its session begins with. Absent: none. */
  readonly syntheticPairs?: number;
}

/**
 * The agent under conditions, or why it cannot keep to them. One that says nothing of conditions takes those that the sandbox alone
 * keeps: no more than that may be asked of it.
 */
export function agentUnder(agent: Agent, conditions: AgentConditions, settings: AgentSettings): Agent | string {
  if (agent.under !== undefined) return agent.under(conditions, settings);
  const asked = [
    ...(conditions.approvals === 'always' ? ['be made to ask before every action'] : []),
    ...(conditions.systemInstructions === undefined ? [] : ['be given system instructions']),
    ...(conditions.compactAt === undefined ? [] : ['be told when to compact']),
    ...(conditions.syntheticPairs === undefined ? [] : ['be given a made-up history']),
  ];
  return asked.length === 0 ? agent : `the agent "${agent.name}" cannot ${asked.join(', nor ')}`;
}
