import { NiceEvalError } from '../lifetime/error.js';

/** Something an author or a caller must mend before anything can start. */
export class AuthoringError extends NiceEvalError {
  readonly code = 'authoring';
  /** @param problems One line each: file, field and remedy. */
  constructor(readonly problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
  }
}
