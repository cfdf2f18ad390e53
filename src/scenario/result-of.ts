import type { Claim } from '../assert/claim.js';
import type { AttemptResult } from '../run/result.js';
import type { ScenarioResult } from './result.js';
import { seenOf, type SeenScenario } from './seen.js';

/** What is known of a scenario besides its Attempt. */
export interface ScenarioFacts {
  readonly id: string;
  /** The profile that was used. */
  readonly profile: string;
  readonly mcp: boolean;
  readonly hooks: boolean;
}

/** The line of a scenario, without its trace. What was seen stands in it however the Attempt ended. */
export function scenarioResultOf({ id, profile, mcp, hooks }: ScenarioFacts, result: AttemptResult): ScenarioResult {
  const seen = seenOf(result.turns);
  const { context, response } = seen;
  const passed = result.verdict === 'passed';
  const usage = modelUsageOf(seen);
  const trajectory = seen.actions.map(({ name }) => name);
  return {
    scenario_id: id,
    profile,
    passed,
    failures: passed ? [] : failuresOf(result),
    ...(result.error === undefined ? {} : { error: result.error.message }),
    elapsed_ms: seen.elapsedMs,
    ...(response === undefined ? {} : { assistant_response: response }),
    event_types: [...seen.eventNames],
    tool_invocations: trajectory.length,
    tool_failures: seen.toolFailures,
    ...(context === undefined ? {} : { context_input_tokens: context.inputTokens, ...(context.windowTokens === undefined ? {} : { context_window: context.windowTokens }) }),
    ...(usage === undefined ? {} : { model_usage: usage }),
    turns_count: seen.answers,
    trajectory_actions: trajectory,
    trajectory_step_count: trajectory.length,
    mcp_enabled: mcp,
    hooks_enabled: hooks,
    attempt: result.id,
  };
}

function failuresOf({ error, failure, claims, reasons }: AttemptResult): string[] {
  const told = [
    ...(error === undefined ? [] : [failureOfError(error, failure)]),
    ...claims.flatMap(failureOfClaim),
  ];
  return told.length > 0 ? told : [...reasons];
}

function failureOfError({ message, timeout }: NonNullable<AttemptResult['error']>, failure: AttemptResult['failure']): string {
  if (timeout !== undefined) return `time: expected an end within ${timeout.limitMs} ms (${timeout.source}), saw none`;
  return failure?.kind === 'timeout' ? `time: expected an answer in time, saw none: ${message}` : `run: expected an end, saw an error: ${message}`;
}

function failureOfClaim({ state, label, description, expected, received, reason, optional, gates }: Claim): readonly string[] {
  const name = label ?? description;
  if (state === 'mismatched' && gates) return [`${name}: expected ${plainly(expected ?? description)}, saw ${received ?? 'something else'}`];
  if (state === 'unavailable' && optional !== true) return [`${name}: expected ${plainly(description)}, unavailable: ${reason ?? 'it cannot be told'}`];
  return state === 'errored' ? [`${name}: expected ${plainly(description)}, its condition broke: ${reason ?? ''}`] : [];
}

/** Claims of values are told as claims of `the value`. */
function plainly(expected: string): string {
  return expected.replace(/^the value /, '');
}

/** Absent where nobody counted the requests: a count that is made up is none. */
function modelUsageOf({ usage }: SeenScenario): ScenarioResult['model_usage'] {
  if (usage === undefined) return undefined;
  return {
    ...(usage.requests === undefined ? {} : { request_count: usage.requests }),
    ...(usage.inputTokens === undefined ? {} : { input_tokens: usage.inputTokens }),
    ...(usage.outputTokens === undefined ? {} : { output_tokens: usage.outputTokens }),
    ...(usage.cacheCreationTokens === undefined ? {} : { cache_creation_input_tokens: usage.cacheCreationTokens }),
    ...(usage.cacheReadTokens === undefined ? {} : { cache_read_input_tokens: usage.cacheReadTokens }),
  };
}
