import { NiceEvalError } from '../lifetime/error.js';

/** A judge was to be made from a configuration that says no judge. */
export class JudgeConfigError extends NiceEvalError {
  readonly code = 'judge-config';
  constructor(readonly problem: string) {
    super(`There is no judge for this configuration: ${problem}.`);
  }
}
