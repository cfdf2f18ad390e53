import type { AnswerFacts } from './meter/answer-facts.js';
import type { OpenExchange } from './open-exchange.js';

/** Notes what an answer says of itself. */
export function noteFacts({ notes }: OpenExchange, { model, usage, stopReason, error }: AnswerFacts): void {
  if (model !== undefined) notes.model = model;
  if (usage !== undefined) notes.usage = usage;
  if (stopReason !== undefined) notes.stopReason = stopReason;
  if (error?.type !== undefined) notes.errorType = error.type;
}
