import type { Agent, AgentSession, TurnInput } from '../agents/agent.js';
import { isAgentSendError } from '../agents/errors.js';
import type { Turn } from '../evidence/turn.js';
import { messageOf } from '../lifetime/error.js';
import { answerOf } from './agent-answer.js';
import type { AgentContexts } from './agent-contexts.js';
import { checkedTurn } from './checked-turn.js';
import { nothingSeen } from './evidence-log.js';
import type { ModelLease } from './model-lease.js';
import { ModelTroubleError, troubleOf } from './model-trouble.js';
import type { TurnRecord } from './result.js';

/** One send, and who takes part in it. */
export interface TurnSeat {
  readonly agent: Agent;
  readonly input: TurnInput;
  readonly session: AgentSession;
  /** Opens the window at the gateway and gives the agent what it needs. */
  readonly contexts: () => Promise<AgentContexts>;
  /** Absent: the agent asks no model by the gateway. */
  readonly model: ModelLease | undefined;
  /** Label of the window. */
  readonly label: string;
  readonly conversation: string;
  /** The time of the Attempt. */
  readonly signal: AbortSignal;
  readonly hasten: AbortSignal | undefined;
  /** Keeps what was seen of the turn, once. @throws RangeError when it claims more than its agent can see. */
  readonly seen: (turn: Turn, failure?: TurnRecord['failure']) => TurnRecord;
}

/**
 * What a send came to. What was seen is kept however it ended. A turn that ended for want of money is a failed one, and no error: what its
 * agent did until then can be judged.
 *
 * @throws what the agent throws, ModelTroubleError when its model could not be asked.
 */
export async function answeredTurn({ agent, input, session, contexts, model, label, conversation, signal, hasten, seen }: TurnSeat): Promise<TurnRecord> {
  try {
    const turn = checkedTurn(agent, await answerOf(agent, input, { contexts: await contexts(), session, signal, hasten }));
    await model?.settle(label, conversation);
    const record = seen(turn);
    const trouble = troubleOf(model?.troubleIn(label), { cameToNothing: record.status === 'failed' });
    if (trouble !== undefined) throw trouble;
    return record;
  } catch (error) {
    if (error instanceof ModelTroubleError) throw error; // The turn is told already.
    await model?.settle(label, conversation);
    const trouble = model?.troubleIn(label);
    const isSpent = trouble?.outcome === 'over-budget' && isAgentSendError(error) && !signal.aborted;
    const kind = isAgentSendError(error) ? error.facts.kind : 'broken';
    const failure = isSpent ? { kind: 'over-budget', message: trouble.detail } as const : { kind, message: messageOf(error) };
    const record = told(seen, isAgentSendError(error) ? error.facts.turn : undefined, failure);
    if (isSpent) return record;
    throw signal.aborted ? error : troubleOf(trouble, { cameToNothing: true }) ?? error;
  }
}

function told(seen: TurnSeat['seen'], turn: Turn = nothingSeen, failure: TurnRecord['failure']): TurnRecord {
  try {
    return seen(turn, failure);
  } catch {
    return seen(nothingSeen, failure); // What it claims to have seen cannot be: it is better than its agent can.
  }
}
