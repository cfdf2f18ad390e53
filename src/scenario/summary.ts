import type { ModelUsage, ScenarioResult, ScenarioSummary } from './result.js';

/** Adds results up, one at a time. */
export interface SummaryCount {
  add(result: ScenarioResult): void;
  value(): ScenarioSummary;
}

const BUCKETS = ['request_count', 'input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const;

/** Begins a sum. What no result tells stays absent. */
export function createSummary(): SummaryCount {
  const sum = { total: 0, passed: 0, elapsed: 0, invocations: 0, failures: 0 };
  let contextTokens: number | undefined;
  let usage: ModelUsage | undefined;
  return {
    add(result) {
      sum.total += 1;
      if (result.passed) sum.passed += 1;
      sum.elapsed += result.elapsed_ms;
      sum.invocations += result.tool_invocations;
      sum.failures += result.tool_failures;
      if (result.context_input_tokens !== undefined) contextTokens = (contextTokens ?? 0) + result.context_input_tokens;
      if (result.model_usage !== undefined) usage = added(usage ?? {}, result.model_usage);
    },
    value: () => ({
      total: sum.total,
      passed: sum.passed,
      failed: sum.total - sum.passed,
      success_rate: sum.total === 0 ? 0 : sum.passed / sum.total,
      total_elapsed_ms: sum.elapsed,
      avg_elapsed_ms: sum.total === 0 ? 0 : sum.elapsed / sum.total,
      total_tool_invocations: sum.invocations,
      total_tool_failures: sum.failures,
      ...(contextTokens === undefined ? {} : { total_context_input_tokens: contextTokens }),
      ...(usage === undefined ? {} : { total_model_usage: usage }),
    }),
  };
}

function added(sum: ModelUsage, more: ModelUsage): ModelUsage {
  return Object.fromEntries(BUCKETS.flatMap((bucket) => {
    const [before, after] = [sum[bucket], more[bucket]];
    return before === undefined && after === undefined ? [] : [[bucket, (before ?? 0) + (after ?? 0)]];
  }));
}
