import { isThenable, show } from '../../expect/match.js';
import { messageOf } from '../../lifetime/error.js';
import { DefinitionError } from '../errors.js';

/** The part of Standard Schema v1 (standardschema.dev) that is needed to read a value; zod, valibot and arktype schemas have it. */
export interface DecodingSchema<T> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaAnswer<T> | Promise<SchemaAnswer<T>>;
  };
}

type SchemaAnswer<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What turns data of a file into a value with a type: a function that throws for what does not fit, or a schema by Standard Schema v1. */
export type DataDecoder<T> = ((value: unknown) => T) | DecodingSchema<T>;

/** A decoder that says something of the data: one that gives `unknown` or `any` checks nothing. */
export type TellingDecoder<T> = DataDecoder<T> & (unknown extends T ? 'the decoder gives `unknown`: let it check the data and give it a type' : unknown);

/** @throws DefinitionError for what is no decoder. Called before the file is read. */
export function checkDecoder(loader: string, decoder: unknown): void {
  if (typeof decoder === 'function' || isSchema(decoder)) return;
  throw new DefinitionError(`${loader} needs a decoder: a function that checks the data and returns it, or a schema, for instance z.object({ ... }) of zod.`);
}

/**
 * @param where Names the data in messages: the call, and the line where there are many.
 * @throws DefinitionError with the path of what does not fit.
 */
export function decoded<T>(decoder: DataDecoder<T>, value: unknown, where: string): T {
  try {
    // A schema may be a function as well; then it is not to be called.
    const answer: unknown = isSchema(decoder) ? decoder['~standard'].validate(value) : decoder(value);
    if (isThenable(answer)) {
      answer.then(undefined, () => undefined);
      throw new DefinitionError(`${where}: the decoder answered a promise. It must answer at once.`);
    }
    return isSchema(decoder) ? valueOf(answer as SchemaAnswer<T>, where) : answer as T;
  } catch (error) {
    throw error instanceof DefinitionError ? error : new DefinitionError(`${where}: the decoder refused the data: ${oneLine(messageOf(error))}`, { cause: error });
  }
}

function isSchema(decoder: unknown): decoder is DecodingSchema<unknown> {
  const standard = (decoder as Partial<DecodingSchema<unknown>> | null | undefined)?.['~standard'];
  return standard?.version === 1 && typeof standard.validate === 'function';
}

function valueOf<T>(answer: SchemaAnswer<T>, where: string): T {
  if (typeof answer !== 'object' || answer === null) throw new DefinitionError(`${where}: the schema answered ${show(answer)}. By Standard Schema it answers { value } or { issues }.`);
  if (answer.issues === undefined) return answer.value;
  const [first] = answer.issues;
  const path = (first?.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
  const further = answer.issues.length > 1 ? ` (and ${answer.issues.length - 1} more)` : '';
  throw new DefinitionError(`${where}: at ${path.length === 0 ? 'the top' : `"${path.join('.')}"`}: ${oneLine(first?.message ?? 'refused')}${further}`);
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}
