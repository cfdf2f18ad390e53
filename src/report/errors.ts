import { NiceEvalError } from '../lifetime/error.js';

/** What a report was to be made with is not what it must be. */
export class ReportInputError extends NiceEvalError {
  readonly code = 'report-input';
}
