import { z } from 'zod';

const count = z.number().int().nonnegative();

const modelUsageSchema = z.object({
  request_count: count.exactOptional().describe('Requests to the model. Absent: nobody counted them.'),
  input_tokens: count.exactOptional().describe('Input tokens that missed the cache.'),
  output_tokens: count.exactOptional(),
  cache_creation_input_tokens: count.exactOptional().describe('Input tokens that were written to the cache. Absent: not told.'),
  cache_read_input_tokens: count.exactOptional().describe('Input tokens that were read from the cache. Absent: not told.'),
}).describe('What the agent used. Figures that nobody tells are absent, never 0.');

/** What a model was asked and gave. */
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** Accepts a {@link ScenarioResult}. Further fields may come. */
export const scenarioResultSchema = z.object({
  scenario_id: z.string(),
  profile: z.string().describe('The profile that was used.'),
  passed: z.boolean(),
  failures: z.array(z.string()).describe('One text for each expectation that was not met: its name, what was expected, what was seen.'),
  error: z.string().exactOptional().describe('Why the scenario did not come to its end.'),
  elapsed_ms: count.describe('Milliseconds that the agent took for all messages together.'),
  assistant_response: z.string().exactOptional().describe('The last reply.'),
  event_types: z.array(z.string()).describe('What happened, in order.'),
  tool_invocations: count,
  tool_failures: count.describe('Refused uses of tools are not among them.'),
  context_input_tokens: count.exactOptional().describe('Input tokens of the last request to the model.'),
  context_window: count.exactOptional().describe('How many tokens the model has room for, where the agent tells.'),
  model_usage: modelUsageSchema.exactOptional(),
  trace: z.array(z.record(z.string(), z.unknown())).exactOptional().describe('All events, each with the number of its turn. Only with --include-trace.'),
  turns_count: count.describe('Messages that the agent gave.'),
  trajectory_actions: z.array(z.string()).describe('Ids of the tools that were used, in order.'),
  trajectory_step_count: count,
  mcp_enabled: z.boolean().exactOptional().describe('Whether tool servers were let start.'),
  hooks_enabled: z.boolean().exactOptional().describe('Whether hooks were let run.'),
  attempt: z.string().exactOptional().describe('The id of its Attempt in the record.'),
});

/** What one scenario came to: one line. */
export type ScenarioResult = z.infer<typeof scenarioResultSchema>;

/** Accepts a {@link ScenarioSummary}. */
export const scenarioSummarySchema = z.object({
  total: count.describe('Scenarios that have a line.'),
  passed: count,
  failed: count,
  success_rate: z.number().min(0).max(1).describe('passed / total; 0 when there is none.'),
  total_elapsed_ms: count,
  avg_elapsed_ms: z.number().nonnegative().describe('0 when there is none.'),
  total_tool_invocations: count,
  total_tool_failures: count,
  total_context_input_tokens: count.exactOptional().describe('Of the scenarios that tell. Absent: none does.'),
  total_model_usage: modelUsageSchema.exactOptional().describe('Of the scenarios that tell. Absent: none does.'),
});

/** The figures of all scenarios of a run. */
export type ScenarioSummary = z.infer<typeof scenarioSummarySchema>;

/** Accepts a {@link ScenarioReport}. */
export const scenarioReportSchema = z.object({ summary: scenarioSummarySchema, results: z.array(scenarioResultSchema) });

/** A run of scenarios in one file. */
export type ScenarioReport = z.infer<typeof scenarioReportSchema>;

const changeSchema = z.object({ scenario_id: z.string(), kind: z.string().describe('passed_to_failed, failed_to_passed, slower_by_N%, faster_by_N% or more_tokens_N%.') });

/** Accepts a {@link ScenarioComparison}. */
export const scenarioComparisonSchema = z.object({
  pass_rate_delta: z.number().describe('The candidate\'s success rate less the baseline\'s.'),
  avg_elapsed_delta_ms: z.number(),
  total_token_delta: z.number().int().nullable().describe('Context input tokens; null: one side does not tell.'),
  regressions: z.array(changeSchema),
  improvements: z.array(changeSchema),
  only_in_baseline: z.array(z.string()).describe('Ids of scenarios.'),
  only_in_candidate: z.array(z.string()).describe('Ids of scenarios.'),
});

/** What is otherwise in one report than in another. */
export type ScenarioComparison = z.infer<typeof scenarioComparisonSchema>;
