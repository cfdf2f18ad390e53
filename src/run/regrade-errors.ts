import { NiceEvalError } from '../lifetime/error.js';
import type { AttemptError } from './result.js';

/** Today's eval sends something else than what was recorded, so the record does not tell what the agent would have done. */
export class RegradeMismatchError extends NiceEvalError {
  readonly code = 'regrade-mismatch';
}

/** A send that was recorded as broken breaks again. */
export class ReplayedSendError extends NiceEvalError {
  readonly code = 'agent-send-failed';
  constructor(readonly recorded: AttemptError) {
    super(recorded.message);
  }
}

/** The working directory cannot be put together again from what was recorded. */
export class RestoreError extends NiceEvalError {
  readonly code = 'regrade-restore';
}
