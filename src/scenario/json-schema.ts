import { z } from 'zod';
import { scenarioComparisonSchema, scenarioReportSchema, scenarioResultSchema, scenarioSummarySchema } from './result.js';
import { scenarioSchema } from './scenario.js';

const SCHEMAS = {
  'scenario': scenarioSchema, 'scenario-result': scenarioResultSchema, 'scenario-summary': scenarioSummarySchema, 'scenario-report': scenarioReportSchema, 'scenario-comparison': scenarioComparisonSchema,
} as const;

/** What of scenarios has a schema; `scenario` and `scenario-result` are one line of a file. */
export type ScenarioSchemaName = keyof typeof SCHEMAS;

/** The JSON Schema (draft 2020-12) of what scenarios are read from and written to. `readOnly`, which zod says of lists, would mean that nobody may write them. */
export function scenarioJsonSchema(name: ScenarioSchemaName): object {
  return { title: `niceeval.${name}`, ...z.toJSONSchema(SCHEMAS[name], { io: 'input', unrepresentable: 'any', override: ({ jsonSchema }) => { delete jsonSchema.readOnly; } }) };
}

/** All of them. */
export const SCENARIO_SCHEMA_NAMES = Object.keys(SCHEMAS) as readonly ScenarioSchemaName[];
