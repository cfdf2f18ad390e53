import { NiceEvalError } from '../lifetime/error.js';

/** There is no run or Attempt of this name. */
export class RecordNotFoundError extends NiceEvalError {
  readonly code = 'record-not-found';
}

/** A name fits more than one. */
export class RecordAmbiguousError extends NiceEvalError {
  readonly code = 'record-ambiguous';
  /** @param fitting What fits, each as it may be asked for. */
  constructor(message: string, readonly fitting: readonly string[], options?: ErrorOptions) {
    super(message, options);
  }
}
