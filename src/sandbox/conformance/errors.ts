import { NiceEvalError } from '../../lifetime/error.js';

/** Where a subject does not keep to what all of its kind owe. */
export interface ConformanceFacts {
  /** Whose check it was: the name of the subject. */
  readonly subject: string;
  readonly expected: string;
  /** What the subject was given, or asked to do, in words. */
  readonly input: string;
  readonly received: string;
}

/** A subject does not conform. Each suite has its own. */
export abstract class NonConformance extends NiceEvalError {
  constructor(readonly facts: ConformanceFacts, options?: ErrorOptions) {
    super(`${facts.subject} does not conform. Expected: ${facts.expected}. Input: ${facts.input}. Received: ${facts.received}.`, options);
  }
}

/** A backend does not conform. Thrown by `run` of a check. */
export class SandboxConformanceError extends NonConformance {
  readonly code = 'sandbox-conformance';
}
