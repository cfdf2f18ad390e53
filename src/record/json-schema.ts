import { z } from 'zod';
import { spanSchema } from '../evidence/span.js';
import { attemptFileSchema, changesFileSchema, claimsFileSchema, eventLineSchema, runFileSchema } from './schema.js';

const SCHEMAS = { run: runFileSchema, attempt: attemptFileSchema, claims: claimsFileSchema, changes: changesFileSchema, events: eventLineSchema, trace: spanSchema } as const;

/** The files of a record that have a schema; `events` and `trace` are one line of theirs. */
export type RecordFileName = keyof typeof SCHEMAS;

/** All of them. */
export const RECORD_FILE_NAMES = Object.keys(SCHEMAS) as readonly RecordFileName[];

/** The JSON Schema (draft 2020-12) of a file as it is written now. Further fields may come; a reader leaves them alone. */
export function recordJsonSchema(name: RecordFileName): object {
  return { title: `niceeval.${name}`, ...z.toJSONSchema(SCHEMAS[name], { io: 'input', unrepresentable: 'any' }) };
}
