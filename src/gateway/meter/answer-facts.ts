import type { JsonObject } from '../../evidence/json.js';
import type { Usage } from '../../evidence/usage.js';

/** What an answer of a real service says of itself. What it has not said, or not in a way that can be trusted, is absent. */
export interface AnswerFacts {
  /** The model that answered, as the service names it. At most 200 characters, as every text here but a message. */
  readonly model?: string;
  /** The service's own name for the answer. */
  readonly messageId?: string;
  /** Tokens that the answer reports. Of an answer that was cut: what it had reported by then. */
  readonly usage?: Usage;
  /** Why the model stopped, in the vendor's word: `end_turn`, `tool_calls`, `MAX_TOKENS`, `completed`. */
  readonly stopReason?: string;
  readonly error?: AnswerError;
  /** The answer came to the end that its protocol marks. An answer that failed whole is complete; one that broke off is not. */
  readonly complete: boolean;
}

/** A failure that an answer tells of, as its body or in the middle of a stream. */
export interface AnswerError {
  /** The vendor's word for the kind. */
  readonly type?: string;
  /** At most 1000 characters. */
  readonly message?: string;
}

/**
 * `nothing` of the event tells anything new; `latest`: it tells all of the usage so far and nothing else, so that of several such events
 * the last one counts; `all`: anything may be in it.
 */
export type Weight = 'nothing' | 'latest' | 'all';

/** How the answers of one protocol are read. */
export interface Dialect {
  /** The facts after one event of a stream, or after a whole body. The same object when it tells nothing new. */
  read(facts: AnswerFacts, said: JsonObject): AnswerFacts;
  /** True for names of events that never carry usage. One that cannot be read is then no loss. */
  isWithoutUsage(event: string): boolean;
  /** How much of an event must be read, as far as a glance tells. The first event of an answer is read in any case. */
  weigh(event: Buffer, name: string | undefined): Weight;
  /** Usage comes in pieces that complete each other, so that a lost piece cannot be made up for by a later one. */
  readonly usageInPieces: boolean;
  /** A stream is whole when it says `[DONE]`, and not before. */
  readonly endsWithDone: boolean;
}
