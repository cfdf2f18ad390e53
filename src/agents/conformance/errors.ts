import { NiceEvalError } from '../../lifetime/error.js';

/** Where an adapter does not keep to what every adapter owes. */
export interface ConformanceFacts {
  /** Whose check it was: the name of the subject. */
  readonly subject: string;
  readonly expected: string;
  /** What the adapter was given, in words. */
  readonly input: string;
  readonly received: string;
}

/** An adapter does not conform. Thrown by `run` of a check. */
export class ConformanceError extends NiceEvalError {
  readonly code = 'adapter-conformance';
  constructor(readonly facts: ConformanceFacts, options?: ErrorOptions) {
    super(`${facts.subject} does not conform. Expected: ${facts.expected}. Input: ${facts.input}. Received: ${facts.received}.`, options);
  }
}
