import { NiceEvalError } from '../lifetime/error.js';

/** What is on disk could not be read, so nothing can be said about changes. */
export class WorkspaceScanError extends NiceEvalError {
  readonly code = 'workspace-scan';
  constructor(readonly root: string, detail: string, options?: ErrorOptions) {
    super(`The state of ${root} could not be read: ${detail}`, options);
  }
}
