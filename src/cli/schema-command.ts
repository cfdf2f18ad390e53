import { RECORD_FILE_NAMES, recordJsonSchema, type RecordFileName } from '../record/json-schema.js';
import { EXIT } from './exit-codes.js';
import { say } from './output.js';

/** `niceeval schema`: the JSON Schema of one file of a record, or of each, by its name. */
export async function schemaCommand(name: RecordFileName | undefined): Promise<number> {
  const told = name === undefined ? Object.fromEntries(RECORD_FILE_NAMES.map((each) => [each, recordJsonSchema(each)])) : recordJsonSchema(name);
  await say(`${JSON.stringify(told, null, 2)}\n`);
  return EXIT.ok;
}
