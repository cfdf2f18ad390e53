import { lowerCoverage, type EvidenceCoverage } from '../evidence/coverage.js';
import { turnSchema, type Turn } from '../evidence/turn.js';
import { messageOf, NiceEvalError } from '../lifetime/error.js';

/** An agent answered a send with something that is no turn. */
export class AgentTurnError extends NiceEvalError {
  readonly code = 'agent-turn';
  constructor(readonly agent: string, detail: string) {
    super(`The agent "${agent}" answered with something that is no turn: ${detail}. A turn is {status, events, data?, usage?, evidenceCoverage?}.`);
  }
}

/**
 * Lets a turn in. Agents are code of strangers: what is not a turn must not become evidence, and a turn cannot have been
 * seen better than its agent can see.
 *
 * @throws AgentTurnError naming the first place that does not fit.
 */
export function checkedTurn({ name: agent, evidenceCoverage }: { readonly name: string; readonly evidenceCoverage: EvidenceCoverage }, answer: unknown): Turn {
  try {
    JSON.stringify(answer); // A cycle or a getter that throws cannot be recorded.
  } catch (error) {
    throw new AgentTurnError(agent, `it is not JSON: ${messageOf(error).split('\n')[0]}`);
  }
  const read = turnSchema.safeParse(answer);
  if (read.success) {
    try {
      lowerCoverage(evidenceCoverage, read.data.evidenceCoverage);
    } catch (error) {
      throw new AgentTurnError(agent, messageOf(error));
    }
    return read.data;
  }
  const issue = read.error.issues[0];
  const place = issue === undefined || issue.path.length === 0 ? 'the answer' : issue.path.join('.');
  throw new AgentTurnError(agent, `${place}: ${issue?.message ?? 'it does not fit'}`);
}
