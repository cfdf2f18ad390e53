import { NiceEvalError } from '../lifetime/error.js';

/** Today's eval sends something else than what was recorded, so the record does not tell what the agent would have done. */
export class RegradeMismatchError extends NiceEvalError {
  readonly code = 'regrade-mismatch';
}

/** The working directory cannot be put together again from what was recorded. */
export class RestoreError extends NiceEvalError {
  readonly code = 'regrade-restore';
}
