import { NiceEvalError } from '../lifetime/error.js';
import type { ModelTrouble } from './session-meter.js';

/** The model could not be asked, so that nothing is learnt about the agent from what it did without. */
export class ModelTroubleError extends NiceEvalError {
  constructor(readonly code: 'gateway-gone' | 'gateway-fault' | 'gateway-upstream' | 'cassette-lacks' | 'model-key', message: string) {
    super(message);
  }
}

/**
 * Whether a window says nothing about its agent because of its model: always where a cassette lacks a request or the gateway broke; where a
 * service could not be asked, if the agent came to nothing or nothing that it asked later was answered. `undefined`: it stands as it is.
 */
export function troubleOf(trouble: ModelTrouble | undefined, { cameToNothing }: { readonly cameToNothing: boolean }): ModelTroubleError | undefined {
  switch (trouble?.outcome) {
    case undefined:
    case 'over-budget':
      return undefined;
    case 'gone':
      return new ModelTroubleError('gateway-gone', `The model could not be asked: ${trouble.detail}.`);
    case 'failed':
      return new ModelTroubleError('gateway-fault', `The model could not be asked: ${trouble.detail}.`);
    case 'cassette-lacks':
      return new ModelTroubleError('cassette-lacks', trouble.detail);
    case 'upstream-missing':
      return cameToNothing || trouble.isLast ? new ModelTroubleError('model-key', trouble.detail) : undefined;
    case 'upstream-failed':
      return cameToNothing || trouble.isLast ? new ModelTroubleError('gateway-upstream', trouble.detail) : undefined;
  }
}
