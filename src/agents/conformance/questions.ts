import type { InputRequest } from '../../evidence/events.js';
import type { Turn } from '../../evidence/turn.js';
import type { AgentContext, InputResponse } from '../agent.js';
import type { AgentSubject, Answer } from './agent-subject.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { differenceOf, show } from '../../sandbox/conformance/difference.js';
import { onStage } from './stage.js';

/** One message may ask for several things, one after the other. */
const MOST_ROUNDS = 8;

/** What an agent owes that can stop for a person. */
export function questionChecks<C extends AgentContext>(subject: AgentSubject<C>): readonly ConformanceCheck[] {
  const { waitingPrompt, answer = firstOption } = subject;
  if (waitingPrompt === undefined) return [];
  return [
    onStage(subject, 'says in a waiting turn what it waits for, and goes on when it is answered', async (stage) => {
      const session = stage.newSession();
      let { turn } = await stage.turnOf(session, { text: waitingPrompt });
      if (turn.status !== 'waiting') throw stage.fault(`the message ${show(waitingPrompt)}`, 'a waiting turn', `the status "${turn.status}"`);
      for (let round = 1; turn.status === 'waiting'; round += 1) {
        if (round > MOST_ROUNDS) throw stage.fault(`${MOST_ROUNDS} rounds of answers`, 'an end of the questions', 'one more waiting turn');
        const responses = requestsOf(turn).map((request): InputResponse => ({ request, ...answer(request) }));
        const asked = turn;
        ({ turn } = await stage.turnOf(session, { text: responses.map(({ optionId, text }) => optionId ?? text).join(', '), responses }));
        const again = turn.events.find((event) => event.type === 'input.requested' && requestsOf(asked).some((request) => request.id !== undefined && differenceOf(request, event.request) === undefined));
        if (again !== undefined) throw stage.fault('an answer to every request of a waiting turn', 'a turn that goes on from there', `the same request again: ${show(again)}`);
      }
    }),
  ];
}

/** The requests of a turn. */
function requestsOf({ events }: Turn): readonly InputRequest[] {
  return events.flatMap((event) => (event.type === 'input.requested' ? [event.request] : []));
}

function firstOption({ options }: InputRequest): Answer {
  const [first] = options ?? [];
  return first === undefined ? { text: 'yes' } : { optionId: first.id };
}
