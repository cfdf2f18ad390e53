import { createMatch, isThenable, MATCHED, mismatch, show, type MatchOutcome, type ValueMatch } from './match.js';

/** The part of Standard Schema v1 (standardschema.dev) that is needed; zod, valibot and arktype schemas have it. */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

interface StandardResult {
  readonly issues?: readonly { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined }[] | undefined;
}

/**
 * A value that a schema accepts. What the schema would make of it is not looked at. A schema that throws makes the claim
 * errored.
 *
 * @param schema Any Standard Schema v1.
 * @throws TypeError when it is none.
 */
export function matches(schema: StandardSchema): ValueMatch {
  const standard = (schema as Partial<StandardSchema> | null | undefined)?.['~standard'];
  if (standard?.version !== 1 || typeof standard.validate !== 'function') {
    throw new TypeError('matches() needs a schema by Standard Schema v1, for instance z.object({...}) of zod. For a regular expression use pattern().');
  }
  const description = `matches the ${standard.vendor} schema`;
  const judged = (value: unknown, { issues }: StandardResult): MatchOutcome => {
    const [first] = issues ?? [];
    if (issues === undefined) return MATCHED;
    const path = (first?.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
    const further = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    return mismatch(`${description}: ${first?.message ?? 'refused'}${further}`, at(value, path), `/${path.join('/')}`);
  };
  return createMatch({
    domain: 'value',
    description,
    evaluate: (value: unknown) => {
      const result: unknown = standard.validate(value);
      // Promises of other libraries are none of ours.
      if (isThenable(result)) return Promise.resolve(result).then((settled: unknown) => judged(value, checkedResult(settled)));
      return judged(value, checkedResult(result));
    },
  });
}

function checkedResult(result: unknown): StandardResult {
  const issues = (result as StandardResult | null | undefined)?.issues;
  if (typeof result === 'object' && result !== null && (issues === undefined ? 'value' in result : Array.isArray(issues))) return result;
  throw new TypeError(`The schema answered ${show(result)}. By Standard Schema it answers { value } or { issues }.`);
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[key] : undefined), value);
}
