export { compareReports } from './compare.js';
export { DOMAIN_EVENT_NAMES, STREAM_EVENT_NAMES, type DomainEventName } from './event-names.js';
export { SCENARIO_SCHEMA_NAMES, scenarioJsonSchema, type ScenarioSchemaName } from './json-schema.js';
export { readScenarios, type ScenarioLine } from './read-scenarios.js';
export {
  scenarioComparisonSchema, scenarioReportSchema, scenarioResultSchema, scenarioSummarySchema,
  type ModelUsage, type ScenarioComparison, type ScenarioReport, type ScenarioResult, type ScenarioSummary,
} from './result.js';
export { expectedSchema, scenarioSchema, type ApprovalPolicy, type ExpectedOutcome, type SandboxPolicy, type Scenario } from './scenario.js';
