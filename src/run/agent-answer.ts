import type { Agent, AgentSession, TurnInput } from '../agents/agent.js';
import { isAgentSendError } from '../agents/errors.js';
import { NiceEvalError } from '../lifetime/error.js';
import type { AgentContexts } from './agent-contexts.js';
import { AgentIgnoredEndError, AgentThrewError } from './attempt-error.js';
import { abortionOf, withinPatience } from './patience.js';

/** An adapter that does not watch its signal is left behind after this. */
const AGENT_END_LIMIT_MS = 20_000;

/**
 * What an agent answers to one send. One that does not come after the end of the Attempt's time is not waited for.
 *
 * @throws what the agent throws, AgentThrewError around what is no error of ours, AgentIgnoredEndError.
 */
export async function answerOf(agent: Agent, input: TurnInput, { contexts, session, signal, hasten }: { readonly contexts: AgentContexts; readonly session: AgentSession; readonly signal: AbortSignal; readonly hasten?: AbortSignal | undefined }): Promise<unknown> {
  const use = { session, signal };
  const answer = (async (): Promise<unknown> => (agent.kind === 'sandbox'
    ? agent.send(input, contexts.ofSandbox(session.ordinal, use))
    : agent.send(input, contexts.of(session.ordinal, use))))();
  await Promise.race([answer.catch(() => undefined), abortionOf(signal, answer).then(() => withinPatience(answer, AGENT_END_LIMIT_MS, hasten))]);
  const late = Symbol('late');
  try {
    const settled = await Promise.race([answer, new Promise<typeof late>((resolve) => { setImmediate(() => resolve(late)); })]);
    if (settled === late) throw new AgentIgnoredEndError(agent.name, AGENT_END_LIMIT_MS);
    return settled;
  } catch (error) {
    throw error instanceof NiceEvalError || isAgentSendError(error) || signal.aborted ? error : new AgentThrewError(agent.name, error);
  }
}
