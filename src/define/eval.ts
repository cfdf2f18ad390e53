import type { JsonValue } from '../evidence/json.js';
import type { SandboxSpec } from '../sandbox/sandbox.js';
import { brandDefinition, checkCount, checkJson, checkKeys, checkText } from './brand.js';
import type { TestContext } from './context.js';
import { DefinitionError } from './errors.js';

/** What {@link defineEval} takes. */
export interface EvalInput {
  readonly description?: string;
  /** For `--tag`. */
  readonly tags?: readonly string[];
  /** Kept in the record. JSON. */
  readonly metadata?: { readonly [key: string]: JsonValue };
  /** Milliseconds that one Attempt may take. Default: what the configuration says, else no limit. */
  readonly timeoutMs?: number;
  /** Where it runs. Default: what the experiment says, else the project's own sandbox image. */
  readonly sandbox?: SandboxSpec;
  /** The task and the claims. */
  readonly test: (t: TestContext) => Promise<void> | void;
}

/** An eval. Its id is its path below `evals/`. */
export type EvalDefinition = EvalInput;

const KEYS = ['description', 'tags', 'metadata', 'timeoutMs', 'sandbox', 'test'];

/**
 * Defines an eval: export it by default from `evals/<id>.eval.ts`.
 *
 * @throws DefinitionError for a missing `test`, an unknown field or a value of the wrong kind.
 */
export function defineEval(input: EvalInput): EvalDefinition {
  if (typeof input === 'object' && input !== null && 'id' in input) {
    throw new DefinitionError('defineEval takes no `id`: the id of an eval is its path below evals/. Rename the file instead.');
  }
  checkKeys('defineEval', input, KEYS);
  if (typeof input.test !== 'function') {
    throw new DefinitionError('defineEval: `test` is missing. Give it a function that sends the task and makes claims: `async test(t) { ... }`.');
  }
  checkText('defineEval', 'description', input.description);
  if (input.tags !== undefined && (!Array.isArray(input.tags) || input.tags.some((tag) => typeof tag !== 'string' || tag.trim() === ''))) {
    throw new DefinitionError('defineEval: `tags` must be a list of words.');
  }
  checkJson('defineEval', 'metadata', input.metadata);
  checkCount('defineEval', 'timeoutMs', input.timeoutMs);
  return brandDefinition('eval', input);
}
