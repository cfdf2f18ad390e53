import { messageOf, NiceEvalError } from '../lifetime/error.js';
import { AuthoringError } from '../plan/errors.js';
import { RecordAmbiguousError, RecordNotFoundError } from '../record/errors.js';
import { ReportInputError } from '../report/errors.js';
import { plainLine } from '../report/plain-text.js';
import { EngineUnavailableError } from '../sandbox/errors.js';
import { EXIT } from './exit-codes.js';

/** Tells an error on standard error and gives the exit code that fits it. */
export function failureCode(error: unknown): number {
  const lines = error instanceof AuthoringError ? error.problems : [messageOf(error)];
  for (const line of lines) process.stderr.write(`niceeval: ${plainLine(line)}\n`);
  if (!(error instanceof NiceEvalError) && error instanceof Error && error.stack !== undefined) process.stderr.write(`${error.stack}\n`);
  if (error instanceof AuthoringError || error instanceof RecordNotFoundError || error instanceof RecordAmbiguousError || error instanceof ReportInputError) return EXIT.usage;
  return error instanceof EngineUnavailableError ? EXIT.noEngine : EXIT.failed;
}
