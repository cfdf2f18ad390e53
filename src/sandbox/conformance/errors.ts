import { NiceEvalError } from '../../lifetime/error.js';

/** Where a backend does not keep to what every backend owes. */
export interface SandboxConformanceFacts {
  /** Whose check it was: the name of the subject. */
  readonly subject: string;
  readonly expected: string;
  /** What the backend was asked to do, in words. */
  readonly input: string;
  readonly received: string;
}

/** A backend does not conform. Thrown by `run` of a check. */
export class SandboxConformanceError extends NiceEvalError {
  readonly code = 'sandbox-conformance';
  constructor(readonly facts: SandboxConformanceFacts, options?: ErrorOptions) {
    super(`${facts.subject} does not conform. Expected: ${facts.expected}. Input: ${facts.input}. Received: ${facts.received}.`, options);
  }
}
