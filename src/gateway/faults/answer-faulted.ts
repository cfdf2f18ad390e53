import { AnswerCutError } from '../errors.js';
import type { ExchangeOutcome } from '../exchange.js';
import { tell, type AdmittedRequest } from '../serve.js';
import { untilAborted } from '../until-aborted.js';
import type { DrawnFault } from './draw-fault.js';
import { faultKindOf } from './fault-plan.js';
import { spoiltOutlet } from './spoilt-outlet.js';

/** Outcomes of an answer that came from a model, or from what stands for one. */
const ANSWERED: readonly (ExchangeOutcome | undefined)[] = ['played', 'side', 'forwarded', 'replayed'];

/** Answers a request that meets a fault. @param answer How it is answered otherwise. */
export async function answerFaulted(admitted: AdmittedRequest, { number, rule }: DrawnFault, answer: (admitted: AdmittedRequest) => Promise<void>): Promise<void> {
  const { request, outlet, exchange, requestId, route: { wire } } = admitted;
  const { notes, signal } = exchange;
  const note = (): void => { notes.fault = { rule: number, kind: faultKindOf(rule) }; };
  if ('status' in rule) {
    note();
    request.resume();
    return tell(admitted, 'faulted', wire.failure(rule, requestId));
  }
  if ('stall' in rule && rule.stall === true) {
    note();
    request.resume();
    return untilAborted(signal);
  }
  if ('cut' in rule && rule.cut === 'before-head') {
    note();
    notes.outcome = 'faulted';
    return outlet.cut();
  }
  const spoilt = new AbortController();
  const onSpoilt = (): void => {
    note();
    if (!('trickle' in rule)) spoilt.abort();
  };
  try {
    await answer({ ...admitted, outlet: spoiltOutlet(outlet, { fault: rule, signal, onSpoilt }), spoilt: spoilt.signal });
  } catch (error) {
    if (!(error instanceof AnswerCutError)) throw error;
  }
  if (notes.fault !== undefined && ANSWERED.includes(notes.outcome)) notes.outcome = 'faulted';
}
