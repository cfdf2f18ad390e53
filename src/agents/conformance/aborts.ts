import type { AgentContext } from '../agent.js';
import { isAgentSendError } from '../errors.js';
import type { AgentSubject } from './agent-subject.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { show } from '../../sandbox/conformance/difference.js';
import { turnProblem } from './fits.js';
import { onStage, type Outcome, type SendOptions, type Stage } from './stage.js';

const ABORT_LIMIT_MS = 20_000;
/** A long task is at work after this, should the agent store no raw output. */
const AT_WORK_MS = 1_000;

/** What an agent owes when its time is up. */
export function abortChecks<C extends AgentContext>(subject: AgentSubject<C>): readonly ConformanceCheck[] {
  const { agent, prompt, longPrompt, abortLimitMs = ABORT_LIMIT_MS, sendLimitMs = 120_000 } = subject;
  const abortWith = async (stage: Stage, text: string, input: string, begin: (abort: () => void) => Pick<SendOptions, 'onRaw'>): Promise<void> => {
    const time = new AbortController();
    let tooLate: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      time.signal.addEventListener('abort', () => { tooLate = setTimeout(() => resolve(undefined), abortLimitMs); }, { once: true });
    });
    const options = begin(() => time.abort(new Error('the time of the conformance suite is up')));
    const sent = stage.send(stage.newSession(), { text }, { ...options, signal: time.signal, limitMs: sendLimitMs + abortLimitMs });
    sent.catch(() => undefined);
    const outcome = await Promise.race([sent, late]).finally(() => { clearTimeout(tooLate); });
    if (outcome === undefined) throw stage.fault(input, `a send that ends within ${abortLimitMs} ms of the abort`, 'nothing until then');
    expectCut(stage, input, outcome);
  };
  return [
    onStage(subject, 'does not complete a send whose signal is aborted already', (stage) =>
      abortWith(stage, prompt, `the message ${show(prompt)} with a signal that is aborted`, (abort) => { abort(); return {}; })),
    ...(agent.kind === 'direct' ? [] : [onStage(subject, 'does not complete a send that is aborted as its CLI is started', (stage) =>
      abortWith(stage, prompt, `the message ${show(prompt)}, aborted when the first place for raw output was opened`, (abort) => ({ onRaw: abort })))]),
    ...(longPrompt === undefined ? [] : [onStage(subject, 'ends soon when it is aborted at work', (stage) =>
      abortWith(stage, longPrompt, `the message ${show(longPrompt)}, aborted when the agent was at work`, (abort) => {
        const soon = setTimeout(abort, AT_WORK_MS);
        return { onRaw: (what) => {
          if (what === 'opened') return;
          clearTimeout(soon);
          abort();
        } };
      }))]),
  ];
}

function expectCut(stage: Stage, input: string, outcome: Outcome): void {
  if (outcome.kind === 'answered') {
    const status = (outcome.answer as { readonly status?: unknown } | undefined)?.status;
    if (status !== 'failed') throw stage.fault(input, 'a send that rejects, or a failed turn', `a turn with the status ${show(status)}`);
    return;
  }
  const seen = isAgentSendError(outcome.error) ? outcome.error.facts.turn : undefined;
  if (seen === undefined) return;
  const problem = turnProblem(seen) ?? (seen.status === 'failed' ? undefined : `its status is "${seen.status}"`);
  if (problem !== undefined) throw stage.fault(input, 'in the error, a failed turn with what was seen', problem, outcome.error);
}
