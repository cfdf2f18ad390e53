import { NiceEvalError } from '../lifetime/error.js';

/** A definition that cannot be used: which field, and what to do. */
export class DefinitionError extends NiceEvalError {
  readonly code = 'definition';
}
