import { ImageError } from '../errors.js';
import { redactedBytes } from '../redactor.js';

const TAIL_CHARACTERS = 1_500;

/** What a command that failed ends its step with: the code, and the end of what it printed without the values of its environment, which may be secrets. */
export function stepFailure({ exitCode, output, env }: { readonly exitCode: number; readonly output: string; readonly env: Readonly<Record<string, string>> }): ImageError {
  const tail = Buffer.from(redactedBytes(Object.values(env), Buffer.from(output.trim()))).toString('utf8').slice(-TAIL_CHARACTERS);
  return new ImageError(`it ended with exit code ${exitCode}.${tail === '' ? ' It printed nothing.' : ` The end of what it printed: ${tail}`}`);
}
