import { RECORD_FILE_NAMES, recordJsonSchema } from '../record/json-schema.js';
import { SCENARIO_SCHEMA_NAMES, scenarioJsonSchema } from '../scenario/json-schema.js';
import { EXIT } from './exit-codes.js';
import { say } from './output.js';

const SCHEMAS: ReadonlyMap<string, () => object> = new Map([
  ...RECORD_FILE_NAMES.map((name) => [name, () => recordJsonSchema(name)] as const),
  ...SCENARIO_SCHEMA_NAMES.map((name) => [name, () => scenarioJsonSchema(name)] as const),
]);

/** `niceeval schema`: the JSON Schema of one file of a record or of scenarios, or of each, by its name. */
export async function schemaCommand(name: string | undefined): Promise<number> {
  const told = name === undefined ? Object.fromEntries([...SCHEMAS].map(([each, schema]) => [each, schema()])) : SCHEMAS.get(name)?.();
  await say(`${JSON.stringify(told, null, 2)}\n`);
  return EXIT.ok;
}
