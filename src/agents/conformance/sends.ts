import type { Turn } from '../../evidence/turn.js';
import type { AgentContext } from '../agent.js';
import type { AgentSubject } from './agent-subject.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { show } from '../../sandbox/conformance/difference.js';
import type { MemorySession } from './memory-session.js';
import { onStage, type Stage } from './stage.js';

/** What an agent owes for messages that it can do. */
export function sendChecks<C extends AgentContext>(subject: AgentSubject<C>): readonly ConformanceCheck[] {
  const { agent, prompt } = subject;
  const complete = async (stage: Stage, session: MemorySession): Promise<Turn> => {
    const { turn } = await stage.turnOf(session, { text: prompt });
    if (turn.status !== 'completed') throw stage.fault(`the message ${show(prompt)} in session ${session.ordinal}`, 'a completed turn', `the status "${turn.status}" and the events ${show(turn.events)}`);
    const ids = new Set(session.captured);
    if (ids.size > 1) throw stage.fault(`the message ${show(prompt)} in session ${session.ordinal}`, 'one session id from the first send on', `the ids ${[...ids].join(', ')}`);
    return turn;
  };
  return [
    onStage(subject, 'answers with a completed turn that only lowers coverage', async (stage) => {
      const { events } = await complete(stage, stage.newSession());
      const echo = events.find((event) => event.type === 'message' && event.role === 'user' && event.text === prompt);
      if (echo !== undefined) throw stage.fault(`the message ${show(prompt)}`, 'no event for the message itself, which the run tells', show(echo));
    }),
    onStage(subject, 'goes on with its session at the second send', async (stage) => {
      const session = stage.newSession();
      await complete(stage, session);
      await complete(stage, session);
    }),
    onStage(subject, 'keeps sessions apart', async (stage) => {
      const [one, other] = [stage.newSession(), stage.newSession()];
      await complete(stage, one);
      await complete(stage, other);
      if (one.id !== undefined && one.id === other.id) throw stage.fault('a send in each of two sessions', 'two session ids', `"${one.id}" for both`);
      await complete(stage, one);
    }),
    ...(agent.kind === 'direct' ? [] : [onStage(subject, 'has stored its raw output when it answers', async (stage) => {
      const input = `the message ${show(prompt)}`;
      const { raw } = await stage.turnOf(stage.newSession(), { text: prompt });
      if (raw.every(({ sizeBytes }) => sizeBytes === 0)) throw stage.fault(input, 'what the CLI printed, written to a place from ctx.openRaw', raw.length === 0 ? 'no place was opened' : 'not one byte was written');
      const open = raw.find(({ closed }) => !closed);
      if (open !== undefined) throw stage.fault(input, 'every place of raw output closed when the turn is over', `"${open.name}" was still open`);
    })]),
  ];
}
